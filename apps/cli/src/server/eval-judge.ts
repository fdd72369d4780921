/** The judge of alerts: the evals' compare, over runs of the team store. */
import { blankResult, type EvalRun } from "@devflow/evals";
import { judgeSuiteLine, suiteLineOf, type TeamStoreRun } from "@devflow/evals/alerts";
import { checkedRecord } from "@devflow/evals/store";
import type { EvalJudge, StoredRun } from "@devflow/team/alerts";

export const evalJudge: EvalJudge = {
  lineOf(runs, id) {
    const line = suiteLineOf(runs.flatMap(storeRun), id);
    if (!line) return undefined;
    const { key, newest, variant, commit, now, before, earlier } = line;
    const { suite, tier, gitBranch, gitSha } = newest.run;
    return {
      ...{ key, variant, commit, now, before, earlier, suite, tier },
      newest: newest.id,
      branch: gitBranch,
      sha: gitSha,
    };
  },
  compare({ before, now, earlier }) {
    const side = (runs: typeof before) =>
      runs.flatMap(({ run, results }) =>
        storeRun(run).map((one) => ({
          run: one.run,
          results: results.map((result) => ({ ...blankResult, ...result })),
        })),
      );
    return judgeSuiteLine({ before: side(before), now: side(now), earlier: earlier.map(side) });
  },
};

/** Payloads come from teammates: one that is no eval run is left out. Its time is the server's. */
function storeRun({ id, at, payload }: StoredRun): TeamStoreRun[] {
  try {
    const { run, partial, commits = [] } = checkedRecord(payload, (reason) => new Error(reason));
    const own: EvalRun = { ...run, at };
    return [{ id, run: own, isPartial: partial !== undefined, commits }];
  } catch {
    return [];
  }
}
