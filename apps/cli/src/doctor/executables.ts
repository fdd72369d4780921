/** Finds programs as a shell would, without running them. */
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "@devflow/core/config";

const run = promisify(execFile);

export async function findExecutable(names: readonly string[], env: Environment): Promise<string | undefined> {
  const folders = (env.PATH ?? "").split(delimiter).filter(Boolean);
  for (const name of names) {
    const candidates = isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name));
    for (const path of candidates) {
      const isThere = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isThere) return path;
    }
  }
  return undefined;
}

export async function versionOf(path: string, args: readonly string[], pattern: RegExp): Promise<string | undefined> {
  const { stdout } = await run(path, [...args], { timeout: 5_000 }).catch(() => ({ stdout: "" }));
  return pattern.exec(stdout)?.[1];
}

export function installCommand(name: string): string {
  if (process.platform === "darwin")
    return name === "chromium" ? "brew install --cask chromium" : `brew install ${name}`;
  return `apt-get install ${name}   (or: dnf install ${name})`;
}
