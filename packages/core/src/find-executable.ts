/** Finds programs as a shell would, without running them. */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";

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
