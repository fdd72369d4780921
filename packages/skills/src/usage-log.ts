/**
 * Which skills were used on this machine, in one local file that never leaves it.
 *
 * - `logSkillUse(file, use)` appends a line.
 * - `usageCounts(file)` how often each was used and when last.
 */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

export interface SkillUse {
  readonly at: string;
  readonly skill: string;
  readonly repository?: string;
}

export function logSkillUse(file: string, use: SkillUse): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  appendFileSync(file, `${JSON.stringify(use)}\n`, { mode: 0o600 });
}

export function usageCounts(file: string): ReadonlyMap<string, { readonly times: number; readonly last: string }> {
  const counts = new Map<string, { times: number; last: string }>();
  for (const line of readOrEmpty(file).split("\n")) {
    const use = parseUse(line);
    if (use) counts.set(use.skill, { times: (counts.get(use.skill)?.times ?? 0) + 1, last: use.at });
  }
  return counts;
}

/** A line that a crash cut short is ignored. */
function parseUse(line: string): SkillUse | undefined {
  try {
    const { at, skill } = JSON.parse(line) as Partial<SkillUse>;
    return typeof at === "string" && typeof skill === "string" ? { at, skill } : undefined;
  } catch {
    return undefined;
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
