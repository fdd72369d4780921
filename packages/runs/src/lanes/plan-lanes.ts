/** The tasks of a phase of lanes, from the artifact that cut the work. Tasks that could meet in a file lead to a question. */
import { DevflowError } from "@devflow/core/errors";
import { git } from "@devflow/git";
import { type LaneTask, tasksIn, type WriteSetConflict, writeSetConflicts } from "@devflow/harness/lanes";
import { changeAt, type DriverContext } from "../engine/context.ts";
import { definitionOf } from "../engine/next-step.ts";
import type { PhaseRow } from "../engine/rows.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { lastCommit } from "../engine/steps/commit-work.ts";
import { askAboutLanes } from "./lane-gates.ts";
import { insertTasks } from "./task-repository.ts";

export async function planLanes(context: DriverContext, snapshot: Snapshot, phase: PhaseRow): Promise<void> {
  const tasks = await tasksOf(context, snapshot, phase);
  const conflicts = writeSetConflicts(tasks, await filesOf(context, snapshot));
  await changeAt(context, snapshot, async (fact) => {
    await insertTasks(fact, phase, tasks);
    if (conflicts.length === 0) return;
    const pairs = conflicts.map((one) => ({ tasks: one.tasks }));
    await askAboutLanes(fact, phase, {
      gate: "parallel_dag_approved",
      subject: `${tasks.length}`,
      choices: ["serialise", "parallel"],
      reason: `${conflicts.length === 1 ? "two tasks" : `${conflicts.length} pairs of tasks`} could change the same files`,
      detail: conflicts.map(describe).join("\n"),
      payload: { pairs },
    });
  });
}

async function tasksOf(context: DriverContext, snapshot: Snapshot, phase: PhaseRow): Promise<LaneTask[]> {
  const from = definitionOf(snapshot, phase).lanes?.from;
  const source = snapshot.phases.find((one) => one.phase_key === from);
  const artifact = snapshot.artifacts.findLast((one) => one.phase_id === source?.id && one.valid);
  const [row] = await context.database.asEngine(
    (tx) => tx<{ content: string | null }[]>`select content from app.artifacts where id = ${artifact?.id ?? null}`,
  );
  if (row?.content) return tasksIn(JSON.parse(row.content));
  throw new DevflowError("internal_state_corruption", { details: { problem: `phase ${from} has no task graph` } });
}

async function filesOf({ database, env, stopping: signal }: DriverContext, { run }: Snapshot): Promise<string[]> {
  const revisions = [await lastCommit({ database }, run)];
  const words = { cwd: run.repo_path, env, signal, revisions };
  const { stdout } = await git(["ls-tree", "-r", "-z", "--name-only", "--full-tree"], words);
  return stdout.split("\0").filter(Boolean);
}

function describe({ tasks: [a, b], patterns: [ofA, ofB], file, single }: WriteSetConflict): string {
  const both = ofA === ofB ? ofA : `${ofA} and ${ofB}`;
  if (single) return `${a} and ${b}: ${both} (only one task at a time may change ${single})`;
  return `${a} and ${b}: ${both}${file && file !== both ? `, for example ${file}` : ""}`;
}
