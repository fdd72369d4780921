/**
 * Packs Postgres into one compressed file for the executable.
 *
 * - `packPostgres(packageFolder, cacheFolder)` the packed file, created once per version, because compressing takes 20 seconds.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { hashBytes } from "@devflow/core/hash";
import { entriesOf, type TarEntry, tarOf } from "./tar.ts";

export interface PackedFile {
  readonly path: string;
  readonly version: string;
  readonly sha256: string;
}

/** Increased when the content of the file changes. */
const recipe = 1;
/** Level 18 would save 8 seconds of a first build and add 60 kB, which would exceed the limit of the executable. */
const level = 19;

export function packPostgres(packageFolder: string, cacheFolder: string): PackedFile {
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as { version: string };
  const path = join(cacheFolder, `postgres-${basename(packageFolder)}-${version}-${recipe}.tar.zst`);
  if (!existsSync(path)) {
    mkdirSync(cacheFolder, { recursive: true });
    writeFileSync(`${path}.tmp`, Bun.zstdCompressSync(tarOf(postgresEntries(packageFolder)), { level }));
    renameSync(`${path}.tmp`, path);
  }
  return { path, version, sha256: hashBytes(readFileSync(path)) };
}

/** Only what is needed at run time: no static libraries, no headers; links are created from the package's list. */
function postgresEntries(packageFolder: string): TarEntry[] {
  const native = join(packageFolder, "native");
  const keep = (path: string) => !/\.a$|(^|\/)(pkgconfig|include)$|^pg-symlinks\.json$/.test(path);
  const files = entriesOf(native, { keep }).filter((one) => !("linkTo" in one));
  const programs = files.map((one) => (one.path.startsWith("bin/") ? { ...one, mode: 0o755 } : one));
  const list = join(native, "pg-symlinks.json");
  const links = existsSync(list)
    ? (JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[])
    : [];
  return [
    ...programs,
    ...links.map(({ source, target }) => ({
      path: relative("native", target),
      linkTo: relative(dirname(target), source),
    })),
  ];
}
