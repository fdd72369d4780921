/**
 * What comes next in a phase of lanes, and what a lane does because of its parent. Pure.
 *
 * - `laneStep(snapshot, phase)` the next step of the parent: lanes that ended are taken, lanes that may begin begin, then
 *   what is finished is merged and tested, one after the other. A question to a person stops merging, and nothing else.
 * - `kinStep(snapshot)` the step of a lane whose parent was paused, resumed or ended; undefined if nothing follows.
 */
import { isTerminalRun } from "@devflow/core/enums";
import { defaultMostLanes, nextToStart } from "@devflow/harness/lanes";
import { budgetFault, interruptShare } from "../engine/budget.ts";
import { isOpen, type PhaseRow, type TaskRow } from "../engine/rows.ts";
import type { Snapshot } from "../engine/snapshot.ts";

type LaneAct = "start_lane" | "take_lane" | "ask_about_lane" | "merge_lane" | "apply_merge" | "test_merge";

export type LaneStep =
  | { readonly kind: "plan_lanes" }
  | { readonly kind: "settle_lanes" }
  | { readonly kind: "over_budget" }
  | { readonly kind: "wait_for_lanes" }
  | { readonly kind: "wait_for_person" }
  | { readonly kind: LaneAct; readonly task: string };

export function laneStep(snapshot: Snapshot, phase: PhaseRow): LaneStep {
  const tasks = snapshot.tasks.filter((one) => one.phase_id === phase.id);
  if (tasks.length === 0) return { kind: "plan_lanes" };
  const act = (kind: LaneAct, task: TaskRow): LaneStep => ({ kind, task: task.task_id });
  const closed = tasks.find((one) => one.state === "working" && one.lane?.closed !== false);
  if (closed) return act("take_lane", closed);
  if (budgetFault(snapshot)) return { kind: "over_budget" };
  const asked = snapshot.approvals.find((one) => one.phase_id === phase.id && isOpen(one.state));
  // Until a person has said which tasks may go side by side, none begins.
  if (asked?.gate_key === "parallel_dag_approved") return { kind: "wait_for_person" };
  const [first] = nextToStart(tasks.map(scheduled), mostLanes(snapshot, phase));
  if (first) return act("start_lane", first.row);
  const inState = (state: TaskRow["state"]) => tasks.find((one) => one.state === state);
  const half = inState("merging");
  if (half) return act("apply_merge", half);
  if (asked) return { kind: "wait_for_person" };
  const next = nextToSettle(tasks);
  if (next) return act(next.kind, next.task);
  const isOver = tasks.every((one) => one.state === "done" || one.state === "dropped");
  return isOver ? { kind: "settle_lanes" } : { kind: "wait_for_lanes" };
}

function nextToSettle(tasks: readonly TaskRow[]): { readonly kind: LaneAct; readonly task: TaskRow } | undefined {
  const merged = tasks.find((one) => one.state === "merged");
  if (merged) return { kind: "test_merge", task: merged };
  const failed = tasks.find((one) => one.state === "failed");
  if (failed) return { kind: "ask_about_lane", task: failed };
  // As they completed.
  const [finished] = tasks
    .filter((one) => one.state === "finished")
    .toSorted((a, b) => (a.merge_order ?? 0) - (b.merge_order ?? 0));
  return finished && { kind: "merge_lane", task: finished };
}

const scheduled = (row: TaskRow) => ({
  row,
  id: row.task_id,
  dependsOn: row.depends_on,
  isDone: row.state === "done",
  isDropped: row.state === "dropped",
  isWorking: row.state === "working",
  isWaiting: row.state === "waiting",
});

function mostLanes({ template }: Snapshot, { phase_key: key }: PhaseRow): number {
  return template.phases.find((one) => one.key === key)?.lanes?.most ?? defaultMostLanes;
}

export type KinStep =
  | { readonly kind: "abort_lane" }
  | { readonly kind: "pause_lane"; readonly cause: string; readonly hard: boolean }
  | { readonly kind: "resume_lane"; readonly cause: string };

export function kinStep(snapshot: Snapshot): KinStep | undefined {
  const { run, parent } = snapshot;
  if (!parent || isTerminalRun(run.state)) return undefined;
  if (isTerminalRun(parent.state)) return { kind: "abort_lane" };
  // Bindings are locked first: a run without them has nothing that could pause.
  if (run.state === "created") return undefined;
  const cause = run.pause_cause ?? "";
  const isParentPaused = parent.state === "paused";
  if (run.state === "paused") {
    const isFree =
      (cause.startsWith("parent:") && !isParentPaused) ||
      (cause.startsWith("budget:") && !isParentPaused && !budgetFault(snapshot));
    return isFree ? { kind: "resume_lane", cause: `${cause}:over` } : undefined;
  }
  if (isParentPaused)
    return { kind: "pause_lane", cause: `parent:${parent.paused_seq ?? 0}`, hard: parent.paused_hard };
  // The pot is the parent's, and so is the question; its agents stop when the pot is overdrawn.
  if (budgetFault(snapshot, interruptShare))
    return { kind: "pause_lane", cause: `budget:${parent.budget_grants}`, hard: true };
  return undefined;
}
