/**
 * Where the grammars come from; separate from the parser, which is loaded only when a symbol is asked for.
 *
 * - `grammarsOfPackage()` as npm installed them: for programs that run from source.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface Grammars {
  runtime(): Promise<Uint8Array>;
  grammar(name: "typescript" | "tsx"): Promise<Uint8Array>;
}

export function grammarsOfPackage(): Grammars {
  const folder = dirname(createRequire(import.meta.url).resolve("@vscode/tree-sitter-wasm"));
  return {
    runtime: () => readFile(join(folder, "tree-sitter.wasm")),
    grammar: (name) => readFile(join(folder, `tree-sitter-${name}.wasm`)),
  };
}
