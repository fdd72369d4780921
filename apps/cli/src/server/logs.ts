/** `devflow logs`: the last lines, formatted; `--json` prints them unchanged. */
import { open, stat } from "node:fs/promises";
import { systemClock } from "@devflow/core/clock";
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { postgresLogFile } from "@devflow/db/postgres";
import type { logsRecord } from "./commands.ts";

const blockBytes = 64 * 1024;

export const logs: HandlerOf<typeof logsRecord> = async (
  { follow, lines, postgres },
  { inspectConfig, output, signal },
) => {
  const home = homeAt(inspectConfig().home);
  const path = postgres ? postgresLogFile(home.postgresFolder) : home.serverLog;
  const print = (line: string) => output.item(postgres ? { line } : parsed(line), postgres ? line : readable(line));
  let offset: number;
  try {
    const tail = await lastLines(path, lines);
    for (const line of tail.lines) print(line);
    offset = tail.end;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new DevflowError("not_found", {
      details: { what: `A log (${path})`, next: "Start the server: devflow up -d" },
    });
  }
  let rest = "";
  while (follow && !signal.aborted) {
    const size = (await stat(path)).size;
    // The file was rotated: start with the new one.
    if (size < offset) offset = 0;
    if (size > offset) {
      const text = rest + (await readFrom(path, offset, size));
      offset = size;
      const complete = text.split("\n");
      rest = complete.pop() ?? "";
      for (const line of complete) print(line);
    }
    await systemClock.sleep(150, signal).catch(() => undefined);
  }
};

async function lastLines(path: string, count: number): Promise<{ lines: string[]; end: number }> {
  const end = (await stat(path)).size;
  let start = end;
  let text = "";
  while (start > 0 && text.split("\n").length <= count + 1) {
    start = Math.max(0, start - blockBytes);
    text = await readFrom(path, start, end);
  }
  const lines = text.split("\n").filter((line) => line !== "");
  return { lines: lines.slice(-count), end };
}

async function readFrom(path: string, start: number, end: number): Promise<string> {
  const file = await open(path, "r");
  try {
    const bytes = Buffer.alloc(end - start);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    return bytes.subarray(0, bytesRead).toString("utf8");
  } finally {
    await file.close();
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return { line };
  }
}

/** `12:03:04 info  server  server started  port=4780`. */
export function readable(line: string): string {
  const entry = parsed(line) as Record<string, unknown>;
  if (typeof entry.msg !== "string") return line;
  const { time, level, module, msg, ...rest } = entry;
  const details = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return [String(time).slice(11, 19), String(level).padEnd(5), module, msg, ...details].join("  ");
}
