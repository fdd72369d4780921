/**
 * The team's runs beside those of this machine, so that they can be compared.
 *
 * - `teamRuns(team, store)` what the team cache has and this machine has not: `lines` as the store lists them, `compared(lines)`
 *   their results, `history` what each case did in them, and `people(lines)` who pushed them.
 */
import { caseKey } from "@devflow/evals";
import { type ComparedRun, judgeKey, runName } from "@devflow/evals/compare";
import type { EvalStore, HistoryPoint, RunLine } from "@devflow/evals/store";
import type { EvalTeam, TeamEvalRun } from "@devflow/evals/team";
import { allLines } from "./with-store.ts";

export type CasePoint = Pick<HistoryPoint, "runId" | "status">;

export interface TeamRuns {
  readonly lines: readonly RunLine[];
  compared(lines: readonly RunLine[]): Promise<ComparedRun[]>;
  history(lines: readonly RunLine[]): Promise<(suite: string, caseKey: string) => readonly CasePoint[]>;
  people(lines: readonly RunLine[]): readonly string[];
}

export async function teamRuns(team: EvalTeam, store: EvalStore): Promise<TeamRuns> {
  const stored = new Set(allLines(store).map(runName));
  const all = await team.cache.runs({});
  const found = new Map(all.map((one) => [runName(one.run), one]));
  const theirs = (lines: readonly RunLine[]) =>
    lines.flatMap((line) => (stored.has(runName(line)) ? [] : (found.get(runName(line)) ?? [])));
  return {
    lines: [...found].flatMap(([name, one]) => (stored.has(name) ? [] : [lineOf(one)])),
    compared: async (lines) =>
      await Promise.all(
        theirs(lines).map(async (one) => ({ run: one.run, results: await team.cache.results(one), cost: costOf(one) })),
      ),
    async history(lines) {
      const points = new Map<string, CasePoint[]>();
      for (const one of theirs(lines)) {
        const { runId, suite } = one.run;
        for (const { name, inputSha, status } of await team.cache.results(one)) {
          const key = `${suite}\u0000${caseKey(name, inputSha)}`;
          const own = points.get(key) ?? [];
          own.push({ runId, status });
          points.set(key, own);
        }
      }
      return (suite, key) => points.get(`${suite}\u0000${key}`) ?? [];
    },
    people: (lines) => [...new Set(lines.flatMap((line) => found.get(runName(line))?.pushedBy ?? []))].sort(),
  };
}

const costOf = ({ usd }: TeamEvalRun) => ({ actualUsd: usd ?? 0, estimatedUsd: 0, unpricedCalls: 0 });

/** What only this machine's index knows, such as which attempt it was, is left at its simplest. */
function lineOf(one: TeamEvalRun): RunLine {
  const { judges: _judges, totals, costs: _costs, extra: _extra, ...run } = one.run;
  const { provider = null, variant = null, matrix = null } = run;
  const judge = judgeKey(one.run);
  return {
    ...{ ...run, ...totals, ...costOf(one), provider, variant, matrix },
    ...{ judgeKey: judge, attempt: 1, isPartial: false },
  };
}
