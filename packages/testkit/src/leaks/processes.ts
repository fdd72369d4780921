/**
 * Processes that a test file left behind: those that carry its mark in their environment (Linux shows it), wherever they
 * hang in the process tree, and those that descend from this process, whatever environment they were given.
 *
 * - `leftProcesses(tag)` what lives now.
 */
import { type LiveProcess, liveProcesses, withDescendants } from "@devflow/core/process-table";
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
