/**
 * A lane that a person merged in the worktree of the run.
 *
 * - `readHandMerge(context, run, task)` the merge as it is there now, or what is missing of it.
 * - `requireHandMerge(context, runId, approval)` the same for a verdict, before the run is locked; undefined when the run pushes its
 *   work: then its own machine looks, and asks again if there is no merge.
 * - `isSaidToBeMerged(snapshot, task)` a person has said so, and nobody has looked yet.
 * - `recordHandMerge(fact, phase, task, merge, ref)`.
 */
import { DevflowError } from "@devflow/core/errors";
import { git, repositoryStatus } from "@devflow/git";
import type { EngineContext } from "../engine/context.ts";
import type { RunFact } from "../engine/fact.ts";
import { lentFiles } from "../engine/lent-files.ts";
import type { ApprovalRow, PhaseRow, RunRow, TaskRow } from "../engine/rows.ts";
import { loadSnapshot, type Snapshot } from "../engine/snapshot.ts";
import { lastCommit } from "../engine/steps/commit-work.ts";
import { eventKey } from "../events/event-types.ts";
import { moveTask } from "./task-repository.ts";

export interface HandMerge {
  readonly before: string;
  readonly commit: string;
}

type Context = Pick<EngineContext, "database" | "env">;

export async function readHandMerge(
  { database, env }: Context,
  run: RunRow,
  task: TaskRow,
): Promise<HandMerge | { readonly problem: string }> {
  const cwd = run.worktree_root;
  const before = await lastCommit({ database }, run);
  const { branch, changes } = await repositoryStatus({ cwd, env });
  const commit = (await git(["rev-parse", "--verify", "HEAD"], { cwd, env })).stdout.trim();
  const holds = async (ancestor: string) =>
    (await git(["merge-base", "--is-ancestor", ancestor, commit], { cwd, env, answers: [1] })).exit === 0;
  const withheld = await lentFiles({ repository: run.repo_path, baseCommit: run.base_commit }, { env });
  const left = changes.filter(({ path }) => !withheld.includes(path));
  if (branch !== run.branch) return { problem: `The worktree ${cwd} is not on ${run.branch}.` };
  if (left.length > 0) return { problem: `The worktree ${cwd} has work that is not committed: ${left[0]?.path}.` };
  if ((await holds(task.head ?? "")) && (await holds(before))) return { before, commit };
  return { problem: `The branch ${run.branch} does not contain the lane ${task.task_id} yet.` };
}

export async function requireHandMerge(
  context: Context,
  runId: string,
  { payload }: ApprovalRow,
): Promise<HandMerge | undefined> {
  const snapshot = await context.database.asEngine((tx) => loadSnapshot(tx, runId));
  const task = snapshot?.tasks.find((one) => one.task_id === payload.lane);
  if (!snapshot || !task?.head) throw new Error(`run ${runId} has no lane ${String(payload.lane)}`);
  if (snapshot.run.remote !== null) return undefined;
  const found = await readHandMerge(context, snapshot.run, task);
  if (!("problem" in found)) return found;
  const next = `Merge it and commit: ${handMergeCommand(snapshot.run, task)}`;
  throw new DevflowError("conflict", { details: { problem: found.problem, next } });
}

/** The lane's branch may be on another machine; its commit is in the repository of the run. */
export const handMergeCommand = (run: RunRow, task: TaskRow): string =>
  `git -C ${run.worktree_root} merge --no-ff ${run.remote === null ? (task.lane?.branch ?? task.head) : task.head}`;

export const isSaidToBeMerged = ({ approvals }: Snapshot, { task_id: lane, tries }: TaskRow): boolean =>
  approvals
    .filter(
      ({ gate_key: gate, payload }) => gate === "merge_conflict" && payload.lane === lane && payload.try === tries,
    )
    .at(-1)?.payload.choice === "by_hand";

export async function recordHandMerge(
  fact: RunFact,
  phase: PhaseRow,
  task: TaskRow,
  { before, commit }: HandMerge,
  ref?: string,
): Promise<void> {
  fact.emit({
    type: "merge.completed",
    key: eventKey.lane("merge.completed", phase.id, task.task_id, task.tries),
    phaseId: phase.id,
    payload: {
      ...{ lane: task.task_id, try: task.tries, order: task.merge_order, before, commit, byHand: true },
      ...(ref ? { ref } : {}),
    },
  });
  await moveTask(fact, task, "merged_by_hand", { merge_base: before, merge_commit: commit });
}
