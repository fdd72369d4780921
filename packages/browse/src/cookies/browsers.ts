/**
 * The browsers whose cookies can be read, and where each keeps them. The list is fixed: no path is built from user input
 * except a profile's name, which must be a plain one.
 *
 * - `cookieBrowsers` their names.
 * - `findStore(browser, place)` the database in use; throws `not_found` with the next command.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";

interface ChromiumFamily {
  readonly kind: "chromium";
  readonly linux: readonly string[];
  readonly darwin: readonly string[];
  /** In the macOS Keychain: "<name> Safe Storage"; in KWallet: "<name> Keys". */
  readonly safeStorage: string;
  /** In the GNOME keyring. */
  readonly application: string;
}
interface OtherFamily {
  readonly kind: "firefox" | "safari";
  readonly linux: readonly string[];
  readonly darwin: readonly string[];
}

const chromium = (
  safeStorage: string,
  application: string,
  linux: readonly string[],
  darwin: readonly string[],
): ChromiumFamily => ({ kind: "chromium", safeStorage, application, linux, darwin });

/** Linux paths are under ~, macOS paths under ~/Library/Application Support unless they begin with `~`. */
const registry = {
  chrome: chromium(
    "Chrome",
    "chrome",
    [".config/google-chrome", ".var/app/com.google.Chrome/config/google-chrome"],
    ["Google/Chrome"],
  ),
  chromium: chromium(
    "Chromium",
    "chromium",
    [".config/chromium", "snap/chromium/common/chromium", ".var/app/org.chromium.Chromium/config/chromium"],
    ["Chromium"],
  ),
  brave: chromium(
    "Brave",
    "brave",
    [".config/BraveSoftware/Brave-Browser", ".var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser"],
    ["BraveSoftware/Brave-Browser"],
  ),
  edge: chromium("Microsoft Edge", "microsoft-edge", [".config/microsoft-edge"], ["Microsoft Edge"]),
  arc: chromium("Arc", "arc", [], ["Arc/User Data"]),
  comet: chromium("Comet", "comet", [], ["Comet"]),
  firefox: {
    kind: "firefox",
    linux: [
      ".mozilla/firefox",
      ".config/mozilla/firefox",
      "snap/firefox/common/.mozilla/firefox",
      ".var/app/org.mozilla.firefox/.mozilla/firefox",
    ],
    darwin: ["Firefox"],
  },
  safari: {
    kind: "safari",
    linux: [],
    darwin: ["~/Library/Containers/com.apple.Safari/Data/Library/Cookies", "~/Library/Cookies"],
  },
} as const satisfies Record<string, ChromiumFamily | OtherFamily>;

export type CookieBrowser = keyof typeof registry;
export const cookieBrowsers = Object.keys(registry) as [CookieBrowser, ...CookieBrowser[]];

export interface CookieStore {
  readonly browser: string;
  readonly kind: "chromium" | "firefox" | "safari";
  readonly path: string;
  /** For Chromium: the folder with `Local State`. */
  readonly userData: string;
  readonly safeStorage: string;
  readonly application: string;
}

export interface StorePlace {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly profile?: string | undefined;
}

export function findStore(browser: CookieBrowser, place: StorePlace): CookieStore {
  const entry: ChromiumFamily | OtherFamily = registry[browser];
  if (place.profile !== undefined && !/^[\w][\w .-]{0,99}$/.test(place.profile)) {
    throw notFound(`A profile called ${JSON.stringify(place.profile)}`, "A profile name looks like: Default");
  }
  const names = entry.kind === "chromium" ? entry : { safeStorage: "", application: "" };
  for (const root of rootsOf(entry, place)) {
    const path = storeIn(entry.kind, root, place.profile);
    if (path) {
      const { safeStorage, application } = names;
      return { browser, kind: entry.kind, path, userData: root, safeStorage, application };
    }
  }
  const where = place.profile === undefined ? "" : ` in the profile ${place.profile}`;
  throw notFound(
    `A cookie store of ${browser}${where}`,
    `Looked in ${rootsOf(entry, place).join(", ") || "no folder: this browser does not exist on this system"}. From a file: devflow browse cookie-import <file>`,
  );
}

function rootsOf(entry: ChromiumFamily | OtherFamily, { home, platform }: StorePlace): string[] {
  if (platform !== "darwin") return entry.linux.map((path) => join(home, path));
  const underHome = (path: string) =>
    path.startsWith("~/") ? path.slice(2) : join("Library/Application Support", path);
  return entry.darwin.map((path) => join(home, underHome(path)));
}

function storeIn(kind: CookieStore["kind"], root: string, profile: string | undefined): string | undefined {
  if (kind === "safari") return existing(join(root, "Cookies.binarycookies"));
  if (kind === "firefox") return firefoxStore(root, profile);
  const folder = join(root, profile ?? lastUsedProfile(root));
  return existing(join(folder, "Network", "Cookies")) ?? existing(join(folder, "Cookies"));
}

function lastUsedProfile(root: string): string {
  try {
    const state = JSON.parse(readFileSync(join(root, "Local State"), "utf8")) as { profile?: { last_used?: unknown } };
    const name = state.profile?.last_used;
    return typeof name === "string" && /^[\w][\w .-]*$/.test(name) ? name : "Default";
  } catch {
    return "Default";
  }
}

/** The named profile; else the one whose cookies were written last, which is the one in use. */
function firefoxStore(root: string, wanted: string | undefined): string | undefined {
  let ini: string;
  try {
    ini = readFileSync(join(root, "profiles.ini"), "utf8");
  } catch {
    return undefined;
  }
  const profiles = ini
    .split(/^\[Profile/m)
    .slice(1)
    .map((section) => {
      const value = (key: string) => new RegExp(`^${key}=(.*)$`, "m").exec(section)?.[1]?.trim() ?? "";
      const path = value("Path");
      return { name: value("Name"), path: value("IsRelative") === "0" ? path : join(root, path) };
    });
  return profiles
    .filter(({ name }) => wanted === undefined || name === wanted)
    .map(({ path }) => join(path, "cookies.sqlite"))
    .filter((path) => existsSync(path))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
}

const existing = (path: string): string | undefined => (existsSync(path) ? path : undefined);

function notFound(what: string, next: string): DevflowError {
  return new DevflowError("not_found", { details: { what, next } });
}
