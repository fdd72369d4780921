/**
 * - `stateKey(run)` identifies one unchanged state: commit, prompt, judge, tier, model and variant. A run without a commit is its own state, since
 *   nothing proves that two of them ran the same code.
 */
import type { EvalRun } from "../results/result.ts";
import { judgeKey } from "./judge-identity.ts";
import { variantKey } from "./variant.ts";

export function stateKey(run: EvalRun): string {
  return [
    ...[run.suite, run.tier, run.gitSha ?? `run ${run.runId}`],
    ...[run.promptSha ?? "", judgeKey(run), variantKey(run)],
  ].join("\u0000");
}
