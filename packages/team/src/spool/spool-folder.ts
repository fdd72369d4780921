/**
 * The folders of the spool, and the names of its files.
 *
 * - `new/` waits to be sent · `cur/` a drain has it in hand · `wait/` the server cannot take it yet · `dead/` the server refused it
 *   · `sent/<day>/` the server has it; kept for 14 days, so that it can be sent again after a restore.
 * - A name is `<order>-<id>`: sorted, the files of one process are in the order in which it wrote them. Beside a file in `wait/` and
 *   `dead/` stands `<name>.why`.
 */
import { join } from "node:path";
import { uuidv7 } from "@devflow/core/ids";

export interface SpoolFolder {
  readonly root: string;
  readonly new: string;
  readonly cur: string;
  readonly wait: string;
  readonly dead: string;
  readonly sent: string;
  /** Held by the one drainer. */
  readonly lock: string;
  /** What the last drains did, for `sync status`. */
  readonly state: string;
}

/** `home` is `~/.devflow`. */
export function spoolFolder(home: string): SpoolFolder {
  const root = join(home, "spool");
  return {
    root,
    new: join(root, "new"),
    cur: join(root, "cur"),
    wait: join(root, "wait"),
    dead: join(root, "dead"),
    sent: join(root, "sent"),
    lock: join(root, "drain.lock"),
    state: join(root, "state.json"),
  };
}

export function newFileName(id: string, nowMs: number): string {
  return `${uuidv7(nowMs).replaceAll("-", "")}-${id}`;
}

const namePattern = /^([0-9a-f]{12})[0-9a-f]{20}-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Undefined for any other file: a temporary one, a reason, something of a person's. */
export function readFileName(name: string): { readonly id: string; readonly writtenMs: number } | undefined {
  const match = namePattern.exec(name);
  return match?.[1] && match[2] ? { id: match[2], writtenMs: Number.parseInt(match[1], 16) } : undefined;
}

export const reasonFile = (name: string): string => `${name}.why`;
