/**
 * Follows an agent's own record of its session: a file that grows by lines of JSON.
 *
 * - `followRecord` hands over each complete line after `offset`, in order, as soon as it is there. The file may appear
 *   later.
 * - `drain` reads what is there now; `offset` is the place after the last line that was handed over.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";

export interface FollowedRecord {
  readonly offset: number;
  drain(): Promise<void>;
  stop(): void;
}

interface FollowOptions {
  /** The file's path; undefined while there is none. */
  find(): Promise<string | undefined>;
  readonly offset: number;
  onLine(line: string): void;
}

const everyMs = 100;
const mostAtOnce = 4 * 1024 * 1024;

export function followRecord({ find, offset: from, onLine }: FollowOptions): FollowedRecord {
  let offset = from;
  let path: string | undefined;
  let work: Promise<void> = Promise.resolve();

  const read = async () => {
    path ??= await find();
    if (path === undefined) return;
    for (;;) {
      const fresh = readAfter(path, offset);
      if (fresh === undefined) {
        // An agent may move its records; the session has the same name in the new place.
        path = undefined;
        return;
      }
      const end = fresh.lastIndexOf(0x0a) + 1;
      if (end === 0) return;
      offset += end;
      for (const line of fresh.subarray(0, end).toString("utf8").split("\n").slice(0, -1)) onLine(line);
    }
  };
  const drain = (): Promise<void> => {
    work = work.then(read);
    return work;
  };
  const timer = setInterval(() => void drain(), everyMs);
  return {
    get offset() {
      return offset;
    },
    drain,
    stop: () => clearInterval(timer),
  };
}

/** More than one block only for a line that is longer than a block. */
function readAfter(path: string, offset: number): Buffer | undefined {
  if (!existsSync(path)) return undefined;
  const file = openSync(path, "r");
  try {
    const length = fstatSync(file).size - offset;
    if (length <= 0) return Buffer.alloc(0);
    const block = Buffer.alloc(Math.min(length, mostAtOnce));
    const some = block.subarray(0, readSync(file, block, 0, block.length, offset));
    if (some.includes(0x0a) || length <= mostAtOnce) return some;
    const whole = Buffer.alloc(length);
    return whole.subarray(0, readSync(file, whole, 0, length, offset));
  } finally {
    closeSync(file);
  }
}
