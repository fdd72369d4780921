/**
 * Files that an agent reads and writes through Devflow. Only the worktree and the session's own folders can be reached,
 * whatever was permitted: an agent with reasons to go elsewhere has tools of its own, and those ask.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { ReadTextFileRequest, WriteTextFileRequest } from "@agentclientprotocol/sdk";
import { isInside } from "./inside-folders.ts";

export interface ClientFiles {
  read(asked: ReadTextFileRequest): Promise<string>;
  write(asked: WriteTextFileRequest): Promise<void>;
}

interface Reach {
  readonly readable: readonly string[];
  mayWrite(path: string): boolean;
}

export class OutOfReach extends Error {
  override readonly name = "OutOfReach";
}

export function clientFiles({ readable, mayWrite }: Reach): ClientFiles {
  return {
    async read({ path, line, limit }) {
      if (!isInside(path, readable)) throw new OutOfReach(`${path} is outside of the worktree`);
      const text = await readFile(path, "utf8");
      if (line == null && limit == null) return text;
      const from = Math.max(0, (line ?? 1) - 1);
      return text
        .split("\n")
        .slice(from, limit == null ? undefined : from + limit)
        .join("\n");
    },
    async write({ path, content }) {
      if (!mayWrite(path)) throw new OutOfReach(`${path} may not be written by this session`);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    },
  };
}
