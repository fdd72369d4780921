/**
 * The states of a task of a run with lanes.
 *
 * - `waiting`: no lane works on it: it has not begun, or has to begin again.
 * - `working`: its lane, a run of its own, is not closed yet.
 * - `finished`: the lane completed; its branch is not merged.
 * - `merging`: the merge is a commit that the parent's branch does not have yet. It is lost with the machine that made it, and
 *   then made again.
 * - `merged`: the parent's branch has it; its tests have not passed.
 * - `done`: the tasks that depend on it may begin. A lane that changed nothing is done at once.
 * - `failed`: the lane did not complete; a person is asked.
 * - `dropped`: a person gave it up, or a task that it depends on.
 *
 * Only `moveTask` changes the state.
 */
import type { TaskState } from "../engine/rows.ts";

export const taskTriggers = [
  "started",
  "completed",
  "lane_failed",
  "merge_made",
  "merge_applied",
  "merge_lost",
  "merged_by_hand",
  "nothing_changed",
  "tests_passed",
  "again",
  "dropped",
] as const;
export type TaskTrigger = (typeof taskTriggers)[number];

export const taskTransitions: Readonly<Record<TaskState, Readonly<Partial<Record<TaskTrigger, TaskState>>>>> = {
  waiting: { started: "working", dropped: "dropped" },
  working: { completed: "finished", lane_failed: "failed" },
  finished: {
    merge_made: "merging",
    merged_by_hand: "merged",
    nothing_changed: "done",
    again: "waiting",
    dropped: "dropped",
  },
  merging: { merge_applied: "merged", merge_lost: "finished" },
  merged: { tests_passed: "done" },
  done: {},
  failed: { again: "waiting", dropped: "dropped" },
  dropped: {},
};

/** Undefined: the trigger is illegal in this state. */
export const nextTaskState = (state: TaskState, trigger: TaskTrigger): TaskState | undefined =>
  taskTransitions[state][trigger];
