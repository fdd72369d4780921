/** How many runs of a team are in which state, in few groups. */
import type { RunCounts, RunSummary } from "@devflow/protocol";
import type { RunGroup } from "./run-filter.ts";
import type { Tone } from "./run-words.ts";

export interface RunCount {
  readonly name: string;
  readonly count: number;
  readonly tone: Tone;
  /** The filter of the list that shows them. */
  readonly state: RunGroup;
}

const groups: readonly (Omit<RunCount, "count"> & { readonly states: readonly RunSummary["state"][] })[] = [
  { name: "At a gate", tone: "warn", state: "awaiting_approval", states: ["awaiting_approval"] },
  { name: "At work", tone: "busy", state: "open", states: ["created", "bound", "planning", "executing"] },
  { name: "Paused", tone: "warn", state: "paused", states: ["paused"] },
  { name: "Completed", tone: "good", state: "completed", states: ["completed"] },
  { name: "Failed", tone: "bad", state: "failed", states: ["failed"] },
  { name: "Aborted", tone: "calm", state: "aborted", states: ["aborted"] },
];

export const runCounts = (counts: RunCounts["counts"]): RunCount[] =>
  groups.map(({ states, ...group }) => ({
    ...group,
    count: states.reduce((sum, state) => sum + (counts[state] ?? 0), 0),
  }));
