/**
 * The repository's tests after the merge of a lane. They pass before every merge or a person let the run go on, so a test that
 * fails now fails because of this merge, and the question says so.
 */
import { uuidv5 } from "@devflow/core/ids";
import { readRepositorySettings } from "@devflow/harness";
import { changeAt, type DriverContext } from "../engine/context.ts";
import type { CommandRow, PhaseRow, TaskRow } from "../engine/rows.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { performCommand } from "../engine/steps/perform-command.ts";
import { askAboutLanes } from "./lane-gates.ts";
import { moveTask } from "./task-repository.ts";

export async function testMerge(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  task: TaskRow,
  woken: AbortSignal,
): Promise<void> {
  const { run } = snapshot;
  const { env, stopping } = context;
  const settings = await readRepositorySettings({
    repository: run.repo_path,
    commit: run.base_commit,
    env,
    signal: stopping,
  });
  for (const [index, argv] of settings.test.entries()) {
    const id = uuidv5(run.id, `merge-test:${task.task_id}:${task.tries}:${task.test_runs}:${index}`);
    const known = snapshot.commands.find((one) => one.id === id);
    const done = known?.ended_at
      ? known
      : await performCommand(context, snapshot, { id, kind: "test", argv, phase }, woken);
    if (done.exit_code !== 0) return await askAboutRed(context, snapshot, phase, task, done);
  }
  await changeAt(context, snapshot, (fact) => moveTask(fact, task, "tests_passed"));
}

async function askAboutRed(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  task: TaskRow,
  failed: CommandRow,
): Promise<void> {
  const command = `\`${failed.argv.join(" ")}\``;
  const [log] = await context.database.asEngine(
    (tx) => tx<{ tail: string | null }[]>`select tail from app.commands where id = ${failed.id}`,
  );
  await changeAt(context, snapshot, (fact) =>
    askAboutLanes(fact, phase, {
      gate: "merge_tests_failed",
      subject: `${task.task_id}:${task.tries}:${task.test_runs}`,
      choices: ["retest", "continue"],
      reason: `${command} ended with ${failed.exit_code ?? failed.failure} since the merge of the lane ${task.task_id} (${task.merge_commit?.slice(0, 10)})`,
      detail: (log?.tail ?? "").slice(-4_000),
      payload: { lane: task.task_id, commit: task.merge_commit },
    }),
  );
}
