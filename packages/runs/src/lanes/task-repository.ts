/**
 * The rows of tasks: the only module that writes `app.run_tasks`.
 *
 * - `insertTasks` the tasks of a phase. `removeTasks` all of them, before the work is cut again.
 * - `moveTask` changes a task's state: asserts the transition and writes the row.
 * - `orderTasks` writes dependencies that a person added. `widenTask` adds to a write set.
 */
import type { LaneTask } from "@devflow/harness/lanes";
import { redactSecrets } from "@devflow/redact";
import { illegalTransition, type RunFact } from "../engine/fact.ts";
import type { PhaseRow, TaskRow } from "../engine/rows.ts";
import { nextTaskState, type TaskTrigger } from "./task-machine.ts";

export async function insertTasks(fact: RunFact, phase: PhaseRow, tasks: readonly LaneTask[]): Promise<void> {
  const { tx, run, now } = fact;
  const rows = tasks.map((task, index) => ({
    run_id: run.id,
    team_id: run.team_id,
    phase_id: phase.id,
    task_id: task.id,
    seq: index + 1,
    title: task.title,
    instructions: task.instructions,
    depends_on: tx.json(task.dependsOn),
    write_set: tx.json(task.writeSet),
    tests: tx.json(task.tests),
    state: "waiting",
    updated_at: now,
  }));
  await tx`insert into app.run_tasks ${tx(rows as never)} on conflict do nothing`;
  fact.touch();
}

export async function removeTasks({ tx, run }: RunFact, phase: Pick<PhaseRow, "id">): Promise<void> {
  await tx`delete from app.run_tasks where run_id = ${run.id} and phase_id = ${phase.id}`;
}

export interface TaskFields {
  readonly tries?: number;
  readonly lane_run_id?: string;
  readonly head?: string | null;
  readonly merge_base?: string | null;
  readonly merge_commit?: string | null;
  readonly merge_order?: number | null;
  readonly test_runs?: number;
  readonly reason?: string | null;
  readonly comment?: string | null;
  readonly rebase_of?: string | null;
}

type Moved = Pick<TaskRow, "task_id" | "state">;

export async function moveTask(
  fact: RunFact,
  task: Moved,
  trigger: TaskTrigger,
  fields: TaskFields = {},
): Promise<void> {
  const next = nextTaskState(task.state, trigger);
  if (!next) throw illegalTransition(`Task ${task.task_id}`, task.state, trigger);
  await write(fact, task, { ...fields, state: next });
}

/** Fields that do not affect the state. */
export const writeTask = (fact: RunFact, task: Moved, fields: TaskFields): Promise<void> => write(fact, task, fields);

async function write(fact: RunFact, task: Moved, fields: TaskFields & { state?: string }): Promise<void> {
  const { tx, run, now } = fact;
  const { reason, comment } = fields;
  const changed = {
    ...fields,
    ...(reason == null ? {} : { reason: redactSecrets(reason).text }),
    ...(comment == null ? {} : { comment: redactSecrets(comment).text }),
    updated_at: now,
  };
  const rows = await tx`
    update app.run_tasks set ${tx(changed)}
    where run_id = ${run.id} and task_id = ${task.task_id} and state = ${task.state} returning task_id`;
  if (rows.length === 0) throw illegalTransition(`Task ${task.task_id}`, "changed by someone else", "written");
  fact.touch();
}

export async function orderTasks(
  { tx, run }: RunFact,
  tasks: readonly { readonly id: string; readonly dependsOn: readonly string[] }[],
): Promise<void> {
  for (const { id, dependsOn } of tasks)
    await tx`
      update app.run_tasks set depends_on = ${tx.json(dependsOn)} where run_id = ${run.id} and task_id = ${id}`;
}

export async function widenTask({ tx, run }: RunFact, task: TaskRow, paths: readonly string[]): Promise<void> {
  const wider = [...new Set([...task.write_set, ...paths])];
  await tx`
    update app.run_tasks set write_set = ${tx.json(wider)} where run_id = ${run.id} and task_id = ${task.task_id}`;
}
