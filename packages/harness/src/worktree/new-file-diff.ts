/**
 * The diff of an untracked file, in git's format. It is written here because git would need its index for it, and the
 * index belongs to the agent.
 *
 * - `newFileDiff(worktree, path, maxBytes)` the text (undefined when it does not fit), its lines, whether it is binary.
 */
import { lstat, open, readlink } from "node:fs/promises";
import { join } from "node:path";

export interface NewFileDiff {
  readonly text: string | undefined;
  readonly lines: number;
  readonly isBinary: boolean;
}

/** Git looks for a zero byte in the same range. */
const lookedAt = 8_000;
/** Lines of larger files are not counted. */
const readable = 16 * 1024 * 1024;

export async function newFileDiff(worktree: string, path: string, maxBytes: number): Promise<NewFileDiff> {
  const whole = join(worktree, path);
  const found = await lstat(whole).catch(() => undefined);
  // A nested repository is listed with a trailing slash; a socket or a pipe has nothing to show.
  if (!found || !(found.isFile() || found.isSymbolicLink())) return { text: undefined, lines: 0, isBinary: false };
  const mode = found.isSymbolicLink() ? "120000" : found.mode & 0o111 ? "100755" : "100644";
  const name = (side: string) => quoted(`${side}/${path}`);
  const header = `diff --git ${name("a")} ${name("b")}\nnew file mode ${mode}\n`;
  const content = found.isSymbolicLink() ? Buffer.from(await readlink(whole)) : await readStart(whole, readable);
  if (content.subarray(0, lookedAt).includes(0)) {
    const text = `${header}Binary files /dev/null and ${name("b")} differ\n`;
    return { text: text.length <= maxBytes ? text : undefined, lines: 0, isBinary: true };
  }
  const lines = splitLines(content.toString("utf8"));
  if (found.size > readable) return { text: undefined, lines: lines.length, isBinary: false };
  if (lines.length === 0) return { text: header, lines: 0, isBinary: false };
  const isEnded = content.at(-1) === 0x0a;
  const hunk = lines.length === 1 ? "@@ -0,0 +1 @@" : `@@ -0,0 +1,${lines.length} @@`;
  const body = lines.map((line) => `+${line}\n`).join("");
  const end = isEnded ? "" : "\\ No newline at end of file\n";
  const text = `${header}--- /dev/null\n+++ ${name("b")}\n${hunk}\n${body}${end}`;
  return { text: Buffer.byteLength(text) <= maxBytes ? text : undefined, lines: lines.length, isBinary: false };
}

async function readStart(path: string, most: number): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, most));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Git's format: a name with a quote, a backslash or a control character is quoted. */
function quoted(name: string): string {
  if (!/["\\\p{Cc}]/u.test(name)) return name;
  const escaped = name.replaceAll(
    /["\\\p{Cc}]/gu,
    (char) => named[char] ?? `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return `"${escaped}"`;
}

const named: Readonly<Record<string, string>> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r" };
