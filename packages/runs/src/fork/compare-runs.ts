/**
 * A fork beside the run that it was forked from: who played, how long it took, what it cost, what reviewers found, what the
 * tests say, and how the work differs. Cost, time and attempts count from the fork on, because everything before is shared.
 *
 * - `compareRuns(context, reader, fork)` refuses a run that is no fork, and one whose origin is gone.
 */
import { DevflowError } from "@devflow/core/errors";
import { shortId } from "@devflow/core/short-id";
import { git } from "@devflow/git";
import { diffAgainst } from "@devflow/harness";
import type { ComparedRun, RunComparison } from "@devflow/protocol";
import { workOf } from "../care/run-diff.ts";
import type { EngineContext } from "../engine/context.ts";
import { lentFiles } from "../engine/lent-files.ts";
import { type Reader, type VisibleRun, visibleRun } from "../views/index.ts";

type Context = Pick<EngineContext, "env" | "clock">;

export async function compareRuns(context: Context, reader: Reader, fork: VisibleRun): Promise<RunComparison> {
  const about = await forkOf(reader, fork.id);
  if (!about)
    throw conflict(
      `Run ${shortId(fork.id)} is not a fork.`,
      `Fork it: devflow run fork ${shortId(fork.id)} --at <phase>`,
    );
  if (about.origin === null) throw conflict("The run that it was forked from is gone.", `devflow run show ${fork.id}`);
  const origin = await visibleRun(reader, about.origin);
  return {
    at: about.at,
    origin: await compared(context, reader, origin, about.beganAt),
    fork: await compared(context, reader, fork, null),
    hasOwnInstructions: about.hasOwnInstructions,
    between: await between(context, origin, fork),
  };
}

interface ForkOf {
  readonly origin: string | null;
  readonly at: string;
  /** When the phase began in the origin. */
  readonly beganAt: string | null;
  readonly hasOwnInstructions: boolean;
}

async function forkOf({ database, claims }: Reader, runId: string): Promise<ForkOf | undefined> {
  const [row] = await database.withClaims(
    claims,
    (tx) => tx<ForkOf[]>`
      select r.forked_from as origin, r.fork_phase as at, i.instructions ? r.fork_phase as "hasOwnInstructions",
        (select app.iso(min(e.ts)) from app.run_events e where e.run_id = r.forked_from
          and e.type in ('phase.started', 'phase.skipped') and e.payload ->> 'phase' = r.fork_phase) as "beganAt"
      from app.runs r join app.run_inputs i on i.run_id = r.id where r.id = ${runId} and r.fork_phase is not null`,
  );
  return row;
}

type Figures = Omit<ComparedRun, "diff" | "seconds"> & { readonly from: string | null; readonly to: string | null };

/** `since`: in the origin, when the phase began; null in the fork, where everything counts. */
async function compared(
  context: Context,
  { database, claims }: Reader,
  run: VisibleRun,
  since: string | null,
): Promise<ComparedRun> {
  const [row] = await database.withClaims(
    claims,
    (tx) => tx<{ figures: Figures }[]>`
      select jsonb_build_object('id', r.id, 'title', r.title, 'state', r.state,
        'bindings', (select coalesce(jsonb_agg(jsonb_build_object('role', b.role_id, 'persona', a.name || '@' || a.version,
            'model', coalesce(b.override ->> 'model', a.definition #>> '{modelConfig,model}')) order by b.role_id), '[]')
          from app.run_bindings b join app.agent_personas a on a.id = b.persona_id where b.run_id = r.id),
        'usd', (select case when count(*) > 0 and count(*) = count(u.cost_usd) then sum(u.cost_usd) end
          from app.run_usage u where u.run_id = r.id and (${since}::timestamptz is null or u.at >= ${since}::timestamptz)),
        'tokens', (select coalesce(sum(u.input_tokens + u.output_tokens + u.cache_read_tokens + u.cache_write_tokens), 0)
          from app.run_usage u where u.run_id = r.id and (${since}::timestamptz is null or u.at >= ${since}::timestamptz)),
        'attempts', (select count(*) from app.run_events e where e.run_id = r.id and e.type = 'phase.started'
          and (${since}::timestamptz is null or e.ts >= ${since}::timestamptz)),
        'findings', (select jsonb_build_object('total', count(*), 'open', count(*) filter (where f.is_open),
            'blocking', count(*) filter (where f.is_open and f.verifier_status = 'confirmed' and f.severity in ('high', 'critical')))
          from (select *, not resolved and waived_at is null and verifier_status <> 'rejected' as is_open
            from app.review_findings) f where f.run_id = r.id),
        'testsPassed', (select c.exit_code = 0 from app.commands c where c.run_id = r.id and c.kind = 'test' and c.ended_at is not null
          order by c.ended_at desc limit 1),
        'from', app.iso(coalesce(${since}::timestamptz, r.started_at)), 'to', app.iso(r.ended_at)) as figures
      from app.runs r where r.id = ${run.id}`,
  );
  if (!row) throw new DevflowError("not_found", { details: { what: `Run ${run.id}`, next: "devflow run list" } });
  const { from, to, ...figures } = row.figures;
  const until = to === null ? context.clock.now() : Date.parse(to);
  const seconds = from === null ? 0 : Math.max(0, Math.round((until - Date.parse(from)) / 1000));
  return { ...figures, seconds, diff: await stat(context, run) };
}

async function stat(context: Context, run: VisibleRun): Promise<ComparedRun["diff"]> {
  const found = await diffOf(context, run, run.diffBase);
  return found && { files: found.files.length, insertions: found.added, deletions: found.removed };
}

async function between(context: Context, origin: VisibleRun, fork: VisibleRun): Promise<RunComparison["between"]> {
  const place = { cwd: origin.repository, env: context.env };
  const tip = await git(["rev-parse", "--verify", "--quiet"], {
    ...place,
    revisions: [`refs/heads/${origin.branch}`],
    answers: [1],
  });
  const found = tip.exit === 0 ? await diffOf(context, fork, tip.stdout.trim()) : null;
  if (!found) return null;
  return found.files.map(({ path, added, removed, isBinary }) => ({
    path,
    insertions: isBinary ? null : added,
    deletions: isBinary ? null : removed,
  }));
}

async function diffOf({ env }: Context, run: VisibleRun, baseCommit: string) {
  const place = await workOf(run, env);
  if (!place) return null;
  const withheld = await lentFiles({ repository: run.repository, baseCommit: run.baseCommit }, { env });
  return await diffAgainst({ ...place, baseCommit, maxBytes: 1, withheld, env });
}

const conflict = (problem: string, next: string): DevflowError =>
  new DevflowError("conflict", { details: { problem, next } });
