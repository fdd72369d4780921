/**
 * Where a symbol is defined.
 *
 * - `findSymbol(root, name, options)` each definition in the files that git follows; in `file` only, if it is given. `git grep` narrows down
 *   the files, so that a large repository is not parsed as a whole.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { git } from "@devflow/git";
import { hasSymbols, type SymbolAt, type Symbols } from "../symbols/index.ts";

export interface FoundSymbol extends SymbolAt {
  readonly file: string;
}

const mostFiles = 200;

export async function findSymbol(
  root: string,
  name: string,
  { symbols, file, signal }: { readonly symbols: Symbols; readonly file?: string; readonly signal?: AbortSignal },
): Promise<FoundSymbol[]> {
  const files = file === undefined ? await filesWith(root, name.replace(/^.*\./, ""), signal) : [file];
  const found: FoundSymbol[] = [];
  for (const path of files.filter(hasSymbols).slice(0, mostFiles)) {
    const text = await readFile(join(root, path), "utf8").catch(() => "");
    for (const one of (await symbols.of(path, text)) ?? [])
      if (one.name === name || one.name.endsWith(`.${name}`)) found.push({ ...one, file: path });
  }
  // A name as typed before one that only ends so, and what others can use before what they cannot.
  const place = (one: FoundSymbol) => (one.name === name ? 0 : 2) + (one.isExported ? 0 : 1);
  return found.sort((a, b) => place(a) - place(b));
}

async function filesWith(root: string, word: string, signal: AbortSignal | undefined): Promise<string[]> {
  const args = ["grep", "--untracked", "-l", "-z", "-w", "-F", "-e", word] as const;
  const { stdout } = await git(args, { cwd: root, answers: [1], ...(signal ? { signal } : {}) });
  return stdout.split("\0").filter(Boolean);
}
