/**
 * Reads the file that an agent was asked for, as an untrusted file: never through a link, never outside the artifacts
 * folder, never more than the limit, and never a partial content unnoticed.
 *
 * - `readArtifact({ path, folder })` the text with hash and parsed JSON, or a named fault with what to do about it.
 */
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { hashBytes } from "@devflow/core/hash";

export const artifactFaults = [
  "missing",
  "outside",
  "symlink",
  "directory",
  "fifo",
  "socket",
  "device",
  "hard_link",
  "too_large",
  "unreadable",
  "vanished",
  "changed",
  "empty",
  "binary",
  "not_utf8",
  "byte_order_mark",
] as const;
export type ArtifactFaultKind = (typeof artifactFaults)[number];

export interface ArtifactContent {
  readonly ok: true;
  readonly path: string;
  readonly text: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly json: { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: string };
  readonly look: FileStamp;
}

export interface ArtifactFault {
  readonly ok: false;
  readonly path: string;
  readonly fault: ArtifactFaultKind;
  readonly message: string;
  /** As far as known: a file that was not read has no hash. */
  readonly bytes: number | undefined;
  readonly sha256: string | undefined;
  readonly look: FileStamp | undefined;
}

export type ArtifactReading = ArtifactContent | ArtifactFault;

/** Numbers as text, so that JSON keeps the nanoseconds. */
export interface FileStamp {
  readonly dev: string;
  readonly ino: string;
  readonly size: string;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
}

export interface ReadArtifactOptions {
  readonly path: string;
  /** The run's artifacts folder; the file must be in it. */
  readonly folder: string;
  readonly maxBytes?: number;
}

const maxArtifactBytes = 10 * 1024 * 1024;

export async function readArtifact({
  path,
  folder,
  maxBytes = maxArtifactBytes,
}: ReadArtifactOptions): Promise<ArtifactReading> {
  const before = await stat(path);
  if (!before) return fault(path, "missing", "the file does not exist");
  const wrongKind = kindFault(path, before, maxBytes) ?? (await placeFault(path, folder, before));
  if (wrongKind) return wrongKind;
  let file: FileHandle;
  try {
    // Non-blocking: what was a file a moment ago may now be a fifo without a writer.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return openFault(path, before, error);
  }
  try {
    const opened = await file.stat({ bigint: true });
    if (!sameStamp(stampOf(opened), stampOf(before))) return changed(path, opened);
    const content = await readUpTo(file, maxBytes);
    if (content.length > maxBytes) return tooLarge(path, opened, maxBytes);
    const after = await file.stat({ bigint: true });
    const named = await stat(path);
    if (!named) return fault(path, "vanished", "the file was removed while it was read");
    if (!sameStamp(stampOf(after), stampOf(opened)) || !sameStamp(stampOf(named), stampOf(opened)))
      return changed(path, named);
    return judge(path, content, stampOf(opened));
  } finally {
    await file.close();
  }
}

function sameStamp(a: FileStamp | undefined, b: FileStamp | undefined): boolean {
  if (!a || !b) return a === b;
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
}

function judge(path: string, content: Buffer, look: FileStamp): ArtifactReading {
  const seen = { bytes: content.length, sha256: hashBytes(content), look };
  if (content.length === 0) return fault(path, "empty", "the file is empty; write the whole JSON document", seen);
  if (content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf) {
    return fault(path, "byte_order_mark", "the file begins with a byte order mark; write UTF-8 without one", seen);
  }
  if (content.includes(0)) return fault(path, "binary", "the file is binary; write JSON as UTF-8 text", seen);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return fault(path, "not_utf8", "the file is not valid UTF-8; write JSON as UTF-8 text", seen);
  }
  return { ok: true, path, text, ...seen, json: parse(text) };
}

function parse(text: string): ArtifactContent["json"] {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, error: `not JSON: ${(error as Error).message}` };
  }
}

function kindFault(path: string, found: BigIntStats, maxBytes: number): ArtifactFault | undefined {
  const look = stampOf(found);
  const is = (kind: ArtifactFaultKind, what: string) =>
    fault(path, kind, `there is ${what} where the file should be; remove it and write a regular file`, { look });
  if (found.isSymbolicLink()) return is("symlink", "a symbolic link");
  if (found.isDirectory()) return is("directory", "a directory");
  if (found.isFIFO()) return is("fifo", "a named pipe");
  if (found.isSocket()) return is("socket", "a socket");
  if (!found.isFile()) return is("device", "a device");
  if (found.nlink > 1n) return is("hard_link", "a file with another name elsewhere (a hard link)");
  return found.size > BigInt(maxBytes) ? tooLarge(path, found, maxBytes) : undefined;
}

/** A parent folder may be a link to somewhere else. */
async function placeFault(path: string, folder: string, found: BigIntStats): Promise<ArtifactFault | undefined> {
  const look = stampOf(found);
  try {
    // A link in its place would make every file behind it look as if it were inside.
    if ((await lstat(folder)).isSymbolicLink())
      return fault(path, "symlink", "the run's artifacts folder was replaced by a symbolic link", { look });
    const inside = relative(await realpath(folder), await realpath(dirname(path)));
    if (inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) return undefined;
  } catch (error) {
    return openFault(path, found, error);
  }
  return fault(path, "outside", "the file is outside the run's artifacts folder", { look });
}

function openFault(path: string, found: BigIntStats, error: unknown): ArtifactFault {
  const look = stampOf(found);
  const { code, message } = error as { code?: string; message: string };
  if (code === "ENOENT") return fault(path, "vanished", "the file was removed while it was read");
  if (code === "ELOOP") return fault(path, "symlink", "there is a symbolic link where the file should be", { look });
  return fault(path, "unreadable", `the file cannot be read: ${message}`, { look });
}

const changed = (path: string, found: BigIntStats): ArtifactFault =>
  fault(path, "changed", "the file was written to while it was read", { look: stampOf(found) });

const tooLarge = (path: string, found: BigIntStats, maxBytes: number): ArtifactFault =>
  fault(path, "too_large", `the file has ${found.size} bytes and may have at most ${maxBytes}; it was not read`, {
    look: stampOf(found),
    bytes: Number(found.size),
  });

function fault(
  path: string,
  kind: ArtifactFaultKind,
  message: string,
  { bytes, sha256, look }: { bytes?: number; sha256?: string; look?: FileStamp } = {},
): ArtifactFault {
  return { ok: false, path, fault: kind, message, bytes, sha256, look };
}

/** One byte more than allowed is enough to detect that it grew. */
async function readUpTo(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length <= maxBytes) {
    const chunk = Buffer.allocUnsafe(Math.min(64 * 1024, maxBytes + 1 - length));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(chunks, length);
}

async function stat(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): FileStamp {
  return { dev: `${dev}`, ino: `${ino}`, size: `${size}`, mtimeNs: `${mtimeNs}`, ctimeNs: `${ctimeNs}` };
}
