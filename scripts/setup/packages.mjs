/**
 * Installs the packages of package-lock.json, without running install scripts.
 *
 * - `packagesAreInstalled(root)` true when node_modules was installed from this package-lock.json on this platform.
 * - `installPackages(root, again)` `npm ci --ignore-scripts`; the stamp is written last, so an interrupted install is
 *   repeated.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { problemOfOutput, SetupProblem } from "./problem.mjs";
import { CommandFailed, run } from "./run.mjs";

const stampOf = (/** @type {string} */ root) => join(root, "node_modules", ".devflow-setup");

/** @param {string} root */
export function packagesAreInstalled(root) {
  const stamp = stampOf(root);
  if (existsSync(stamp)) return readFileSync(stamp, "utf8") === wanted(root);
  // npm was run directly: its own record of what it installed is as good as our stamp.
  const record = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record)) return false;
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  if (!isInstalledFrom(lock.packages, JSON.parse(readFileSync(record, "utf8")).packages)) return false;
  writeFileSync(stamp, wanted(root));
  return true;
}

/** @param {string} root @param {string} again */
export async function installPackages(root, again) {
  rmSync(stampOf(root), { force: true });
  const words = ["ci", "--ignore-scripts", "--include=dev", "--include=optional", "--no-audit", "--no-fund"];
  const [program, first] = npmProgram();
  try {
    await run(program, [...first, ...words, "--prefer-offline", "--loglevel=error"], {
      cwd: root,
      env: npmEnvironment(),
    });
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    throw problemOfOutput("npm", error.output, again) ?? npmFailed(error, again);
  }
  writeFileSync(stampOf(root), wanted(root));
}

/**
 * Whether npm's record of node_modules has every package in the lock file. Optional packages are for other platforms, or
 * checked by the step that needs them.
 * @typedef {Record<string, { version?: string, optional?: boolean, link?: boolean }>} LockedPackages
 * @param {LockedPackages} locked
 * @param {LockedPackages} installed
 */
export function isInstalledFrom(locked, installed) {
  return Object.entries(locked)
    .filter(([path, one]) => path.includes("node_modules/") && !one.optional && !one.link)
    .every(([path, one]) => installed[path]?.version === one.version);
}

/** Includes platform and architecture: a folder shared with a container would otherwise keep the wrong binaries. */
function wanted(/** @type {string} */ root) {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  return `${process.platform}-${process.arch} ${lock}\n`;
}

/** The npm that started us, if any, so that a second npm on PATH does not matter. @returns {[string, string[]]} */
function npmProgram() {
  const path = process.env.npm_execpath;
  return path && /npm-cli\.c?js$/.test(path) && existsSync(path) ? [process.execPath, [path]] : ["npm", []];
}

function npmEnvironment() {
  const env = { ...process.env };
  // With an empty HOME npm would put its cache into the current folder; without one it asks the system.
  if (env.HOME === "") delete env.HOME;
  return env;
}

/** @param {CommandFailed} error @param {string} again */
function npmFailed(error, again) {
  if (/ENOENT/.test(error.output) && error.cause) {
    return new SetupProblem(
      "npm is not on PATH.",
      `Install Node, which includes it, from https://nodejs.org, then repeat: ${again}`,
    );
  }
  const last = error.output.trim().split("\n").slice(-15).join("\n");
  return new SetupProblem(`npm could not install the packages:\n${last}`, `Repeat: ${again}`);
}
