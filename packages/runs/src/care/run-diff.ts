/**
 * What a run changed: its worktree against its base commit, or its branch when the worktree was cleaned up. Secrets are
 * redacted line by line; the files and the commits themselves are not changed.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { git } from "@devflow/git";
import { diffAgainst } from "@devflow/harness";
import type { RunDiff } from "@devflow/protocol";
import { redactSecrets } from "@devflow/redact";
import type { EngineContext } from "../engine/context.ts";
import { lentFiles } from "../engine/lent-files.ts";
import { knownSecrets } from "../engine/run-secrets.ts";
import type { VisibleRun } from "../views/index.ts";

const maxBytes = 2 * 1024 * 1024;

/** Where a run's work is. */
export type RunPlace = Pick<VisibleRun, "repository" | "worktree" | "branch" | "baseCommit" | "diffBase">;

export async function runDiff(context: Pick<EngineContext, "env">, run: RunPlace): Promise<RunDiff> {
  const diff = await wholeDiff(context, run);
  const { repository: repo_path, baseCommit: base_commit, worktree: worktree_root } = run;
  const known = await knownSecrets(context, { repo_path, base_commit, worktree_root });
  return { ...diff, text: redactSecrets(diff.text, { known, keepLines: true }).text };
}

async function wholeDiff({ env }: Pick<EngineContext, "env">, run: RunPlace): Promise<RunDiff> {
  const { baseCommit, diffBase, repository, branch } = run;
  const about = { base: diffBase, branch };
  const place = await workOf(run, env);
  // A run that ended before its worktree was created has changed nothing.
  if (!place) return { ...about, text: "", isCut: false, files: [] };
  const withheld = await lentFiles({ repository, baseCommit }, { env });
  const found = await diffAgainst({ ...place, baseCommit: diffBase, maxBytes, withheld, env });
  return {
    ...about,
    text: found.diff,
    isCut: found.truncated,
    files: found.files.map(({ path, from = null, change, added, removed, isBinary, isShown }) => ({
      path,
      from,
      change,
      insertions: isBinary ? null : added,
      deletions: isBinary ? null : removed,
      isBinary,
      isShown,
    })),
  };
}

/** Its worktree while there is one, then its branch. */
export async function workOf(
  { worktree, repository, branch }: RunPlace,
  env: EngineContext["env"],
): Promise<{ readonly worktree: string; readonly tip?: string } | undefined> {
  if (await stat(join(worktree, ".git")).catch(() => undefined)) return { worktree };
  const tip = `refs/heads/${branch}`;
  const known = await git(["rev-parse", "--verify", "--quiet"], {
    cwd: repository,
    env,
    revisions: [tip],
    answers: [0, 1],
  });
  return known.exit === 0 ? { worktree: repository, tip } : undefined;
}
