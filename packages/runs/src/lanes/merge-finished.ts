/**
 * Merges a finished lane into the branch of its run, in steps that each survive a crash: what it changed is compared with its
 * write set, the merge is made as a commit and recorded, and only then the branch and the worktree move to it. What does not
 * fit becomes a question. The branch that the run was started from is never touched.
 */
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { laneChanges, type MergeConflict, makeMerge, moveTo, previewMerge, requireUntouched } from "@devflow/harness";
import { type OutsideChange, outsideWriteSet } from "@devflow/harness/lanes";
import { changeAt, type DriverContext } from "../engine/context.ts";
import { lentFiles } from "../engine/lent-files.ts";
import type { PhaseRow, RunRow, TaskRow } from "../engine/rows.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { chainTrailer, engineIdentity, lastCommit } from "../engine/steps/commit-work.ts";
import { askRecovery } from "../engine/steps/phase-steps.ts";
import { eventKey } from "../events/event-types.ts";
import { ensureCommits, hasCommit } from "../fleet/remote-repository.ts";
import { keepDiff } from "../fleet/run-files.ts";
import { pushWork } from "../fleet/work-refs.ts";
import { handMergeCommand, isSaidToBeMerged, readHandMerge, recordHandMerge } from "./hand-merge.ts";
import { askAboutLanes, type LaneChoice } from "./lane-gates.ts";
import { moveTask } from "./task-repository.ts";

export async function mergeFinished(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  task: TaskRow,
): Promise<void> {
  const { run } = snapshot;
  const { env, stopping: signal } = context;
  const [base, head] = [task.lane?.base ?? "", task.head ?? ""];
  await ensureCommits(context, run, [base, head], signal);
  const byHand = isSaidToBeMerged(snapshot, task) ? await readHandMerge(context, run, task) : undefined;
  if (byHand && !("problem" in byHand)) {
    const ref = await pushWork(context, run, byHand.commit, signal);
    await keepDiff(context, run);
    return await changeAt(context, snapshot, (fact) => recordHandMerge(fact, phase, task, byHand, ref));
  }
  const changes = await laneChanges({ repository: run.repo_path, base, head, env, signal });
  if (changes.length === 0)
    return await changeAt(context, snapshot, (fact) =>
      moveTask(fact, task, "nothing_changed", { reason: "it changed nothing" }),
    );
  const outside = outsideWriteSet(changes, task.write_set);
  if (outside.length > 0) return await askOutside(context, snapshot, phase, task, outside);
  const ours = await lastCommit(context, run);
  const preview = await previewMerge({ repository: run.repo_path, ours, theirs: head, env, signal });
  if (preview.conflicts.length > 0)
    return await askConflict(context, snapshot, phase, task, preview.conflicts, byHand?.problem);
  const place = await placeOf(context, run, ours, head);
  const left = await requireUntouched({ ...place, changes: changes.map((one) => one.path) }).catch(refusal);
  if (left !== undefined) {
    // Somebody worked there. The lane is merged when the person has seen to it.
    await changeAt(context, snapshot, (fact) =>
      askRecovery(fact, phase, "worktree_changed", left, { subject: String(fact.run.event_seq) }),
    );
    return;
  }
  const merge = await makeMerge({
    ...{ repository: run.repo_path, tree: preview.tree, ours, theirs: head, env, signal },
    message: `Merge lane ${task.task_id}: ${task.title}`,
    trailers: {
      ...{ "Devflow-Run": run.id, "Devflow-Phase": phase.phase_key, "Devflow-Lane": task.task_id },
      ...{ "Devflow-Try": String(task.tries), [chainTrailer]: run.chain_head },
    },
    identity: engineIdentity,
  });
  await changeAt(context, snapshot, (fact) =>
    moveTask(fact, task, "merge_made", { merge_base: ours, merge_commit: merge }),
  );
  faultPoint("after_merge_made");
}

function refusal(error: unknown): string {
  if (error instanceof DevflowError && error.code === "conflict") return error.message;
  throw error;
}

export async function applyMerge(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  task: TaskRow,
): Promise<void> {
  const { run } = snapshot;
  const commit = task.merge_commit ?? "";
  if (!(await hasCommit(commit, { cwd: run.repo_path, env: context.env, signal: context.stopping }))) {
    // It was made on a machine that is lost, which had not pushed it.
    return await changeAt(context, snapshot, (fact) =>
      moveTask(fact, task, "merge_lost", { merge_base: null, merge_commit: null }),
    );
  }
  await moveTo(await placeOf(context, run, task.merge_base ?? "", commit));
  faultPoint("after_merge_applied");
  // Lanes on other machines begin with it, and a machine that is lost after this has lost nothing.
  const ref = await pushWork(context, run, commit, context.stopping);
  await keepDiff(context, run);
  await changeAt(context, snapshot, async (fact) => {
    fact.emit({
      type: "merge.completed",
      key: eventKey.lane("merge.completed", phase.id, task.task_id, task.tries),
      phaseId: phase.id,
      payload: {
        ...{ lane: task.task_id, try: task.tries, order: task.merge_order, before: task.merge_base, commit },
        ...(ref ? { ref } : {}),
      },
    });
    await moveTask(fact, task, "merge_applied");
  });
}

async function placeOf({ env, stopping: signal }: DriverContext, run: RunRow, from: string, to: string) {
  const withheld = await lentFiles({ repository: run.repo_path, baseCommit: run.base_commit }, { env, signal });
  return { worktree: run.worktree_root, branch: run.branch, from, to, withheld, env, signal };
}

async function askOutside(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  task: TaskRow,
  outside: readonly OutsideChange[],
): Promise<void> {
  const lines = outside.map(({ path, reason }) => {
    const owner = ownerOf(snapshot, task, path);
    return { text: `${path}: ${reason}${owner ? `; it belongs to the lane ${owner}` : ""}`, path, owner, reason };
  });
  const mayWiden = lines.every((one) => one.owner === undefined && one.reason === "not in the write set");
  const choices: [LaneChoice, ...LaneChoice[]] = mayWiden ? ["widen", "again", "drop"] : ["again", "drop"];
  await changeAt(context, snapshot, (fact) =>
    askAboutLanes(fact, phase, {
      gate: "writeset_conflict",
      subject: `${task.task_id}:${task.tries}`,
      choices,
      reason: `the lane ${task.task_id} changed ${lines.length === 1 ? "a file" : `${lines.length} files`} outside of its write set`,
      detail: lines.map((one) => one.text).join("\n"),
      payload: { lane: task.task_id, paths: lines.map((one) => one.path) },
    }),
  );
}

/** Another task that may write this file, unless it was given up. */
function ownerOf({ tasks }: Snapshot, { task_id: own }: TaskRow, path: string): string | undefined {
  const owner = tasks.find(
    (one) =>
      one.task_id !== own &&
      one.state !== "dropped" &&
      outsideWriteSet([{ path, link: undefined }], one.write_set).length === 0,
  );
  return owner?.task_id;
}

async function askConflict(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  task: TaskRow,
  conflicts: readonly MergeConflict[],
  /** Why it does not count as merged by hand. */
  missing?: string,
): Promise<void> {
  const { run } = snapshot;
  const paths = conflicts.map((one) => one.path);
  const where = run.remote === null ? "" : ` on the machine ${run.host}`;
  const detail = [
    ...(missing === undefined ? [] : [missing]),
    ...conflicts.map(({ path, hunks, reason }) =>
      [`${path}: ${reason || "conflict"}`, hunks].filter(Boolean).join("\n"),
    ),
    `To merge it by hand, merge it${where} and commit, then choose by_hand:`,
    `  ${handMergeCommand(run, task)}`,
  ].join("\n\n");
  await changeAt(context, snapshot, async (fact) => {
    fact.emit({
      type: "merge.conflicted",
      key: eventKey.lane("merge.conflicted", phase.id, task.task_id, task.tries),
      phaseId: phase.id,
      payload: { lane: task.task_id, try: task.tries, commit: task.head, paths },
    });
    await askAboutLanes(fact, phase, {
      gate: "merge_conflict",
      // It may be asked again, when the merge that a person spoke of is not there.
      subject: `${task.task_id}:${task.tries}${missing === undefined ? "" : `:${fact.run.event_seq}`}`,
      choices: ["rebase", "again", "by_hand", "drop"],
      reason: `the lane ${task.task_id} conflicts with what is merged: ${paths.slice(0, 3).join(", ")}${paths.length > 3 ? ` and ${paths.length - 3} more` : ""}`,
      detail,
      payload: { lane: task.task_id, try: task.tries, paths },
    });
  });
}
