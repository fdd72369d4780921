/**
 * Compares eval runs that became complete, and writes down what follows.
 *
 * - `checkNextRun(parts)` takes one run that waits (`app.eval_checks`), compares the newest state of its line with the one before, and
 *   opens or closes a regression together with the messages about it. False when none waits. A run that cannot be compared after six
 *   attempts stays as a visible problem.
 *
 * Whichever run arrives, the newest state of its line decides, so the order in which runs arrive does not matter, and a run that is
 * checked twice changes nothing the second time.
 */
import type { Clock } from "@devflow/core/clock";
import { faultPoint } from "@devflow/core/fault-point";
import { hash } from "@devflow/core/hash";
import type { Log } from "@devflow/core/log";
import type { Database, Transaction } from "@devflow/db";
import { RunResults } from "@devflow/protocol";
import type { EvalAlert } from "./alert.ts";
import type { EvalJudge, LineOfRuns, LineVerdict, RunWithResults, StoredRun } from "./eval-judge.ts";
import { type NextAlarm, nextAlarm } from "./next-alarm.ts";

export interface CheckParts {
  readonly database: Pick<Database, "asEngine">;
  readonly clock: Clock;
  readonly log: Log;
  readonly judge: () => Promise<EvalJudge>;
}

/** How far back a line is looked at. */
const mostRuns = 200;
const mostAttempts = 6;
const leaseMs = 5 * 60_000;
const mostNames = 50;

interface WaitingRun {
  readonly teamId: string;
  readonly runId: string;
  readonly attempts: number;
}

interface OpenRegression {
  readonly id: string;
  readonly runId: string;
  readonly baseline: readonly string[];
  readonly openedAt: string;
}

export async function checkNextRun(parts: CheckParts): Promise<boolean> {
  const { database, clock, log } = parts;
  const waiting = await takeNext(parts);
  if (!waiting) return false;
  const { teamId, runId, attempts } = waiting;
  try {
    await checkRun(parts, waiting);
  } catch (error) {
    log.warn({ err: error, teamId, runId, attempts }, "an eval run could not be compared");
    const again = attempts < mostAttempts ? iso(clock.now() + 30_000 * 2 ** attempts) : "infinity";
    await database.asEngine(
      (tx) => tx`
        update app.eval_checks set next_try_at = ${again}::timestamptz, last_error = ${(error as Error).message.slice(0, 500)}
        where team_id = ${teamId} and run_id = ${runId}`,
    );
  }
  return true;
}

const iso = (ms: number): string => new Date(ms).toISOString();

async function takeNext({ database, clock }: CheckParts): Promise<WaitingRun | undefined> {
  const now = clock.now();
  const [row] = await database.asEngine(
    (tx) => tx<WaitingRun[]>`
      update app.eval_checks c set attempts = c.attempts + 1, next_try_at = ${iso(now + leaseMs)}
      where (c.team_id, c.run_id) in (
        select d.team_id, d.run_id from app.eval_checks d where d.next_try_at <= ${iso(now)}
        order by d.next_try_at, d.run_id limit 1 for update skip locked)
      returning c.team_id as "teamId", c.run_id as "runId", c.attempts`,
  );
  return row;
}

async function checkRun(parts: CheckParts, { teamId, runId }: WaitingRun): Promise<void> {
  const { database } = parts;
  const judge = await parts.judge();
  const runs = await database.asEngine((tx) => runsOfLine(tx, teamId, runId));
  const line = judge.lineOf(runs, runId);
  if (!line) return await database.asEngine((tx) => done(tx, teamId, runId));
  const repo = runs.find(({ id }) => id === line.newest)?.repoId ?? null;
  const key = hash([repo, line.key]);
  const open = await database.asEngine((tx) => openRegression(tx, teamId, key));
  const verdicts = await compareLine(parts, judge, { teamId, runs, line, open });
  const alarm = nextAlarm(open !== undefined, {
    versusBefore: verdicts.before?.verdict ?? null,
    versusBaseline: verdicts.baseline?.verdict ?? null,
    isSameState: open !== undefined && line.now.includes(open.runId),
  });
  faultPoint("alertAfterJudged");
  const told = alarm === "close" ? (verdicts.baseline ?? verdicts.before) : verdicts.before;
  await database.asEngine(async (tx) => {
    if (told && (alarm === "close" || line.before.length > 0)) {
      await record(tx, parts.clock, { teamId, key, repo, line, open, alarm, verdict: told });
    }
    await done(tx, teamId, runId);
    faultPoint("alertBeforeRecorded");
  });
}

const done = async (tx: Transaction, teamId: string, runId: string): Promise<void> => {
  await tx`delete from app.eval_checks where team_id = ${teamId} and run_id = ${runId}`;
};

type RunOfLine = StoredRun & { readonly repoId: string | null };

async function runsOfLine(tx: Transaction, teamId: string, runId: string): Promise<RunOfLine[]> {
  return [
    ...(await tx<RunOfLine[]>`
      select e.id, e.repo_id as "repoId", app.iso(e.ran_at) as at, r.payload
      from app.eval_runs o
      join app.eval_runs e on e.team_id = o.team_id and e.suite = o.suite and e.tier = o.tier
        and e.repo_id is not distinct from o.repo_id and e.complete_at is not null
      join app.records r on r.team_id = e.team_id and r.id = e.id and r.payload is not null
      where o.team_id = ${teamId} and o.id = ${runId}
      order by e.ran_at desc limit ${mostRuns}`),
  ];
}

async function openRegression(tx: Transaction, teamId: string, key: string): Promise<OpenRegression | undefined> {
  const [row] = await tx<OpenRegression[]>`
    select id, run_id as "runId", baseline, app.iso(opened_at) as "openedAt" from app.regressions
    where team_id = ${teamId} and line = ${key} and closed_at is null`;
  return row;
}

async function compareLine(
  { database }: CheckParts,
  judge: EvalJudge,
  given: {
    readonly teamId: string;
    readonly runs: readonly StoredRun[];
    readonly line: LineOfRuns;
    readonly open: OpenRegression | undefined;
  },
): Promise<{ readonly before: LineVerdict | undefined; readonly baseline: LineVerdict | undefined }> {
  const { teamId, runs, line, open } = given;
  const known = new Map(runs.map((run) => [run.id, run]));
  const baseline = (open?.baseline ?? []).filter((id) => known.has(id));
  const wanted = [...new Set([...line.now, ...line.before, ...line.earlier.flat(), ...baseline])];
  const results = await database.asEngine((tx) => resultsOf(tx, teamId, wanted));
  const side = (ids: readonly string[]): RunWithResults[] =>
    ids.flatMap((id) => {
      const [run, own] = [known.get(id), results.get(id)];
      return run && own ? [{ run, results: own }] : [];
    });
  const now = side(line.now);
  const earlier = line.earlier.map(side);
  return {
    before: line.before.length > 0 ? judge.compare({ before: side(line.before), now, earlier }) : undefined,
    baseline: baseline.length > 0 ? judge.compare({ before: side(baseline), now, earlier: [] }) : undefined,
  };
}

async function resultsOf(tx: Transaction, teamId: string, ids: readonly string[]) {
  const rows = await tx<{ run_id: string; results: unknown }[]>`
    select t.run_id, json_agg(json_build_object(
      'name', t.name, 'category', t.category, 'status', t.status, 'repeat', t.repeat, 'inputSha', t.input_sha,
      'scores', t.scores, 'durationMs', t.duration_ms) order by t.chunk, t.place) as results
    from app.eval_results t where t.team_id = ${teamId} and t.run_id = any (${[...ids]}::uuid[]) group by t.run_id`;
  return new Map(rows.map((row) => [row.run_id, RunResults.parse(row).results]));
}

interface Outcome {
  readonly teamId: string;
  readonly key: string;
  readonly repo: string | null;
  readonly line: LineOfRuns;
  readonly open: OpenRegression | undefined;
  readonly alarm: NextAlarm;
  readonly verdict: LineVerdict;
}

/** Another process may have checked another run of the line meanwhile: then this one is checked again. */
const overtaken = () => new Error("another run of the same suite was checked at the same moment");

async function record(tx: Transaction, clock: Clock, outcome: Outcome): Promise<void> {
  const { teamId, key, repo, line, open, alarm } = outcome;
  const at = iso(clock.now());
  switch (alarm) {
    case "none":
      return;
    case "open": {
      const made = await tx`
        insert into app.regressions (team_id, line, suite, branch, repo_id, run_id, baseline, opened_at)
        values (${teamId}, ${key}, ${line.suite}, ${line.branch}, ${repo}, ${line.newest}, ${[...line.before]}::uuid[], ${at})
        on conflict do nothing returning id`;
      if (made.length === 0) throw overtaken();
      break;
    }
    case "worsen":
    case "close": {
      const changed = await tx`
        update app.regressions set
          run_id = ${alarm === "worsen" ? line.newest : (open?.runId ?? null)},
          closed_at = ${alarm === "close" ? at : null}, closed_by = ${alarm === "close" ? line.newest : null}
        where team_id = ${teamId} and id = ${open?.id ?? null} and closed_at is null and run_id = ${open?.runId ?? null}
        returning id`;
      if (changed.length === 0) throw overtaken();
    }
  }
  const kind = alarm === "close" ? "recovery" : "regression";
  const body = await alertOf(tx, outcome);
  // Key: what happened, and the run that showed it.
  await tx`select app.queue_alert(${teamId}, ${`${kind}:${line.newest}`}, ${kind}, ${line.newest}, ${tx.json(body as never)}, ${at})`;
}

async function alertOf(tx: Transaction, { teamId, line, open, alarm, verdict }: Outcome): Promise<EvalAlert> {
  const [row] = await tx<{ person: string; repo: string | null; at: string; usd: number; usdBefore: number | null }[]>`
    select u.name as person, p.name as repo, app.iso(e.ran_at) as at, e.usd::float8,
      (select avg(b.usd)::float8 from app.eval_runs b
       where b.team_id = e.team_id and b.id = any (${[...line.before]}::uuid[])) as "usdBefore"
    from app.eval_runs e join app.users u on u.id = e.user_id left join app.repos p on p.id = e.repo_id
    where e.team_id = ${teamId} and e.id = ${line.newest}`;
  // It was erased while it was compared: there is nothing to tell.
  if (!row) throw overtaken();
  const { suite, tier, branch, variant, sha, commit } = line;
  const { reason, rateBefore, rateNow, broken } = verdict;
  return {
    ...{ suite, tier, branch, variant, sha, reason, rateBefore, rateNow, ...row },
    subject: commit?.subject ?? null,
    author: commit?.author ?? null,
    broken: broken.slice(0, mostNames).map(({ name }) => name),
    brokenCount: broken.length,
    since: alarm === "close" ? (open?.openedAt ?? null) : null,
  };
}
