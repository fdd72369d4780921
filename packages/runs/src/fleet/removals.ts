/**
 * What a run left on other machines, removed by the machines themselves: server and workers share no disk.
 *
 * - `askForRemoval(context, runs, request, actor)` every machine that has something of these runs, except this one; with what they
 *   have answered so far. Asking again repeats what was not done, and tells why it was not.
 * - `performRemovals(context)` what was asked of this machine. Best effort: what fails is noted, for the next who asks.
 */
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { bestEffort } from "@devflow/core/best-effort";
import { toDevflowError } from "@devflow/core/errors";
import { removeWorktree, worktreePath } from "@devflow/harness";
import type { RemovalElsewhere } from "@devflow/protocol";
import { redactSecrets } from "@devflow/redact";
import { purgeFiles } from "../care/purge-files.ts";
import type { EngineContext } from "../engine/context.ts";
import type { Actor } from "../events/actor.ts";
import { removeWorkRefs } from "./work-refs.ts";

type What = "worktree" | "content";

export interface RemovalRequest {
  readonly what: What;
  readonly force: boolean;
}

export async function askForRemoval(
  { database, host }: EngineContext,
  runIds: readonly string[],
  { what, force }: RemovalRequest,
  actor: Actor,
): Promise<RemovalElsewhere[]> {
  return await database.asEngine(async (tx) => {
    const wanted = tx`(select jsonb_array_elements_text(${tx.json(runIds)})::uuid)`;
    // Told before they are asked again.
    const kept = await tx<{ host: string; problem: string }[]>`
      select host, problem from app.run_removals
      where run_id in ${wanted} and what = ${what} and problem is not null order by run_id`;
    // Where it is, and where it has been.
    await tx`
      insert into app.run_removals as m (run_id, host, what, team_id, force, asked_by)
      select r.id, p.host, ${what}, r.team_id, ${force}, ${tx.json(actor)}
      from app.runs r cross join lateral (
        select r.host union
        select e.payload ->> 'from' from app.run_events e where e.run_id = r.id and e.type = 'run.moved') p (host)
      where r.id in ${wanted} and r.remote is not null and p.host is not null and p.host <> ${host}
      on conflict (run_id, host, what) do update
        set force = excluded.force, asked_by = excluded.asked_by, asked_at = now(), done_at = null, problem = null
        where m.done_at is null or m.problem is not null`;
    const machines = await tx<Omit<RemovalElsewhere, "problems">[]>`
      select m.host, app.host_name(m.host) as name, coalesce(app.host_state(h), 'removed') as state,
        count(*)::int as runs, count(*) filter (where m.done_at is not null)::int as done
      from app.run_removals m left join app.hosts h on h.host = m.host
      where m.run_id in ${wanted} and m.what = ${what}
      group by m.host, h.host order by 2, 1`;
    const problemsOf = (machine: string) => kept.filter((one) => one.host === machine).map((one) => one.problem);
    return machines.map((one) => ({ ...one, problems: problemsOf(one.host) }));
  });
}

interface DueRemoval {
  readonly id: string;
  readonly root_run_id: string;
  readonly host: string;
  readonly remote: string | null;
  readonly repo_path: string;
  readonly worktree_root: string;
  readonly what: What;
  readonly force: boolean;
}

const mostAtOnce = 100;

export async function performRemovals(context: EngineContext): Promise<void> {
  const { database, host, log } = context;
  const due = await database.asEngine(
    (tx) => tx<DueRemoval[]>`
      select r.id, r.root_run_id, r.host, r.remote, r.repo_path, r.worktree_root, m.what, m.force
      from app.run_removals m join app.runs r on r.id = m.run_id
      where m.host = ${host} and m.done_at is null order by m.asked_at, r.id limit ${mostAtOnce}`,
  );
  for (const one of due) {
    const problem = await problemOf(() =>
      one.what === "worktree" ? removeFrom(context, one) : purgeFrom(context, one),
    );
    await bestEffort("note what was removed", log, () =>
      database.asEngine(
        (tx) => tx`
          update app.run_removals set done_at = now(), problem = ${problem ?? null}
          where run_id = ${one.id} and host = ${host} and what = ${one.what}`,
      ),
    );
  }
}

async function problemOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return redactSecrets(toDevflowError(error).message.slice(0, 2_000)).text;
  }
}

async function removeFrom(context: EngineContext, run: DueRemoval): Promise<void> {
  const { workspaceRoot, env } = context;
  const name = basename(run.worktree_root);
  const stays = await staysOf(workspaceRoot, run);
  // The mirror of a repository is at the same place below every workspace.
  const repository = join(workspaceRoot, "mirrors", basename(run.repo_path));
  const worktrees = [worktreePath(workspaceRoot, run.root_run_id, name), ...stays.map((stay) => join(stay, name))];
  if (existsSync(repository))
    for (const root of worktrees) await removeWorktree({ repository, root, force: run.force, env });
  for (const stay of stays) await rm(stay, { recursive: true, force: true });
  if (run.host === context.host) await removeWorkRefs(context, run);
}

async function purgeFrom({ workspaceRoot }: EngineContext, run: DueRemoval): Promise<void> {
  for (const folder of [join(workspaceRoot, run.id), ...(await staysOf(workspaceRoot, run))]) await purgeFiles(folder);
}

/** What it left here before it came back; see arrive.ts. */
async function staysOf(workspaceRoot: string, { id }: DueRemoval): Promise<string[]> {
  const names = await readdir(workspaceRoot).catch(() => []);
  return names.filter((name) => name.startsWith(`${id}.stay-`)).map((name) => join(workspaceRoot, name));
}
