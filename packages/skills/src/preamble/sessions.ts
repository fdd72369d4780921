/**
 * How many agents use skills on this machine. Each has a file, touched whenever it starts a skill.
 *
 * - `countSessions(folder, agent, nowMs)` marks this agent and counts the live ones that used a skill in the last two
 *   hours; other files are removed.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isSameProcess, type ProcessProof } from "@devflow/core/process-proof";

const freshMs = 2 * 60 * 60 * 1000;

export function countSessions(folder: string, agent: ProcessProof | undefined, nowMs: number): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (agent) {
    const own = join(folder, String(agent.pid));
    writeFileSync(own, agent.identity, { mode: 0o600 });
    utimesSync(own, nowMs / 1000, nowMs / 1000);
  }
  let count = 0;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (isLive(path, name, nowMs)) count += 1;
    else rmSync(path, { force: true });
  }
  // The caller counts even when its agent process was not found.
  return Math.max(1, count);
}

function isLive(path: string, name: string, nowMs: number): boolean {
  try {
    const isFresh = nowMs - statSync(path).mtimeMs <= freshMs;
    return isFresh && isSameProcess({ pid: Number(name), identity: readFileSync(path, "utf8") });
  } catch {
    return false;
  }
}
