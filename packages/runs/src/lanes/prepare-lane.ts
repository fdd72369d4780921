/**
 * Makes the worktree and the folder of a lane ready: the parent's artifacts as files to read, and, for a lane that brings
 * earlier work onto a newer state, that work with the conflicts marked, unless the lane has committed something already. Repeated
 * after a crash it does the same again; nobody works in the lane before it has succeeded.
 */
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { git } from "@devflow/git";
import { previewMerge } from "@devflow/harness";
import { artifactFolder } from "../artifacts/index.ts";
import type { EngineContext } from "../engine/context.ts";
import { type RunRow, startCommit } from "../engine/rows.ts";
import { lastCommit } from "../engine/steps/commit-work.ts";

/** Where a lane finds what its parent's agents wrote. */
export const parentFolder = (folder: string): string => join(artifactFolder(folder), "parent");

export async function prepareLane(context: EngineContext, run: RunRow, signal: AbortSignal | undefined): Promise<void> {
  await writeParentArtifacts(context, run);
  if (run.rebase_of !== null && (await lastCommit(context, run)) === startCommit(run))
    await layOut(context, run, run.rebase_of, signal);
}

async function writeParentArtifacts({ database }: EngineContext, run: RunRow): Promise<void> {
  const files = await database.asEngine(
    (tx) => tx<{ path: string; content: string }[]>`
      select distinct on (path) path, content from app.artifacts
      where run_id = ${run.parent_run_id} and valid and content is not null order by path, attempt desc`,
  );
  const folder = parentFolder(run.folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const { path, content } of files) await writeFileAtomic(join(folder, basename(path)), content);
}

/** The files of the merge, in the folder and not in the index: the agent resolves what conflicts, Devflow commits. */
async function layOut({ env }: EngineContext, run: RunRow, work: string, signal?: AbortSignal): Promise<void> {
  const place = { env, ...(signal ? { signal } : {}) };
  const { tree } = await previewMerge({ repository: run.repo_path, ours: startCommit(run), theirs: work, ...place });
  await git(["restore", "--worktree", `--source=${tree}`], { cwd: run.worktree_root, ...place, paths: ["."] });
}
