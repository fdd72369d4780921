/**
 * What a run changed: its worktree against its base commit, or its branch when the worktree was cleaned up. Secrets are
 * redacted line by line; the files and the commits themselves are not changed.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { git } from "@devflow/git";
import { diffAgainst } from "@devflow/harness";
import type { RunDiff } from "@devflow/protocol";
import { redactSecrets } from "@devflow/redact";
import type { EngineContext } from "../engine/context.ts";
import { lentFiles } from "../engine/lent-files.ts";
import { knownSecrets } from "../engine/run-secrets.ts";
import type { VisibleRun } from "../views/index.ts";

const maxBytes = 2 * 1024 * 1024;

export async function runDiff(context: Pick<EngineContext, "env">, run: VisibleRun): Promise<RunDiff> {
  const diff = await wholeDiff(context, run);
  const { repository: repo_path, baseCommit: base_commit, worktree: worktree_root } = run;
  const known = await knownSecrets(context, { repo_path, base_commit, worktree_root });
  return { ...diff, text: redactSecrets(diff.text, { known, keepLines: true }).text };
}

async function wholeDiff({ env }: Pick<EngineContext, "env">, run: VisibleRun): Promise<RunDiff> {
  const { worktree, baseCommit, repository, branch } = run;
  const about = { base: baseCommit, branch };
  const isThere = await stat(join(worktree, ".git")).catch(() => undefined);
  if (!isThere) return { ...about, ...(await branchDiff(run, env)) };
  const withheld = await lentFiles({ repository, baseCommit }, { env });
  const found = await diffAgainst({ worktree, baseCommit, maxBytes, withheld, env });
  return {
    ...about,
    text: found.diff,
    isCut: found.truncated,
    files: found.files.map(({ path, added, removed, isBinary }) => ({
      path,
      insertions: isBinary ? null : added,
      deletions: isBinary ? null : removed,
      isBinary,
    })),
  };
}

async function branchDiff(
  { repository, baseCommit, branch }: VisibleRun,
  env: EngineContext["env"],
): Promise<Pick<RunDiff, "text" | "isCut" | "files">> {
  const place = { cwd: repository, env };
  const ref = `refs/heads/${branch}`;
  const known = await git(["rev-parse", "--verify", "--quiet"], { ...place, revisions: [ref], answers: [0, 1] });
  // A run that ended before its worktree was created has changed nothing.
  if (known.exit !== 0) return { text: "", isCut: false, files: [] };
  const numbers = await git(["diff", "--no-color", "--no-renames", "--numstat", "-z"], {
    ...place,
    revisions: [baseCommit, ref],
  });
  const withheld = await lentFiles({ repository, baseCommit }, { env });
  const files = numbers.stdout.split("\0").flatMap((line) => {
    const [, added = "", removed = "", path = ""] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(line) ?? [];
    if (path === "" || withheld.includes(path)) return [];
    const isBinary = added === "-";
    return [
      { path, insertions: isBinary ? null : Number(added), deletions: isBinary ? null : Number(removed), isBinary },
    ];
  });
  try {
    if (files.length === 0) return { text: "", isCut: false, files };
    // All files, unless one of them must stay hidden.
    const paths = withheld.length === 0 ? [] : files.map((file) => file.path);
    const words = { ...place, revisions: [baseCommit, ref], paths, maxOutput: maxBytes };
    const { stdout } = await git(["diff", "--no-color", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/"], words);
    return { text: stdout, isCut: false, files };
  } catch (error) {
    if (error instanceof DevflowError && /output exceeded the limit/.test(String(error.details.reason)))
      return { text: "", isCut: true, files };
    throw error;
  }
}
