import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";

/** A reader sees the old or the new content, also after a kill. */
export function writeFileSyncAtomic(path: string, content: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  const file = openSync(temporary, "w", 0o600);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}
