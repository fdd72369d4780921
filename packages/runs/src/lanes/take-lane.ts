/** A lane that ended, recorded in its parent's log with the head of its own chain and its last commit. */
import { changeAt, type DriverContext } from "../engine/context.ts";
import type { PhaseRow, TaskRow } from "../engine/rows.ts";
import { RunRow } from "../engine/rows.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { lastCommit } from "../engine/steps/commit-work.ts";
import { eventKey } from "../events/event-types.ts";
import { askAboutLanes } from "./lane-gates.ts";
import { moveTask } from "./task-repository.ts";

export async function takeLane(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  task: TaskRow,
): Promise<void> {
  const { lane } = task;
  const head = lane ? await headOf(context, task) : null;
  await changeAt(context, snapshot, async (fact) => {
    fact.emit({
      type: "lane.completed",
      key: eventKey.lane("lane.completed", phase.id, task.task_id, task.tries),
      phaseId: phase.id,
      payload: {
        ...{ lane: task.task_id, run: task.lane_run_id, try: task.tries, state: lane?.state ?? "gone" },
        ...{ head: lane?.chain_head ?? null, seq: lane?.event_seq ?? null, commit: head },
      },
    });
    if (lane?.state === "completed") {
      const order = Math.max(0, ...snapshot.tasks.map((one) => one.merge_order ?? 0)) + 1;
      return await moveTask(fact, task, "completed", { head, merge_order: order });
    }
    const reason = lane?.failure_reason ?? (lane ? `its run was ${lane.state}` : "its run is gone");
    await moveTask(fact, task, "lane_failed", { head, reason });
  });
}

async function headOf({ database }: DriverContext, { lane_run_id: id }: TaskRow): Promise<string> {
  const [row] = await database.asEngine((tx) => tx`select to_jsonb(r) as run from app.runs r where r.id = ${id}`);
  return await lastCommit({ database }, RunRow.parse(row?.run));
}

/** A lane can fail alone: the others go on while a person decides. */
export async function askAboutFailed(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  task: TaskRow,
): Promise<void> {
  await changeAt(context, snapshot, (fact) =>
    askAboutLanes(fact, phase, {
      gate: "lane_failed",
      subject: `${task.task_id}:${task.tries}`,
      choices: ["again", "drop"],
      reason: `the lane ${task.task_id} did not complete: ${task.reason ?? "it ended"}`,
      payload: { lane: task.task_id },
    }),
  );
}
