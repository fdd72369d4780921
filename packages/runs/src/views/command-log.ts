/** The paths and the ends of a command's logs. The files were written with known secrets redacted. */
import { open } from "node:fs/promises";
import type { CommandLog } from "@devflow/protocol";
import type { Reader } from "./reader.ts";

export interface CommandLogFiles {
  readonly stdout: string | null;
  readonly stderr: string | null;
  /** The end of both, as it was kept with the run. */
  readonly tail: string | null;
}

export async function commandLogFiles(
  { database, claims }: Reader,
  runId: string,
  commandId: string,
): Promise<CommandLogFiles | undefined> {
  const [row] = await database.withClaims(
    claims,
    (tx) => tx<CommandLogFiles[]>`
      select c.stdout_path as stdout, c.stderr_path as stderr, c.tail from app.commands c
      where c.id = ${commandId} and c.run_id = ${runId}`,
  );
  return row;
}

/** For a reader at another machine than the one with the files. */
export const keptLog = ({ tail }: CommandLogFiles): CommandLog | undefined =>
  tail === null ? undefined : { stdout: tail, stderr: "", isCut: true };

/** Undefined when neither exists: purged, or never run. */
export async function readCommandLog(files: CommandLogFiles, bytes: number): Promise<CommandLog | undefined> {
  const [stdout, stderr] = await Promise.all([endOf(files.stdout, bytes), endOf(files.stderr, bytes)]);
  if (!stdout && !stderr) return undefined;
  return {
    stdout: stdout?.text ?? "",
    stderr: stderr?.text ?? "",
    isCut: (stdout?.isCut ?? false) || (stderr?.isCut ?? false),
  };
}

async function endOf(path: string | null, bytes: number): Promise<{ text: string; isCut: boolean } | undefined> {
  if (path === null) return undefined;
  const file = await open(path, "r").catch(() => undefined);
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - bytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const text = buffer.subarray(0, bytesRead).toString("utf8");
    // A cut begins with a complete line, if there is one.
    return { text: from > 0 ? text.slice(text.indexOf("\n") + 1) : text, isCut: from > 0 };
  } finally {
    await file.close();
  }
}
