/**
 * What a lane changed outside of its write set. Pure.
 *
 * - `outsideWriteSet(changes, writeSet)` each path with the reason. A rename counts as both of its names. A symbolic link
 *   counts as what it points to: whatever is written through it is written there.
 */
import { matchesPath, parsePattern, type WritePattern } from "./write-pattern.ts";

export interface LaneChange {
  /** Relative to the repository. */
  readonly path: string;
  /** Where a symbolic link points to; undefined for any other file, and for one that was removed. */
  readonly link: string | undefined;
}

export interface OutsideChange {
  readonly path: string;
  readonly reason:
    | "not in the write set"
    | "a link to a path that is not in the write set"
    | "a link out of the repository";
}

export function outsideWriteSet(changes: readonly LaneChange[], writeSet: readonly string[]): OutsideChange[] {
  const patterns = writeSet.flatMap((text): WritePattern[] => {
    const parsed = parsePattern(text);
    return parsed.ok ? [parsed.pattern] : [];
  });
  const isInside = (path: string): boolean => patterns.some((pattern) => matchesPath(pattern, path));
  return changes.flatMap(({ path, link }): OutsideChange[] => {
    if (!isInside(path)) return [{ path, reason: "not in the write set" }];
    if (link === undefined) return [];
    const target = targetOf(path, link);
    if (target === undefined) return [{ path, reason: "a link out of the repository" }];
    // A link to a folder: everything below it must be in the set.
    const isCovered = isInside(target) || isInside(`${target}/x`);
    return isCovered ? [] : [{ path, reason: "a link to a path that is not in the write set" }];
  });
}

/** The path that a link at `path` leads to; undefined when that is not in the repository. */
function targetOf(path: string, link: string): string | undefined {
  if (link.startsWith("/")) return undefined;
  const names = path.split("/").slice(0, -1);
  for (const name of link.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names.join("/");
}
