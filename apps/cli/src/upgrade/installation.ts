/**
 * The executable on disk, replaced in one step: the path always has either the complete old one or the complete new one.
 * The previous one is kept next to it as `<name>.previous`.
 *
 * - `installExecutable(path, bytes, expectedVersion)` tests that it starts here before replacing the old one.
 * - `rollBack(path)` swaps the previous one back.
 */
import { randomBytes } from "node:crypto";
import { chmod, copyFile, link, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";
import { runQuietly } from "./run-quietly.ts";

export const previousOf = (path: string): string => `${path}.previous`;

export async function installExecutable(path: string, bytes: Uint8Array, expectedVersion: string): Promise<void> {
  const fresh = `${path}.${randomBytes(4).toString("hex")}.new`;
  try {
    await writeExecutable(fresh, bytes);
    await proveVersion(fresh, expectedVersion);
    await keepAsPrevious(path);
    await rename(fresh, path);
    await syncFolder(dirname(path));
  } finally {
    await rm(fresh, { force: true });
  }
}

/** Returns the version that is installed afterwards. */
export async function rollBack(path: string): Promise<string> {
  const previous = previousOf(path);
  if (!(await stat(previous).catch(() => undefined))) {
    throw new DevflowError("not_found", {
      details: {
        what: `An earlier executable (${previous})`,
        next: "Install a release: devflow upgrade --from <place>",
      },
    });
  }
  const version = await versionOf(previous);
  const aside = `${path}.${randomBytes(4).toString("hex")}.aside`;
  await link(path, aside);
  await rename(previous, path);
  await rename(aside, previous);
  await syncFolder(dirname(path));
  return version;
}

async function writeExecutable(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "wx", 0o755);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await chmod(path, 0o755);
}

async function proveVersion(path: string, expected: string): Promise<void> {
  const found = await versionOf(path);
  if (found !== expected) {
    throw new DevflowError("input_invalid", {
      details: {
        problem: `The new executable is version ${found}, not ${expected}.`,
        next: "Nothing was changed. Check the release.",
      },
    });
  }
}

async function versionOf(path: string): Promise<string> {
  const { code, stdout, stderr } = await runQuietly([path, "--version"]);
  if (code === 0) return stdout.trim();
  throw new DevflowError("input_invalid", {
    details: {
      problem: `${path} does not start on this machine: ${stderr.trim().slice(0, 300) || `exit code ${code}`}.`,
      next: "Nothing was changed. Check that the release is for this platform.",
    },
  });
}

/** A hard link keeps the old one at its path until the rename; if links are not possible, a copy is made. */
async function keepAsPrevious(path: string): Promise<void> {
  const previous = previousOf(path);
  await rm(previous, { force: true });
  await link(path, previous).catch(() => copyFile(path, previous));
}
