/**
 * Gives back the disk of runs that have ended.
 *
 * - `pruneRuns(context, reader, request, actor)` removes their worktrees and the files attached to them; uncommitted work keeps
 *   a worktree. With `branches` it also removes branches that the base branch contains; others stay, because they are the runs' results. A dry run only tells.
 */
import { stat } from "node:fs/promises";
import { terminalRunStates } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { branchIsMerged, removeMergedBranch } from "@devflow/harness";
import type { PrunedRun } from "@devflow/protocol";
import { attachmentBytes, removeAttachments } from "../attachments/remove-attachments.ts";
import type { EngineContext } from "../engine/context.ts";
import type { Actor } from "../events/actor.ts";
import { type Reader, visibleRun } from "../views/index.ts";
import { cleanUpRun } from "./clean-up-run.ts";
import { folderSize } from "./folder-size.ts";

export interface PruneRequest {
  readonly olderThanDays: number;
  readonly branches: boolean;
  readonly dryRun: boolean;
}

type Row = Pick<PrunedRun, "id" | "title" | "state" | "endedAt" | "worktree" | "branch"> & {
  readonly repository: string;
  readonly baseBranch: string;
  readonly folder: string;
};

const dayMs = 86_400_000;

export async function pruneRuns(
  context: EngineContext,
  reader: Reader,
  request: PruneRequest,
  actor: Actor,
): Promise<PrunedRun[]> {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
  const before = new Date(context.clock.now() - request.olderThanDays * dayMs);
  const rows = await reader.database.withClaims(
    reader.claims,
    (tx) => tx<Row[]>`
      select id, title, state, app.iso(ended_at) as "endedAt", worktree_root as worktree, branch, repo_path as repository,
        base_branch as "baseBranch", folder
      from app.runs
      where host = ${context.host} and state in (select jsonb_array_elements_text(${tx.json([...terminalRunStates])}))
        and final_report_path is not null and ended_at <= ${before}
        and not exists (select from app.runs w where w.id = runs.parent_run_id and w.final_report_path is null)
      order by ended_at, id`,
  );
  const pruned: PrunedRun[] = [];
  for (const row of rows) {
    const one = await pruneOne(context, reader, row, request, actor);
    if (one) pruned.push(one);
  }
  return pruned;
}

/** Undefined when there is nothing left of the run to remove. */
async function pruneOne(
  context: EngineContext,
  reader: Reader,
  { repository, baseBranch, folder, ...row }: Row,
  { branches, dryRun }: PruneRequest,
  actor: Actor,
): Promise<PrunedRun | undefined> {
  const isThere = (await stat(row.worktree).catch(() => undefined)) !== undefined;
  const branch = { repository, branch: row.branch, into: baseBranch, env: context.env };
  // Without its repository nothing can be said about the branch.
  const isMerged = (await branchIsMerged(branch).catch(() => undefined)) ?? null;
  const attached = await attachmentBytes(context, row.id);
  if (!isThere && attached === 0 && !(branches && isMerged === true)) return undefined;
  const bytes = isThere ? await folderSize(row.worktree) : 0;
  let kept: string | null = null;
  let branchRemoved = false;
  if (!dryRun) {
    if (attached > 0) await removeAttachments(context, { id: row.id, folder });
    if (isThere) kept = await removed(context, reader, row.id, actor);
    branchRemoved = kept === null && branches && (await removeMergedBranch(branch).catch(() => false));
  }
  return { ...row, bytes, attachmentBytes: attached, isMerged, kept, branchRemoved };
}

/** Why it could not be removed. */
async function removed(context: EngineContext, reader: Reader, id: string, actor: Actor): Promise<string | null> {
  try {
    await cleanUpRun(context, await visibleRun(reader, id), { force: false }, actor);
    return null;
  } catch (error) {
    if (error instanceof DevflowError) return error.message;
    throw error;
  }
}
