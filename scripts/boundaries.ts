/**
 * `bun scripts/boundaries.ts`: fails when a part of the project imports what it must not, or when it finds no files.
 *
 * - `checkBoundaries(root)` the errors, one line each.
 * - `checkExports(root)` unused exports of entry points, one line each.
 */
import { join } from "node:path";
import { deadExports } from "./boundaries/dead-exports.ts";
import { findFaults } from "./boundaries/rules.ts";
import { readSourceTree } from "./boundaries/source-tree.ts";

export function checkBoundaries(root: string): string[] {
  return findFaults(readSourceTree(root));
}

export function checkExports(root: string): string[] {
  return deadExports(readSourceTree(root));
}

if (import.meta.main) {
  const faults = checkBoundaries(join(import.meta.dir, ".."));
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
