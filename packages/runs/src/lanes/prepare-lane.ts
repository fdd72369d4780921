/**
 * Makes the worktree and the folder of a lane ready: the parent's artifacts as files to read, and, for a lane that brings
 * earlier work onto a newer state, that work with the conflicts marked. Repeated after a crash it does the same again; nobody
 * works in the lane before it has succeeded.
 */
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { git } from "@devflow/git";
import { previewMerge } from "@devflow/harness";
import { artifactFolder } from "../artifacts/index.ts";
import type { DriverContext } from "../engine/context.ts";
import { type RunRow, startCommit } from "../engine/rows.ts";

/** Where a lane finds what its parent's agents wrote. */
export const parentFolder = (folder: string): string => join(artifactFolder(folder), "parent");

export async function prepareLane(context: DriverContext, run: RunRow): Promise<void> {
  await writeParentArtifacts(context, run);
  if (run.rebase_of !== null) await layOut(context, run, run.rebase_of);
}

async function writeParentArtifacts({ database }: DriverContext, run: RunRow): Promise<void> {
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
async function layOut({ env, stopping: signal }: DriverContext, run: RunRow, work: string): Promise<void> {
  const { tree } = await previewMerge({
    ...{ repository: run.repo_path, ours: startCommit(run), theirs: work },
    ...{ env, signal },
  });
  await git(["restore", "--worktree", `--source=${tree}`], { cwd: run.worktree_root, env, signal, paths: ["."] });
}
