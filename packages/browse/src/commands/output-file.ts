/**
 * Where and how a command writes its output.
 *
 * - `outputFile(files, given, kind)` the given path, or a new one in the workspace's `.devflow` folder.
 * - `writeOutput(path, content)` a whole file or none: on a full disk the old one stays, and the error names it. Private.
 * - `moveOutput(path, write)` the same for what is written to a path by somebody else.
 */
import { chmod, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import type { FileGate } from "../command.ts";

export async function outputFile(
  files: FileGate,
  given: string | undefined,
  { folder, extension }: { readonly folder: string; readonly extension: string },
): Promise<string> {
  if (given !== undefined) return await files.forWriting(given);
  const stamp = new Date().toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 19);
  return await files.forWriting(join(files.workspace ?? ".", ".devflow", folder, `${stamp}.${extension}`));
}

export async function writeOutput(path: string, content: string | Uint8Array): Promise<void> {
  await moveOutput(path, (aside) => writeFile(aside, content, { mode: 0o600, flag: "wx" }));
}

export async function moveOutput(path: string, write: (aside: string) => Promise<void>): Promise<void> {
  const aside = join(dirname(path), `.${basename(path).slice(0, 100)}.${crypto.randomUUID().slice(0, 8)}.tmp`);
  try {
    await write(aside);
    await chmod(aside, 0o600);
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true });
    throw explained(path, error);
  }
}

function explained(path: string, cause: unknown): unknown {
  const { code, message } = cause as NodeJS.ErrnoException;
  // Playwright has only the words.
  if (code === "ENOSPC" || code === "EDQUOT" || /ENOSPC|EDQUOT/.test(message))
    return new DevflowError("disk_full", { details: { path }, cause });
  const reason = code === "EROFS" ? "it is read-only" : "permission denied";
  const isDenied = code === "EROFS" || code === "EACCES" || code === "EPERM";
  return isDenied
    ? new DevflowError("browse_folder_unwritable", { details: { path: dirname(path), reason }, cause })
    : cause;
}

export function sizeWords(bytes: number): string {
  return bytes < 10_000 ? `${bytes} bytes` : `${Math.round(bytes / 1000)} KB`;
}
