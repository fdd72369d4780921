/**
 * A pass rate and its scores over time.
 *
 * - `trendOf(runs, options)` one point per commit (or per run without a commit), pooled, with Wilson's interval. The line breaks
 *   if the judge changes or more than 20 % of the cases are new, because the points are then not comparable.
 * - `sparkline(points)` the trend as one line of text.
 */
import { caseKey } from "../results/identity.ts";
import { type Interval, wilsonInterval } from "../statistics/index.ts";
import { judgeKey } from "./judge-identity.ts";
import { type ComparedRun, inputIdentity } from "./side.ts";
import { variantKey } from "./variant.ts";

export interface TrendPoint {
  readonly at: string;
  readonly sha: string | null;
  readonly runIds: readonly string[];
  readonly passes: number;
  readonly results: number;
  readonly errors: number;
  readonly passRate: number | null;
  readonly interval: Interval;
  readonly scores: Readonly<Record<string, { readonly mean: number; readonly results: number }>>;
  /** Why the line is broken before this point. */
  readonly breakBefore: "judge changed" | "new cases" | null;
}

export interface TrendOptions {
  /** Only this case. */
  readonly name?: string;
}

const mostNewCases = 0.2;

export function trendOf(runs: readonly ComparedRun[], { name }: TrendOptions = {}): TrendPoint[] {
  const sorted = [...runs].sort((one, other) => (one.run.at < other.run.at ? -1 : 1));
  const groups = Map.groupBy(sorted, ({ run }) =>
    [run.gitSha ?? `run ${run.runId}`, run.suite, run.tier, judgeKey(run), variantKey(run)].join("\u0000"),
  );
  const points: TrendPoint[] = [];
  let previous: { judge: string; cases: ReadonlySet<string> } | null = null;
  for (const group of groups.values()) {
    const own = group.map(({ run, results }) => ({
      run,
      results: name === undefined ? results : [...results].filter((result) => result.name === name),
    }));
    const current = { judge: judgeKey(group[0]!.run), cases: casesOf(own) };
    if (current.cases.size === 0) continue;
    points.push({ ...pointOf(own), breakBefore: previous && breakOf(previous, current) });
    previous = current;
  }
  return points;
}

function breakOf(
  before: { readonly judge: string; readonly cases: ReadonlySet<string> },
  after: { readonly judge: string; readonly cases: ReadonlySet<string> },
): TrendPoint["breakBefore"] {
  if (before.judge !== after.judge) return "judge changed";
  let fresh = 0;
  for (const one of after.cases) if (!before.cases.has(one)) fresh++;
  return fresh > mostNewCases * after.cases.size ? "new cases" : null;
}

function casesOf(group: readonly ComparedRun[]): Set<string> {
  const cases = new Set<string>();
  for (const { results } of group) for (const one of results) cases.add(caseKey(one.name, inputIdentity(one)));
  return cases;
}

function pointOf(group: readonly ComparedRun[]): Omit<TrendPoint, "breakBefore"> {
  let [passes, results, errors] = [0, 0, 0];
  const sums = new Map<string, { sum: number; results: number }>();
  for (const { results: own } of group) {
    for (const result of own) {
      if (result.status === "error") errors++;
      if (result.status !== "pass" && result.status !== "fail") continue;
      results++;
      if (result.status === "pass") passes++;
      for (const [criterion, score] of Object.entries(result.scores)) {
        const sum = sums.get(criterion) ?? { sum: 0, results: 0 };
        sum.sum += score;
        sum.results += 1;
        sums.set(criterion, sum);
      }
    }
  }
  return {
    at: group[0]!.run.at,
    sha: group[0]!.run.gitSha,
    runIds: group.map(({ run }) => run.runId),
    passes,
    results,
    errors,
    passRate: results === 0 ? null : passes / results,
    interval: wilsonInterval(passes, results),
    scores: Object.fromEntries(
      [...sums].map(([criterion, { sum, results: count }]) => [criterion, { mean: sum / count, results: count }]),
    ),
  };
}

const bars = "▁▂▃▄▅▆▇█";

/** A space is a point without results; a dashed bar is a break of the line. */
export function sparkline(points: readonly Pick<TrendPoint, "passRate" | "breakBefore">[]): string {
  return points
    .map(({ passRate, breakBefore }) => {
      const bar = passRate === null ? " " : bars[Math.min(bars.length - 1, Math.floor(passRate * bars.length))];
      return `${breakBefore ? "╎" : ""}${bar}`;
    })
    .join("");
}
