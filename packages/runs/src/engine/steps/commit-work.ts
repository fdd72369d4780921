/**
 * Commits what a work phase left in the worktree, as the run's commit.
 *
 * - `commitWork(context, snapshot, phase, artifact, signal)` the commit, or why there is no reliable one. Repeated after
 *   a crash it returns the existing commit.
 */
import { type GitOptions, git } from "@devflow/git";
import { commitAll } from "@devflow/harness";
import { Persona, personaId } from "../../personas/persona.ts";
import type { DriverContext } from "../context.ts";
import { lentFiles } from "../lent-files.ts";
import { type PhaseRow, type RunRow, startCommit } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";
import type { ReadArtifact } from "./settle-phase.ts";

/** The head of the event chain before the commit: it places the commit in the run's log. */
export const chainTrailer = "Devflow-Chain";

export interface CommittedWork {
  /** Absent if nothing changed and the agent reported that. */
  readonly commit?: string;
  readonly fault?: { readonly code: string; readonly reason: string };
}

export async function commitWork(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  artifact: ReadArtifact | undefined,
  signal: AbortSignal,
): Promise<CommittedWork> {
  const { run } = snapshot;
  const { env } = context;
  const saysNothing = (artifact?.value as { noChange?: boolean } | undefined)?.noChange === true;
  const binding = snapshot.bindings.find((one) => one.role_id === artifact?.role);
  const persona = binding ? personaId(Persona.parse(binding.persona)) : "unknown";
  const summary = (artifact?.value as { summary?: string } | undefined)?.summary ?? phase.phase_key;
  const since = await lastCommit(context, run);
  const withheld = await lentFiles({ repository: run.repo_path, baseCommit: run.base_commit }, { env, signal });
  if (run.rebase_of !== null) {
    const marked = await filesWithMarkers(run, { env, signal });
    const reason = `conflicts are still marked in ${marked.slice(0, 5).join(", ")}`;
    if (marked.length > 0) return { fault: { code: "conflict_markers_left", reason } };
  }
  const done = await commitAll({
    worktree: run.worktree_root,
    message: `${snapshot.run.title.split("\n")[0]?.slice(0, 60)}: ${phase.phase_key}\n\n${summary}`,
    trailers: {
      ...{ run: run.id, phase: phase.phase_key, attempt: phase.attempts, persona },
      others: { [chainTrailer]: run.chain_head },
    },
    identity: engineIdentity,
    branch: run.branch,
    since,
    withheld,
    env,
    signal,
  });
  const told = await committedAmong(withheld, { worktree: run.worktree_root, since, commit: done.commit, env, signal });
  if (told.length > 0) {
    const undo = `git -C ${run.worktree_root} reset --soft ${since.slice(0, 12)}`;
    const reason = `the agent committed ${told.join(", ")}, which .devflow.json lends to runs and which no commit may contain; undo its commits (${undo}) and try again`;
    return { fault: { code: "lent_file_committed", reason } };
  }
  if (done.changed) return { commit: done.commit };
  if (saysNothing) return {};
  return {
    fault: { code: "nothing_changed", reason: "the agent reported a change, but the worktree has none" },
  };
}

/** A lane that resolves conflicts began with marks in its files. Only what differs from its start counts. */
async function filesWithMarkers(run: RunRow, rest: Pick<GitOptions, "env" | "signal">): Promise<string[]> {
  const place = { ...rest, cwd: run.worktree_root };
  const changed = await git(["diff", "-z", "--name-only", "--no-renames", "--diff-filter=d", "--no-ext-diff"], {
    ...place,
    revisions: [startCommit(run)],
  });
  const paths = changed.stdout.split("\0").filter(Boolean);
  if (paths.length === 0) return [];
  const found = await git(["grep", "-l", "-z", "-E", "-e", "^(<<<<<<<|>>>>>>>) "], { ...place, paths, answers: [1] });
  return found.stdout.split("\0").filter(Boolean);
}

/**
 * Where the branch was before this series of attempts: what the run recorded last. Not the head at the start of the
 * attempt, because a second attempt may only correct the report of work that the first one committed.
 */
export async function lastCommit({ database }: Pick<DriverContext, "database">, run: RunRow): Promise<string> {
  const [row] = await database.asEngine(
    (tx) => tx<{ commit: string }[]>`
      select payload ->> 'commit' as commit from app.run_events
      where run_id = ${run.id} and type in ('commit.created', 'merge.completed') order by seq desc limit 1`,
  );
  return row?.commit ?? startCommit(run);
}

/** Devflow's own commits leave lent files out; an agent's own commit may include them. */
async function committedAmong(
  files: readonly string[],
  {
    worktree,
    since,
    commit,
    ...rest
  }: Pick<GitOptions, "env" | "signal"> & Record<"worktree" | "since" | "commit", string>,
): Promise<string[]> {
  if (files.length === 0 || commit === since) return [];
  const place = { ...rest, cwd: worktree, revisions: [`${since}..${commit}`], paths: files };
  const { stdout } = await git(["log", "--format=", "--name-only", "--no-renames", "-z"], place);
  return [...new Set(stdout.split("\0").map((name) => name.trim()))].filter(Boolean);
}

export const engineIdentity = { name: "Devflow", email: "devflow@localhost" };
