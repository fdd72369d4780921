/**
 * A repository that runs share between machines: the remote, and one mirror of it on each machine.
 *
 * - `mirrorPath(workspaceRoot, repoKey)` where a machine keeps its mirror.
 * - `ensureMirror(context, run)` creates or updates it, until it has the commits that the run needs.
 * - `workRef(run, epoch)` and `pushWork(context, run, commit)`: a work phase counts once its commit is on the remote, under
 *   the epoch that made it. Nobody reads the ref of another epoch than the one that was recorded.
 *
 * Credentials are the machine's own, through git's helpers of its user; none travel.
 */
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { hashBytes } from "@devflow/core/hash";
import { type GitOptions, git } from "@devflow/git";
import type { DriverContext, EngineContext } from "../engine/context.ts";
import type { RunRow } from "../engine/rows.ts";

/** The remote is what the person's own repository names; everything else of it stays off. */
const transport = { protocols: ["https", "http", "ssh", "file"], credentials: "user" } as const;

export const mirrorPath = (workspaceRoot: string, repoKey: string): string =>
  join(workspaceRoot, "mirrors", hashBytes(repoKey).slice(0, 24));

const workRef = (run: Pick<RunRow, "id" | "lane_id">, epoch: number): string =>
  `refs/devflow/runs/${run.id}/${run.lane_id}/${epoch}`;

type Place = Pick<GitOptions, "env" | "signal">;

export interface NeededCommits {
  readonly remote: string;
  readonly mirror: string;
  readonly baseBranch: string;
  readonly commits: readonly string[];
  /** Refs to fetch besides the branches. */
  readonly refs: readonly string[];
}

export async function ensureMirror(need: NeededCommits, place: Place): Promise<void> {
  const { remote, mirror, commits, refs } = need;
  if (!existsSync(mirror)) await makeMirror(remote, mirror, place);
  const at = { ...place, cwd: mirror };
  if (await hasAll(commits, at)) return;
  await fetch(remote, ["+refs/heads/*:refs/remotes/origin/*", ...refs.map((ref) => `+${ref}:${ref}`)], at);
  if (await hasAll(commits, at)) return;
  throw new DevflowError("repository_lacks_commit", {
    details: { remote, commit: commits[0]?.slice(0, 12) ?? "", branch: need.baseBranch },
  });
}

/** In a folder of its own, renamed when it is complete: a killed clone leaves nothing that looks like a mirror. */
async function makeMirror(remote: string, mirror: string, place: Place): Promise<void> {
  await mkdir(dirname(mirror), { recursive: true, mode: 0o700 });
  const unfinished = `${mirror}.${process.pid}.part`;
  await rm(unfinished, { recursive: true, force: true });
  // Without a checkout, and not bare: Devflow's git refuses bare repositories, which could be planted in any folder.
  await git(["init", "--quiet", "--template=", "--initial-branch=mirror"], {
    ...place,
    cwd: dirname(mirror),
    paths: [unfinished],
  });
  await fetch(remote, ["+refs/heads/*:refs/remotes/origin/*"], { ...place, cwd: unfinished });
  if (!existsSync(mirror)) await rename(unfinished, mirror);
  else await rm(unfinished, { recursive: true, force: true });
}

async function fetch(remote: string, refs: readonly string[], at: Place & { cwd: string }): Promise<void> {
  try {
    await git(["fetch", "--quiet", "--no-tags", "--no-recurse-submodules"], {
      ...at,
      ...transport,
      revisions: [remote, ...refs],
    });
  } catch (error) {
    if (!(error instanceof DevflowError) || error.code !== "git_failed") throw error;
    throw new DevflowError("repository_unreachable", {
      details: { remote, reason: String(error.details.reason) },
      cause: error,
    });
  }
}

async function hasAll(commits: readonly string[], at: Place & { cwd: string }): Promise<boolean> {
  for (const commit of commits) {
    const { exit } = await git(["cat-file", "-e"], { ...at, revisions: [`${commit}^{commit}`], answers: [1, 128] });
    if (exit !== 0) return false;
  }
  return true;
}

/** Undefined for a run whose repository is a folder of its machine. */
export async function pushWork(
  context: DriverContext,
  run: RunRow,
  commit: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (run.remote === null) return undefined;
  const ref = workRef(run, context.epoch);
  await pushRef(run.remote, `${commit}:${ref}`, { cwd: run.worktree_root, env: context.env, signal });
  faultPoint("after_work_pushed");
  return ref;
}

export async function pushRef(remote: string, refspec: string, at: Place & { cwd: string }): Promise<void> {
  try {
    await git(["push", "--quiet", "--no-follow-tags", "--no-signed", "--receive-pack=git-receive-pack"], {
      ...at,
      ...transport,
      revisions: [remote, refspec],
    });
  } catch (error) {
    if (!(error instanceof DevflowError) || error.code !== "git_failed") throw error;
    const next = "Check it: devflow fleet check";
    throw new DevflowError("push_failed", {
      details: { branch: refspec, url: remote, reason: String(error.details.reason), next },
      cause: error,
    });
  }
}

/** Makes the run's mirror complete, with its branch where the run recorded it last. */
export async function ensureRunMirror(
  { database, env }: EngineContext,
  run: Pick<RunRow, "id" | "remote" | "repo_path" | "base_branch" | "base_commit" | "branch">,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (run.remote === null) return;
  const [last] = await database.asEngine(
    (tx) => tx<{ commit: string; ref: string | null }[]>`
      select payload ->> 'commit' as commit, payload ->> 'ref' as ref from app.run_events
      where run_id = ${run.id} and type = 'commit.created' order by seq desc limit 1`,
  );
  const place = { env, ...(signal ? { signal } : {}) };
  await ensureMirror(
    {
      remote: run.remote,
      mirror: run.repo_path,
      baseBranch: run.base_branch,
      commits: [run.base_commit, ...(last ? [last.commit] : [])],
      refs: last?.ref ? [last.ref] : [],
    },
    place,
  );
  if (!last) return;
  const at = { ...place, cwd: run.repo_path };
  const head = await git(["rev-parse", "--verify", "--quiet"], {
    ...at,
    revisions: [`refs/heads/${run.branch}`],
    answers: [1, 128],
  });
  if (head.exit !== 0) await git(["update-ref"], { ...at, revisions: [`refs/heads/${run.branch}`, last.commit] });
}
