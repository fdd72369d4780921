/**
 * Where programs are that hidden folders contain, so that they can be read in the sandbox: those on the search path, the
 * agent, and Devflow itself.
 *
 * - `programFolders(hidden, path, programs)` folders below the hidden ones. A folder `…/bin` stands for all of its
 *   installation, such as `~/.nvm/versions/node/v24`, because programs there load files beside it; but never for the hidden
 *   folder itself. A script stands for its project.
 */
import { existsSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, extname, isAbsolute, join } from "node:path";

export function programFolders(hidden: readonly string[], path: string, programs: readonly string[]): string[] {
  const around = (folder: string) => hidden.find((one) => folder.startsWith(`${one}/`));
  const found = [...path.split(delimiter), ...programs.filter(isAbsolute).flatMap(foldersOf)];
  return [
    ...new Set(
      found.flatMap((folder) => {
        const within = around(folder);
        return within === undefined ? [] : [installationOf(folder, within)];
      }),
    ),
  ];
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
  return [dirname(program), modules ?? (extname(real) === ".ts" ? projectOf(real) : dirname(real))];
}

/** The outermost folder around the script that has a package.json. */
function projectOf(script: string): string {
  let project = dirname(script);
  for (let at = project; at !== dirname(at); at = dirname(at)) {
    if (existsSync(join(at, "package.json"))) project = at;
  }
  return project;
}

function installationOf(folder: string, within: string): string {
  const parent = dirname(folder);
  // `~/bin` and `~/.local/bin` hold programs of many origins; beside them is everything else of the person.
  const isShared = parent === within || basename(parent) === ".local";
  return basename(folder) === "bin" && !isShared ? parent : folder;
}
