/**
 * Reads a file that grows, a part at a time: whole lines that are new since a mark.
 *
 * - `readNewLines(path, mark)` at most 16 MB of them, where they begin, and the mark for the next time; `more` when the file has further
 *   lines. A line that is not complete yet is left. One that is larger than that is passed over: agents write requests down whole, and
 *   what a person said is never that long.
 *
 * A file that is now shorter than its mark, or another one of the same name, is read from its beginning.
 */
import { type FileHandle, open } from "node:fs/promises";
import { z } from "zod";

export const FileMark = z.object({
  inode: z.number(),
  bytes: z.number(),
  /** The session that the last line belonged to. */
  session: z.string().optional(),
});
export type FileMark = z.infer<typeof FileMark>;

export interface NewLines {
  readonly text: string;
  /** In bytes, from the beginning of the file. */
  readonly offset: number;
  readonly mark: FileMark;
  readonly more: boolean;
}

const lineEnd = 0x0a;

export async function readNewLines(
  path: string,
  mark: FileMark | undefined,
  { maxBytes = 16 * 1024 * 1024 }: { readonly maxBytes?: number } = {},
): Promise<NewLines> {
  const handle = await open(path, "r");
  try {
    const { ino: inode, size } = await handle.stat();
    const isSame = mark !== undefined && mark.inode === inode && mark.bytes <= size;
    const offset = isSame ? mark.bytes : 0;
    const session = isSame && mark.session !== undefined ? { session: mark.session } : {};
    const bytes = await readAt(handle, offset, Math.min(maxBytes, size - offset));
    const whole = bytes.lastIndexOf(lineEnd) + 1;
    const isTooLong = whole === 0 && bytes.length === maxBytes;
    const end = isTooLong ? await afterLine(handle, offset + bytes.length, size) : offset + whole;
    return {
      text: bytes.subarray(0, whole).toString("utf8"),
      offset,
      mark: { inode, bytes: end ?? offset, ...session },
      more: end !== undefined && end > offset && end < size && size - offset > maxBytes,
    };
  } finally {
    await handle.close();
  }
}

/** Undefined while the line has no end. */
async function afterLine(handle: FileHandle, from: number, size: number): Promise<number | undefined> {
  const step = 1024 * 1024;
  for (let at = from; at < size; at += step) {
    const found = (await readAt(handle, at, Math.min(step, size - at))).indexOf(lineEnd);
    if (found >= 0) return at + found + 1;
  }
  return undefined;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await handle.read(bytes, 0, length, position);
  return bytes.subarray(0, bytesRead);
}
