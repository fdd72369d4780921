/**
 * A repository that runs share between machines: the remote, and one mirror of it on each machine.
 *
 * - `mirrorPath(workspaceRoot, repoKey)` where a machine keeps its mirror.
 * - `ensureMirror(need, place)` creates or updates it, until it has the commits that are needed. `ensureRunMirror` for a run that
 *   begins or arrives, `ensureCommits` for commits that other machines made.
 *
 * Credentials are the machine's own, through git's helpers of its user; none travel.
 */
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import { type GitOptions, git } from "@devflow/git";
import type { EngineContext } from "../engine/context.ts";
import { type RunRow, startCommit } from "../engine/rows.ts";

/** The remote is what the person's own repository names; everything else of it stays off. */
export const transport = { protocols: ["https", "http", "ssh", "file"], credentials: "user" } as const;

export const mirrorPath = (workspaceRoot: string, repoKey: string): string =>
  join(workspaceRoot, "mirrors", hashBytes(repoKey).slice(0, 24));

export type Place = Pick<GitOptions, "env" | "signal">;

export interface NeededCommits {
  readonly remote: string;
  readonly mirror: string;
  readonly baseBranch: string;
  readonly commits: readonly string[];
  /** Refs to fetch besides the branches. */
  readonly refs: readonly string[];
}

/** Runs of one machine share the mirror, and two fetches at once fail on each other's locks. Only one process uses it. */
const updating = new Map<string, Promise<unknown>>();

export async function ensureMirror(need: NeededCommits, place: Place): Promise<void> {
  const before = updating.get(need.mirror) ?? Promise.resolve();
  const mine = before.then(() => updateMirror(need, place));
  const settled = mine.catch(() => undefined);
  updating.set(need.mirror, settled);
  try {
    await mine;
  } finally {
    if (updating.get(need.mirror) === settled) updating.delete(need.mirror);
  }
}

async function updateMirror(need: NeededCommits, place: Place): Promise<void> {
  const { remote, mirror, commits, refs } = need;
  if (!existsSync(mirror)) await makeMirror(remote, mirror, place);
  const at = { ...place, cwd: mirror };
  if ((await firstMissing(commits, at)) === undefined) return;
  await fetch(remote, ["+refs/heads/*:refs/remotes/origin/*", ...refs.map((ref) => `+${ref}:${ref}`)], at);
  const missing = await firstMissing(commits, at);
  if (missing === undefined) return;
  throw new DevflowError("repository_lacks_commit", {
    details: { remote, commit: missing.slice(0, 12), branch: need.baseBranch },
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

async function firstMissing(commits: readonly string[], at: Place & { cwd: string }): Promise<string | undefined> {
  for (const commit of commits) if (!(await hasCommit(commit, at))) return commit;
  return undefined;
}

export async function hasCommit(commit: string, at: Place & { cwd: string }): Promise<boolean> {
  const { exit } = await git(["cat-file", "-e"], { ...at, revisions: [`${commit}^{commit}`], answers: [1, 128] });
  return exit === 0;
}

/** Makes the run's mirror complete, with its branch where the run recorded it last. */
export async function ensureRunMirror(
  context: EngineContext,
  run: RunRow,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (run.remote === null) return;
  const last = await lastRecorded(context, run);
  await ensureCommits(context, run, [startCommit(run), run.rebase_of, last], signal);
  if (last === undefined) return;
  const at = { env: context.env, ...(signal ? { signal } : {}), cwd: run.repo_path };
  const head = await git(["rev-parse", "--verify", "--quiet"], {
    ...at,
    revisions: [`refs/heads/${run.branch}`],
    answers: [1, 128],
  });
  if (head.exit !== 0) await git(["update-ref"], { ...at, revisions: [`refs/heads/${run.branch}`, last] });
}

/**
 * Commits of the run, its parent or its lanes, wherever they were made: each was pushed before it was recorded, and its event
 * names the ref. Nothing is done for a run whose repository is a folder of its machine: everything is in there.
 */
export async function ensureCommits(
  { database, env }: Pick<EngineContext, "database" | "env">,
  run: RunRow,
  wanted: readonly (string | null | undefined)[],
  signal: AbortSignal | undefined,
): Promise<void> {
  if (run.remote === null) return;
  const commits = [...new Set([run.base_commit, ...wanted.filter((one) => typeof one === "string")])];
  const refs = await database.asEngine(
    (tx) => tx<{ ref: string }[]>`
      select distinct e.payload ->> 'ref' as ref from app.run_events e join app.runs r on r.id = e.run_id
      where r.root_run_id = ${run.root_run_id} and e.type in ('commit.created', 'merge.completed') and e.payload ? 'ref'
        and e.payload ->> 'commit' in (select jsonb_array_elements_text(${tx.json(commits)}))`,
  );
  const { remote, repo_path: mirror, base_branch: baseBranch } = run;
  await ensureMirror(
    { remote, mirror, baseBranch, commits, refs: refs.map(({ ref }) => ref) },
    { env, ...(signal ? { signal } : {}) },
  );
}

async function lastRecorded(
  { database }: Pick<EngineContext, "database">,
  { id }: RunRow,
): Promise<string | undefined> {
  const [row] = await database.asEngine(
    (tx) => tx<{ commit: string }[]>`
      select payload ->> 'commit' as commit from app.run_events
      where run_id = ${id} and type in ('commit.created', 'merge.completed') order by seq desc limit 1`,
  );
  return row?.commit;
}
