/**
 * Where programs of a hidden home are, so that they can be read in the sandbox: those on the search path, and the agent.
 *
 * - `programFolders(home, path, programs)` folders below the home. A folder `…/bin` stands for all of its installation, such
 *   as `~/.nvm/versions/node/v24`, because programs there load files beside it; but never for the home itself.
 */
import { realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute } from "node:path";

export function programFolders(home: string, path: string, programs: readonly string[]): string[] {
  const isBelow = (folder: string) => folder.startsWith(`${home}/`);
  const found = [...path.split(delimiter), ...programs.filter(isAbsolute).flatMap(foldersOf)].filter(isBelow);
  return [...new Set(found.flatMap((folder) => installationOf(folder, home)))];
}

/** Of the program as it is called, and of the file that a link leads to. */
function foldersOf(program: string): string[] {
  let real = program;
  try {
    real = realpathSync(program);
  } catch {
    // Starting it will say that it is not there.
  }
  const [, modules] = /^(.*\/node_modules)\//.exec(real) ?? [];
  return [dirname(program), modules ?? dirname(real)];
}

function installationOf(folder: string, home: string): string[] {
  const parent = dirname(folder);
  // `~/bin` and `~/.local/bin` hold programs of many origins; beside them is everything else of the person.
  const isShared = parent === home || basename(parent) === ".local";
  return basename(folder) === "bin" && !isShared ? [parent] : [folder];
}
