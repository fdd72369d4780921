/**
 * Finds Chromium on this machine.
 *
 * - `findChromium(options)` its path: the configured one, else the first on PATH, else in macOS's applications; throws
 *   `browse_no_chromium` with the command that installs one.
 * - `decideSandbox(choice, isRoot)` whether it runs in its sandbox, and how `status` describes that.
 */
import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";

const names = [
  "chromium",
  "google-chrome-stable",
  "google-chrome",
  "chromium-browser",
  "chrome",
  "microsoft-edge",
  "brave-browser",
];
const applications = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

export interface SearchOptions {
  readonly configured: string | undefined;
  /** Folders of PATH. */
  readonly folders: readonly string[];
  readonly platform: NodeJS.Platform;
}

export function findChromium({ configured, folders, platform }: SearchOptions): string {
  if (configured !== undefined) {
    if (isExecutable(configured)) return configured;
    throw new DevflowError("browse_no_chromium", {
      details: {
        looked: `browse_chromium names ${configured}, which is not an executable`,
        next: "Set another path: devflow config set browse_chromium <path>",
      },
    });
  }
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = [...onPath, ...(platform === "darwin" ? applications : [])].find(isExecutable);
  if (found) return found;
  throw new DevflowError("browse_no_chromium", {
    details: {
      looked: `${names.slice(0, 4).join(", ")} are not on PATH`,
      next: `Install one: ${installCommand(platform)}`,
    },
  });
}

function installCommand(platform: NodeJS.Platform): string {
  if (platform === "darwin") return "brew install --cask google-chrome";
  if (existsSync("/usr/bin/apt-get")) return "sudo apt-get install -y chromium";
  if (existsSync("/usr/bin/dnf")) return "sudo dnf install -y chromium";
  if (existsSync("/sbin/apk")) return "sudo apk add chromium";
  if (existsSync("/usr/bin/pacman")) return "sudo pacman -S chromium";
  return "see https://www.chromium.org/getting-involved/download-chromium";
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface Sandbox {
  readonly isOn: boolean;
  readonly words: string;
}

export function decideSandbox(choice: "auto" | "on" | "off", isRoot: boolean): Sandbox {
  if (choice === "off") return { isOn: false, words: "off: browse_sandbox is off" };
  if (choice === "auto" && isRoot) return { isOn: false, words: "off: Chromium has no sandbox for root" };
  return { isOn: true, words: "on" };
}
