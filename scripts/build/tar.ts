/**
 * A tar archive whose bytes depend only on its content: sorted names, no owner, one fixed time. Two builds of the same
 * sources have the same checksum.
 *
 * - `tarOf(entries)` the archive (ustar).
 * - `entriesOf(folder, { prefix, keep })` a folder's files and links as entries.
 */
import { type Dirent, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";

export type TarEntry = { readonly path: string; readonly mode?: number } & (
  | { readonly content: Uint8Array | string }
  | { readonly linkTo: string }
);

/** 1 January 2000: a time of zero confuses some tools. */
const mtimeSeconds = 946_684_800;
const block = 512;

export function tarOf(entries: readonly TarEntry[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const entry of [...entries].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))) {
    const content = "content" in entry ? Buffer.from(entry.content) : new Uint8Array(0);
    parts.push(headerOf(entry, content.length), content, new Uint8Array(padding(content.length)));
  }
  parts.push(new Uint8Array(2 * block));
  return Buffer.concat(parts);
}

export function entriesOf(
  folder: string,
  { prefix = "", keep = () => true }: { prefix?: string; keep?: (path: string) => boolean } = {},
): TarEntry[] {
  const walk = (relative: string): TarEntry[] =>
    readdirSync(join(folder, relative), { withFileTypes: true }).flatMap((one: Dirent) => {
      const path = relative ? `${relative}/${one.name}` : one.name;
      if (!keep(path)) return [];
      if (one.isDirectory()) return walk(path);
      if (one.isSymbolicLink()) return [{ path: prefix + path, linkTo: readlinkSync(join(folder, path)) }];
      const mode = statSync(join(folder, path)).mode & 0o111 ? 0o755 : 0o644;
      return [{ path: prefix + path, mode, content: readFileSync(join(folder, path)) }];
    });
  return walk("");
}

function headerOf(entry: TarEntry, size: number): Uint8Array {
  const header = Buffer.alloc(block);
  const { name, prefix } = splitPath(entry.path);
  const text = (value: string, offset: number) => header.write(value, offset, "utf8");
  const octal = (value: number, offset: number, length: number) =>
    text(`${value.toString(8).padStart(length - 1, "0")}\0`, offset);
  text(name, 0);
  octal(entry.mode ?? ("linkTo" in entry ? 0o777 : 0o644), 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(mtimeSeconds, 136, 12);
  text("        ", 148);
  text("linkTo" in entry ? "2" : "0", 156);
  if ("linkTo" in entry) text(entry.linkTo, 157);
  text("ustar\x0000", 257);
  text(prefix, 345);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  text(`${checksum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** ustar has 100 bytes for the name and 155 for the folders before it. */
function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: "" };
  for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1)) {
    const name = path.slice(slash + 1);
    if (Buffer.byteLength(name) <= 100 && slash <= 155) return { name, prefix: path.slice(0, slash) };
  }
  throw new Error(`the path is too long for a tar archive: ${path}`);
}

const padding = (size: number): number => (block - (size % block)) % block;
