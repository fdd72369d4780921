/**
 * Bun from npm: the package `bun` contains placeholders, the platform's package contains the program. Its install script
 * would link the two, but npm may not run it.
 *
 * - `findBun(root)` the program, linked or not; undefined when the platform's package is missing. If npm did run the install
 *   script, the program was moved out of the platform's package and is found at its new path.
 * - `bunIsLinked(root)`, `linkBun(root)` make `npx bun` and `bun` in npm scripts work.
 */
import { chmodSync, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { SetupProblem } from "./problem.mjs";

const linkedNames = ["bun.exe", "bunx.exe"];

/** @param {string} root */
export function findBun(root) {
  const packed = bunPackages().map((name) => join(root, "node_modules", name, "bin", "bun"));
  const moved = join(root, "node_modules", "bun", "bin", "bun.exe");
  return packed.find(existsSync) ?? (isProgram(moved) ? moved : undefined);
}

/** A placeholder is a few hundred bytes of text; Bun is about 100 MB. */
function isProgram(/** @type {string} */ path) {
  return existsSync(path) && statSync(path).size > 1_000_000;
}

/** @param {string} root */
export function bunIsLinked(root) {
  const program = findBun(root);
  if (!program) return false;
  const size = statSync(program).size;
  return linkedNames.every((name) => {
    const linked = join(root, "node_modules", "bun", "bin", name);
    return existsSync(linked) && statSync(linked).size === size;
  });
}

/** @param {string} root @param {string} again */
export function linkBun(root, again) {
  const program = findBun(root);
  if (!program) {
    throw new SetupProblem(
      `There is no Bun for ${process.platform}-${process.arch} in node_modules.`,
      `Devflow runs on Linux and macOS, x64 and arm64. There, repeat: rm -rf node_modules && ${again}`,
    );
  }
  chmodSync(program, 0o755);
  const places = linkedNames.map((name) => join(root, "node_modules", "bun", "bin", name));
  for (const place of places) if (place !== program) putInPlace(program, place);
}

/** A hard link takes no space; where links are not possible (another file system), a copy is made. */
function putInPlace(/** @type {string} */ program, /** @type {string} */ place) {
  const temporary = `${place}.${process.pid}.tmp`;
  rmSync(temporary, { force: true });
  try {
    linkSync(program, temporary);
  } catch {
    copyFileSync(program, temporary);
    chmodSync(temporary, 0o755);
  }
  renameSync(temporary, place);
}

/** npm skips the variant that the machine's C library cannot run; if both are there, the system decides. */
function bunPackages() {
  const arch = process.arch === "arm64" ? "aarch64" : process.arch;
  const plain = `@oven/bun-${process.platform}-${arch}`;
  return existsSync("/etc/alpine-release") ? [`${plain}-musl`, plain] : [plain, `${plain}-musl`];
}
