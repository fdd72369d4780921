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
  const stopped = untilRunStops(context, run, woken);
  try {
    for (const [index, argv] of settings.test.entries()) {
      const id = uuidv5(run.id, `merge-test:${task.task_id}:${task.tries}:${task.test_runs}:${index}`);
      const known = snapshot.commands.find((one) => one.id === id);
      const done = known?.ended_at
        ? known
        : await performCommand(context, snapshot, { id, kind: "test", argv, phase }, stopped.signal);
      if (done.exit_code !== 0) return await askAboutRed(context, snapshot, phase, task, done);
    }
  } finally {
    stopped.release();
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

const lookEveryMs = 1_000;

/**
 * Aborts when the driver stops, or when the run was paused or ended. A lane that ends wakes its parent too; that must not begin
 * the tests again.
 */
function untilRunStops({ database, stopping }: DriverContext, run: Snapshot["run"], woken: AbortSignal) {
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async (): Promise<void> => {
    const [row] = await database
      .asEngine((tx) => tx<{ state: string }[]>`select state from app.runs where id = ${run.id}`)
      .catch(() => [{ state: run.state }]);
    if (row?.state !== run.state) ended.abort("the run changed");
    else if (!ended.signal.aborted) timer = setTimeout(() => void look(), lookEveryMs);
  };
  const begin = () => void look();
  if (woken.aborted) begin();
  else woken.addEventListener("abort", begin, { once: true });
  return {
    signal: AbortSignal.any([stopping, ended.signal]),
    release() {
      woken.removeEventListener("abort", begin);
      ended.abort("done");
      clearTimeout(timer);
    },
  };
}
