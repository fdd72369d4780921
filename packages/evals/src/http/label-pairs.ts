/**
 * What people said about outputs that judges have judged, for the screen of the judges.
 *
 * - `labelPairs(home, store)` the verdicts of judges and people over the runs that are asked for.
 */

import { type HumanLabel, labelFile } from "../judges/human-labels.ts";
import { judgedOutputs } from "../judges/judge-report.ts";
import type { EvalResult } from "../results/result.ts";
import type { EvalStore } from "../store/open-store.ts";
import type { LabelPairs } from "./judges-view.ts";

export function labelPairs(home: string, store: EvalStore): LabelPairs {
  return async (refs) => {
    const known = new Map<string, ReadonlyMap<string, readonly HumanLabel[]>>();
    const labelsOf = async (suite: string) => {
      const found = known.get(suite) ?? Map.groupBy(await wholeLabels(home, suite), keyOfLabel);
      known.set(suite, found);
      return found;
    };
    const pairs: { judge: boolean; human: boolean }[] = [];
    for (const ref of refs) {
      const { line } = await store.run(ref);
      const labels = await labelsOf(line.suite);
      if (labels.size === 0) continue;
      const results: EvalResult[] = [];
      for await (const block of store.allResults(ref)) results.push(...block);
      for (const { name, outputSha, isPass } of judgedOutputs(results)) {
        for (const { verdict } of labels.get(`${outputSha}\n${name}`) ?? []) {
          pairs.push({ judge: isPass, human: verdict === "pass" });
        }
      }
    }
    return pairs;
  };
}

const wholeLabels = async (home: string, suite: string): Promise<HumanLabel[]> =>
  (await labelFile(home, suite).read()).filter(({ criterion }) => criterion === null);

const keyOfLabel = ({ name, output_sha }: HumanLabel): string => `${output_sha}\n${name}`;
