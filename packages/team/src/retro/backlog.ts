/**
 * What a repository's list of things to do says.
 *
 * - `readBacklog(root)` open and done entries of the first of TODOS.md, TODO.md, BACKLOG.md and ROADMAP.md that is there.
 * - `backlogOf(text)` boxes where there are any, else entries of lists; a heading such as "Done" or "Completed" closes what follows it.
 */

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";

export interface Backlog {
  readonly file: string;
  readonly open: number;
  readonly done: number;
}

const files = ["TODOS.md", "TODO.md", "BACKLOG.md", "ROADMAP.md"];
const mostBytes = 1024 * 1024;

export async function readBacklog(root: string): Promise<Backlog | undefined> {
  for (const file of files) {
    const text = await readOwnFile(join(root, file));
    if (text !== undefined) return { file, ...backlogOf(text) };
  }
  return undefined;
}

export function backlogOf(text: string): { open: number; done: number } {
  const boxes = [...text.matchAll(/^\s*[-*+] \[([ xX])\] /gm)].map(([, sign]) => sign);
  if (boxes.length > 0) {
    const left = boxes.filter((sign) => sign === " ").length;
    return { open: left, done: boxes.length - left };
  }
  let isDone = false;
  const found = { open: 0, done: 0 };
  for (const line of text.split("\n")) {
    if (/^#{1,6}\s/.test(line)) isDone = /\b(?:done|completed|shipped|finished)\b/i.test(line);
    else if (/^[-*+]\s+\S|^\d+[.)]\s+\S/.test(line)) found[isDone ? "done" : "open"] += 1;
  }
  return found;
}

/** A repository is untrusted: no link out of it is followed, and no device is read. */
async function readOwnFile(path: string): Promise<string | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (!handle) return undefined;
  try {
    const found = await handle.stat();
    return found.isFile() && found.size <= mostBytes ? await handle.readFile("utf8") : undefined;
  } finally {
    await handle.close();
  }
}
