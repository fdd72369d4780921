/**
 * Processes that a test file left behind: those with its mark in their environment (visible on Linux), anywhere in the
 * process tree, and descendants of this process, whatever their environment.
 *
 * - `leftProcesses(tag)` the living ones.
 */
import { type LiveProcess, liveProcesses } from "@devflow/core/process-table";
import { testTagVariable } from "../test-tag.ts";

export interface LivingProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

export function leftProcesses(tag: string): LivingProcess[] {
  const mark = `${testTagVariable}=${tag}`;
  const living = liveProcesses();
  const ours = withDescendants(living, [process.pid]);
  const isTagged = ({ variables }: LiveProcess) => variables.some((one) => one === mark || one.startsWith(`${mark}/`));
  return living
    .filter((one) => one.pid !== process.pid && (ours.has(one.pid) || isTagged(one)))
    .map(({ pid, parent, argv, name }) => ({ pid, parent, command: argv.join(" ").trim() || name }));
}

/** The pids of the roots and of all that they started, directly or not. */
function withDescendants(
  processes: readonly Pick<LiveProcess, "pid" | "parent">[],
  roots: Iterable<number>,
): Set<number> {
  const found = new Set(roots);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent } of processes) if (found.has(parent)) found.add(pid);
  }
  return found;
}
