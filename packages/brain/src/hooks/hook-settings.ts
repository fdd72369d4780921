/**
 * What a repository's `.devflow.json` says about hooks: `"hooks": false` turns all of them off,
 * `"hooks": {"off": ["digest"], "ignore": ["generated/**"], "wip": true}` some of what they do, or some files, and shares work in
 * progress.
 *
 * - `hookSettings(content)` from the parsed file; what is wrong in it turns nothing off and is told by `doctor`.
 * - `hookParts` what can be turned off by name.
 */
import { matchesGlob } from "node:path";

export const hookParts = ["digest", "intents", "decisions", "edits", "reads", "precheck", "handoffs"] as const;
export type HookPart = (typeof hookParts)[number];

export interface HookSettings {
  does(part: HookPart): boolean;
  /** Whether edits and reads of this file are left out. */
  ignores(path: string): boolean;
  /** Whether work in progress is pushed for teammates' prechecks. */
  readonly sharesWip: boolean;
  /** What is wrong with the settings, in words. */
  readonly faults: readonly string[];
}

export function hookSettings(content: unknown): HookSettings {
  const given = (content as { hooks?: unknown } | null | undefined)?.hooks;
  if (given === undefined || given === true) return settings({});
  if (given === false) return settings({ off: hookParts, ignore: ["**"] });
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return settings({ faults: ["hooks: expected true, false or an object with off, ignore and wip"] });
  }
  const { off, ignore, wip, ...others } = given as Record<string, unknown>;
  const faults: string[] = Object.keys(others).map((name) => `hooks.${name}: there is no such setting`);
  const parts = words(off, "hooks.off", faults);
  for (const part of parts) {
    if (!isPart(part)) faults.push(`hooks.off: there is no ${part}; there are ${hookParts.join(", ")}`);
  }
  if (wip !== undefined && typeof wip !== "boolean") faults.push("hooks.wip: expected true or false");
  const ignored = words(ignore, "hooks.ignore", faults);
  return settings({ off: parts.filter(isPart), ignore: ignored, wip: wip === true, faults });
}

interface Given {
  readonly off?: readonly HookPart[];
  readonly ignore?: readonly string[];
  readonly wip?: boolean;
  readonly faults?: readonly string[];
}

function settings({ off = [], ignore = [], wip = false, faults = [] }: Given): HookSettings {
  return {
    sharesWip: wip,
    does: (part) => !off.includes(part),
    ignores: (path) => ignore.some((pattern) => path === pattern || matchesGlob(path, pattern)),
    faults,
  };
}

const isPart = (word: string): word is HookPart => (hookParts as readonly string[]).includes(word);

function words(value: unknown, name: string, faults: string[]): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  faults.push(`${name}: expected a list of texts`);
  return [];
}
