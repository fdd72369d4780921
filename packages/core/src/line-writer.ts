/**
 * Writes log lines to a file descriptor and never fails its caller. A program must not stop working because its log is on
 * a full disk.
 *
 * - `lineWriter(fd, write?)` each line is written at once. A line that cannot be written is dropped and counted; the next
 *   one that can be written is preceded by a line that says how many are missing.
 */
import { writeSync } from "node:fs";

export interface LineWriter {
  write(line: string): void;
}

/** Returns how many bytes were written, which may be fewer than given. */
type WriteBytes = (fd: number, bytes: Uint8Array) => number;

/** A pipe whose reader is slow refuses for a moment. */
const mostTries = 20;
const pauseMs = 5;

export function lineWriter(fd: number, write: WriteBytes = writeSync): LineWriter {
  let lost = 0;
  let isCut = false;

  /** True when every byte was written. A full disk may take half a line, which the next one must not continue. */
  const put = (text: string): boolean => {
    let rest: Uint8Array = Buffer.from(isCut ? `\n${text}` : text);
    for (let tries = 0; rest.length > 0; ) {
      try {
        const written = write(fd, rest);
        if (written > 0) isCut = true;
        rest = rest.subarray(written);
      } catch (error) {
        if ((error as { code?: string }).code !== "EAGAIN" || ++tries === mostTries) return false;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
      }
    }
    isCut = false;
    return true;
  };

  return {
    write(line) {
      if (lost > 0) {
        const gap = { level: "warn", time: new Date().toISOString(), lines: lost, msg: "log lines were lost" };
        if (put(`${JSON.stringify(gap)}\n`)) lost = 0;
      }
      if (lost > 0 || !put(line)) lost += 1;
    },
  };
}
