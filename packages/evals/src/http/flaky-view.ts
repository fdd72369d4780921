/**
 * The page of cases that pass and fail while nothing changes.
 *
 * - `flakyView(store, runs, filter)` for the newest runs; `flakyOf(suite, points)` for one case, from its history.
 */
import type { EvalFlaky, EvalFlakyCase } from "@devflow/protocol";
import { type ComparedRun, type FlakyCase, findFlaky } from "../compare/index.ts";
import { caseKey } from "../results/identity.ts";
import type { EvalStore, HistoryPoint, RunFilter } from "../store/index.ts";
import { refOf } from "./run-line.ts";
import { newestOfLine, type StoredRuns } from "./stored-runs.ts";

const mostCases = 200;

export async function flakyView(store: EvalStore, runs: StoredRuns, filter: RunFilter): Promise<EvalFlaky> {
  const { lines, scope, branch } = newestOfLine(store, filter);
  const found = findFlaky(await runs.read(lines.map(refOf)));
  return { cases: found.slice(0, mostCases).map(viewOf), scope, branch };
}

export function flakyOf(suite: string, points: readonly HistoryPoint[]): EvalFlakyCase | null {
  const runs = Map.groupBy(points, ({ runId }) => runId)
    .values()
    .map((own): ComparedRun => comparedRun(suite, own));
  const [found] = findFlaky([...runs]).toSorted((a, b) => b.rate - a.rate);
  return found ? viewOf(found) : null;
}

function viewOf({ inputSha, ...one }: FlakyCase): EvalFlakyCase {
  return { ...one, caseKey: caseKey(one.name, inputSha) };
}

/** The parts of a run that `findFlaky` needs. */
function comparedRun(suite: string, points: readonly HistoryPoint[]): ComparedRun {
  const [first] = points as [HistoryPoint, ...HistoryPoint[]];
  const none = { total: 0, passed: 0, failed: 0, errors: 0, skipped: 0 };
  return {
    run: {
      ...{
        runId: first.runId,
        suite,
        label: first.label,
        at: first.at,
        gitSha: first.gitSha,
        gitBranch: first.gitBranch,
      },
      promptSha: first.promptSha,
      tier: first.tier as ComparedRun["run"]["tier"],
      judges: first.judgeKey === "" ? [] : [{ model: first.judgeKey, rubricSha: null, threshold: null }],
      ...{
        model: first.model,
        provider: first.provider,
        variant: first.variant,
        host: null,
        durationMs: null,
        totals: none,
        costs: [],
        source: "devflow",
        extra: {},
      },
    },
    results: points.map(({ name, inputSha, status, repeat }) => ({
      ...{ name, inputSha, status, repeat, category: null, tags: [], input: null, expectationsSha: null, output: null },
      ...{ responsePreview: null, error: null, failures: [], scores: {}, durationMs: null, turns: null, cached: false },
      ...{ usage: [], comparison: null, extra: {} },
    })),
  };
}
