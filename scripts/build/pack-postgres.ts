/**
 * Packs Postgres into one compressed file for the executable.
 *
 * - `packPostgres(packageFolder, cacheFolder)` the packed file, created once per version, because compressing takes half a minute.
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
const recipe = 5;
/** Level 19 would save 6 seconds of a first build and add 200 kB, which would exceed the limit of the executable. */
const level = 22;

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

/** Extensions that stay: for diagnosis and for searching text. The others, 1 MB compressed, are used by nothing in Devflow. */
const keptExtensions = ["plpgsql", "dict_snowball", "pg_stat_statements", "pg_trgm"];

/** Static libraries, headers, and the libraries of embedded C, of XSLT and of UUID extensions. */
const isLeftOut = (path: string): boolean =>
  /\.a$|(^|\/)(pkgconfig|include|pgxs)$|^pg-symlinks\.json$|^lib\/lib(ecpg|pgtypes|xslt|ossp-uuid)/.test(path) ||
  isOtherExtension(path);

/**
 * Conversions between encodings, `utf8_and_b`, are no extensions: the server loads them for clients with another encoding. Those
 * of East Asian encodings, 0.4 MB compressed, and those between two others are left out: the cluster and all of Devflow's programs
 * use UTF-8.
 */
function isOtherExtension(path: string): boolean {
  const name =
    /^lib\/postgresql\/([^/]+)\.(?:so|dylib)$/.exec(path)?.[1] ??
    /^share\/postgresql\/extension\/([^/]+?)(?:--.*)?\.(?:sql|control)$/.exec(path)?.[1];
  return (
    name !== undefined &&
    !keptExtensions.includes(name) &&
    (!/^utf8_and_/.test(name) || /euc|gb|uhc|johab|big5|sjis/.test(name))
  );
}

/** Only what is needed at run time; links are created from the package's list. */
function postgresEntries(packageFolder: string): TarEntry[] {
  const native = join(packageFolder, "native");
  const keep = (path: string) => !isLeftOut(path);
  const files = entriesOf(native, { keep }).filter((one) => !("linkTo" in one));
  const programs = files.map((one) => (one.path.startsWith("bin/") ? { ...one, mode: 0o755 } : one));
  const list = join(native, "pg-symlinks.json");
  const links = existsSync(list)
    ? (JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[])
    : [];
  return [
    ...programs,
    ...links
      .map(({ source, target }) => ({ path: relative("native", target), linkTo: relative(dirname(target), source) }))
      .filter(({ path }) => !isLeftOut(path)),
  ];
}
