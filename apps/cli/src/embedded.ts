/**
 * What the compiled executable contains besides code. scripts/build puts the files under `embedded/`.
 *
 * - `webAssetsFolder()` the built web app: inside the executable, or apps/web/dist.
 * - `bundledSkillsFolder()` the skills: inside the executable, or skills/ of the project.
 * - `symbolGrammars()` the grammars of `brain why <symbol>`: packed inside the executable, or as npm installed them.
 * - `packedPostgres()` Postgres inside the executable; undefined when running from source, where npm installed it.
 * - `packedArchive()` the file it is in, and its hash.
 */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { type Grammars, grammarsOfPackage } from "@devflow/brain/grammars";
import type { PackedPostgres } from "@devflow/db/postgres";
import { isCompiled } from "./server/self.ts";

/** node:fs and Bun.file read from it in both cases. */
export function webAssetsFolder(): string {
  return isCompiled() ? embeddedFile("web") : join(import.meta.dir, "../../web/dist");
}

export function bundledSkillsFolder(): string {
  return isCompiled() ? embeddedFile("skills") : join(import.meta.dir, "../../../skills");
}

export function symbolGrammars(): Grammars {
  if (!isCompiled()) return grammarsOfPackage();
  const unpacked = async (name: string) =>
    zstdDecompressSync(await readFile(embeddedFile(`grammars/${name}.wasm.zst`)));
  return { runtime: () => unpacked("tree-sitter"), grammar: (name) => unpacked(`tree-sitter-${name}`) };
}

export function packedPostgres(): PackedPostgres | undefined {
  if (!isCompiled()) return undefined;
  return {
    version: packed().version,
    unpack: async (into) => (await import("./server/unpack-postgres.ts")).unpackBeside(into),
  };
}

export function packedArchive(): { readonly path: string; readonly sha256: string } {
  return { path: embeddedFile("postgres.tar.zst"), sha256: packed().sha256 };
}

function packed(): { readonly version: string; readonly sha256: string } {
  return JSON.parse(readFileSync(embeddedFile("postgres.json"), "utf8"));
}

function embeddedFile(name: string): string {
  return join(import.meta.dir, "embedded", name);
}
