/**
 * Identifies judges: results of different judges are not comparable.
 *
 * - `judgeKey(run)` one string per set of (model, rubric, threshold); empty if the run names no judge.
 * - `judgeConflict(a, b)` why these runs cannot be compared, or null.
 */
import type { EvalRun, JudgeIdentity } from "../results/result.ts";

export function judgeKey({ judges }: Pick<EvalRun, "judges">): string {
  return [...new Set(judges.map(nameOf))].sort().join("; ");
}

export interface JudgeConflict {
  readonly isCertain: boolean;
  readonly text: string;
}

export function judgeConflict(a: readonly EvalRun[], b: readonly EvalRun[]): JudgeConflict | null {
  const keysA = new Set(a.map(judgeKey));
  const keysB = new Set(b.map(judgeKey));
  const known = new Set([...keysA, ...keysB].filter((key) => key !== ""));
  if (known.size > 1) {
    const told = (keys: Set<string>) => [...keys].map((key) => key || "an unknown judge").join(" / ");
    return { isCertain: true, text: `A was judged by ${told(keysA)}, B by ${told(keysB)}` };
  }
  if (known.size === 1 && (keysA.has("") || keysB.has(""))) {
    return { isCertain: false, text: `some runs were judged by ${[...known][0]}, others do not name a judge` };
  }
  return null;
}

function nameOf({ model, rubricSha, threshold }: JudgeIdentity): string {
  const rubric = rubricSha === null ? "" : ` rubric ${rubricSha.slice(0, 12)}`;
  return `${model}${rubric}${threshold === null ? "" : ` threshold ${threshold}`}`;
}
