/**
 * The refs that a run's work is pushed under, on the remote: `refs/devflow/runs/<run>/<lane>/<epoch>`.
 *
 * - `pushWork(context, run, commit)` a work phase or a merge counts once its commit is there, under the epoch that made it. Nobody
 *   reads the ref of another epoch than the one that was recorded.
 * - `removeWorkRefs(context, run)` those that nobody needs any more, of a run that has ended. The one with its last commit stays, as
 *   its result, unless it is a lane that was merged.
 */
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { git } from "@devflow/git";
import type { DriverContext, EngineContext } from "../engine/context.ts";
import type { RunRow } from "../engine/rows.ts";
import { type Place, transport } from "./remote-repository.ts";

const refsOf = ({ id }: Pick<RunRow, "id">): string => `refs/devflow/runs/${id}/`;

const workRef = (run: Pick<RunRow, "id" | "lane_id">, epoch: number): string => `${refsOf(run)}${run.lane_id}/${epoch}`;

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

export async function pushRef(
  remote: string,
  refspec: string | readonly string[],
  at: Place & { cwd: string },
): Promise<void> {
  const specs = [refspec].flat();
  try {
    await git(["push", "--quiet", "--no-follow-tags", "--no-signed", "--receive-pack=git-receive-pack"], {
      ...at,
      ...transport,
      revisions: [remote, ...specs],
    });
  } catch (error) {
    if (!(error instanceof DevflowError) || error.code !== "git_failed") throw error;
    const next = "Check it: devflow fleet check";
    throw new DevflowError("push_failed", {
      details: { branch: specs.join(" "), url: remote, reason: String(error.details.reason), next },
      cause: error,
    });
  }
}

type Pushed = Pick<RunRow, "id" | "remote" | "repo_path">;

export async function removeWorkRefs({ database, env }: EngineContext, run: Pushed): Promise<number> {
  if (run.remote === null) return 0;
  const at = { cwd: run.repo_path, env, ...transport };
  const listed = await git(["ls-remote", "--refs"], { ...at, revisions: [run.remote, `${refsOf(run)}*`] });
  const refs = listed.stdout.split("\n").flatMap((line) => line.split("\t")[1] ?? []);
  const kept = await resultRef(database, run);
  const gone = refs.filter((ref) => ref !== kept);
  if (gone.length > 0)
    await pushRef(
      run.remote,
      gone.map((ref) => `:${ref}`),
      at,
    );
  return gone.length;
}

/** The ref of its last commit; undefined when its parent has merged that. */
async function resultRef(database: EngineContext["database"], { id }: Pushed): Promise<string | undefined> {
  const [row] = await database.asEngine(
    (tx) => tx<{ ref: string }[]>`
      select e.payload ->> 'ref' as ref from app.run_events e
      where e.run_id = ${id} and e.type in ('commit.created', 'merge.completed') and e.payload ? 'ref'
        and not exists (select from app.run_tasks k
          where k.lane_run_id = ${id} and k.state in ('merged', 'done') and k.merge_commit is not null)
      order by e.seq desc limit 1`,
  );
  return row?.ref;
}
