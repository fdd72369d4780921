/**
 * A team's evals of one week.
 *
 * - `leaderboardOf(runs, weekEndsAt)` totals of the seven days before, the suites with the change of their pass rate since the
 *   week before, and one entry per person who agreed to be named; all others share one entry.
 */
import type { TeamEvalRun } from "./team-evals.ts";

export interface Leaderboard {
  readonly from: string;
  readonly to: string;
  readonly totals: LeaderboardLine;
  readonly suites: readonly LeaderboardSuite[];
  /** Named people by number of runs, then the unnamed ones. */
  readonly people: readonly (LeaderboardLine & { readonly person: string | null })[];
}

export interface LeaderboardLine {
  readonly runs: number;
  readonly results: number;
  readonly passed: number;
  readonly errors: number;
  readonly commits: number;
  readonly usd: number;
}

export interface LeaderboardSuite extends LeaderboardLine {
  readonly suite: string;
  readonly passRate: number | null;
  /** Change since the week before, as a fraction; null if one of the weeks has no results. */
  readonly change: number | null;
}

const weekMs = 7 * 86_400_000;

export function leaderboardOf(runs: readonly TeamEvalRun[], weekEndsAtMs: number): Leaderboard {
  const from = new Date(weekEndsAtMs - weekMs).toISOString();
  const to = new Date(weekEndsAtMs).toISOString();
  const before = new Date(weekEndsAtMs - 2 * weekMs).toISOString();
  const week = runs.filter(({ run }) => run.at >= from && run.at < to);
  const weekBefore = Map.groupBy(
    runs.filter(({ run }) => run.at >= before && run.at < from),
    ({ run }) => run.suite,
  );
  const suites = [...Map.groupBy(week, ({ run }) => run.suite)].map(([suite, own]) => {
    const line = lineOf(own);
    const rate = rateOf(line);
    const earlier = rateOf(lineOf(weekBefore.get(suite) ?? []));
    return { suite, ...line, passRate: rate, change: rate === null || earlier === null ? null : rate - earlier };
  });
  const people = [...Map.groupBy(week, ({ person }) => person)].map(([person, own]) => ({ person, ...lineOf(own) }));
  return {
    from,
    to,
    totals: lineOf(week),
    suites: suites.sort((a, b) => b.runs - a.runs || (a.suite < b.suite ? -1 : 1)),
    people: people.sort(
      (a, b) =>
        Number(a.person === null) - Number(b.person === null) || b.runs - a.runs || (a.person! < b.person! ? -1 : 1),
    ),
  };
}

function lineOf(runs: readonly TeamEvalRun[]): LeaderboardLine {
  const sum = (pick: (one: TeamEvalRun) => number) => runs.reduce((total, one) => total + pick(one), 0);
  return {
    runs: runs.length,
    results: sum(({ run }) => run.totals.passed + run.totals.failed),
    passed: sum(({ run }) => run.totals.passed),
    errors: sum(({ run }) => run.totals.errors),
    commits: new Set(runs.flatMap(({ run }) => (run.gitSha === null ? [] : [run.gitSha]))).size,
    usd: sum(({ usd }) => usd ?? 0),
  };
}

const rateOf = ({ passed, results }: LeaderboardLine): number | null => (results === 0 ? null : passed / results);
