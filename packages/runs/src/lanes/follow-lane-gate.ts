/**
 * What follows from a verdict on a question about lanes.
 *
 * - `followLaneGate(fact, approval, phase, answer)` in the transaction of the verdict; the driver does the rest.
 */
import { DevflowError } from "@devflow/core/errors";
import { dependentsOf, serialise } from "@devflow/harness/lanes";
import { z } from "zod";
import type { RunFact } from "../engine/fact.ts";
import { definitionOf } from "../engine/next-step.ts";
import type { ApprovalRow, PhaseRow, TaskRow } from "../engine/rows.ts";
import { loadSnapshot, type Snapshot } from "../engine/snapshot.ts";
import { phasesBetween } from "../engine/steps/phase-steps.ts";
import { type HandMerge, recordHandMerge } from "./hand-merge.ts";
import type { LaneChoice } from "./lane-gates.ts";
import { moveTask, orderTasks, removeTasks, widenTask, writeTask } from "./task-repository.ts";

export interface LaneAnswer {
  readonly choice: LaneChoice;
  readonly comment: string | undefined;
  /** A request for changes instead of an approval. */
  readonly wantsChanges: boolean;
  readonly byHand: HandMerge | undefined;
}

const Subject = z.object({
  lane: z.string().optional(),
  paths: z.array(z.string()).default([]),
  pairs: z.unknown().optional(),
});
const Pairs = z.array(z.object({ tasks: z.tuple([z.string(), z.string()]) }));

/** The phase that does the work again, if one does. */
export async function followLaneGate(
  fact: RunFact,
  approval: ApprovalRow,
  phase: PhaseRow,
  { choice, comment, wantsChanges, byHand }: LaneAnswer,
): Promise<PhaseRow | undefined> {
  const snapshot = await loadSnapshot(fact.tx, fact.run.id);
  if (!snapshot) throw new Error(`run ${fact.run.id} is gone`);
  const { lane, paths, pairs } = Subject.parse(approval.payload);
  const cause = `approval:${approval.id}:${approval.epoch}`;
  if (lane === undefined) {
    if (wantsChanges) return await cutAgain(fact, snapshot, phase, comment ?? "", cause);
    if (choice === "serialise") await orderTasks(fact, serialise(ordered(snapshot), Pairs.parse(pairs)));
  } else {
    const task = snapshot.tasks.find((one) => one.task_id === lane);
    if (!task) throw new Error(`task ${lane} is gone`);
    if (wantsChanges) refuseWithoutLane(choice);
    // A person's words are for the lane's agent, whatever else was chosen.
    await settleTask(fact, snapshot, phase, task, {
      choice: wantsChanges ? changing(choice) : choice,
      ...{ comment, paths, byHand },
    });
  }
  // Its lanes hold the slots.
  fact.moveRun("gate_passed_to_work", { queued: false }, { cause });
  return undefined;
}

/** What a request for changes means where several things would be a change. */
const changing = (choice: LaneChoice): LaneChoice => (choice === "rebase" ? "rebase" : "again");

/** After a merge no agent works on the task any more. */
function refuseWithoutLane(choice: LaneChoice): void {
  if (choice !== "retest") return;
  const problem = "The lane is merged: nobody works on its task who could change something.";
  const next = "Approve with --choice retest or --choice continue; the phases after the lanes can repair it.";
  throw new DevflowError("input_invalid", { details: { problem, next } });
}

const ordered = ({ tasks }: Snapshot) => tasks.map((one) => ({ id: one.task_id, dependsOn: one.depends_on }));

interface Settled {
  readonly choice: LaneChoice;
  readonly comment: string | undefined;
  readonly paths: readonly string[];
  readonly byHand: HandMerge | undefined;
}

async function settleTask(
  fact: RunFact,
  snapshot: Snapshot,
  phase: PhaseRow,
  task: TaskRow,
  { choice, comment, paths, byHand }: Settled,
): Promise<void> {
  const again = { comment: comment ?? null, reason: null, merge_order: null };
  switch (choice) {
    case "widen":
      return await widenTask(fact, task, paths);
    case "again":
      return await moveTask(fact, task, "again", { ...again, rebase_of: null });
    case "rebase":
      return await moveTask(fact, task, "again", { ...again, rebase_of: task.head });
    case "drop":
      return await dropTasks(fact, snapshot, task, comment);
    case "retest":
      return await writeTask(fact, task, { test_runs: task.test_runs + 1 });
    case "continue":
      return await moveTask(fact, task, "tests_passed", { reason: "its tests fail; a person let the run go on" });
    case "by_hand": {
      // The machine that has the worktree looks for the merge before it tries its own.
      return byHand && (await recordHandMerge(fact, phase, task, byHand));
    }
    default:
      throw new Error(`${choice} is no answer about a lane`);
  }
}

async function dropTasks(fact: RunFact, snapshot: Snapshot, task: TaskRow, comment: string | undefined): Promise<void> {
  await moveTask(fact, task, "dropped", { reason: comment ?? task.reason ?? "a person left it out" });
  for (const id of dependentsOf(ordered(snapshot), task.task_id)) {
    const other = snapshot.tasks.find((one) => one.task_id === id && one.state === "waiting");
    if (other) await moveTask(fact, other, "dropped", { reason: `it depends on ${task.task_id}` });
  }
}

/** Nothing has begun: the work is cut into tasks again, with what the person says. */
async function cutAgain(
  fact: RunFact,
  snapshot: Snapshot,
  phase: PhaseRow,
  comment: string,
  cause: string,
): Promise<PhaseRow> {
  const from = definitionOf(snapshot, phase).lanes?.from;
  const target = snapshot.phases.find((one) => one.phase_key === from);
  if (!target) throw new Error(`phase ${from} is gone`);
  await removeTasks(fact, phase);
  for (const one of phasesBetween(snapshot, target, phase)) {
    const fields = { reason: null, ended_at: null, active_since: null, comment: one.id === target.id ? comment : null };
    await fact.movePhase(one, "again", fields);
  }
  fact.moveRun("changes_requested_in_planning", {}, { cause });
  return target;
}
