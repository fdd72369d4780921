/**
 * - `withBudgetVerdict(measured, pAdjusted, floors, alpha)` adds the verdict. A budget is overrun if the adjusted p, the lower limit, a ratio of 1.10
 *   and the absolute minimum all agree; without a test (costs of whole runs), ratio and minimum decide.
 */
import type { MeasuredBudget } from "./budget-findings.ts";
import type { BudgetFloors } from "./compare-options.ts";
import type { BudgetFinding, Verdict } from "./compare-report.ts";

const leastRatio = 1.1;

export function withBudgetVerdict(
  measured: MeasuredBudget,
  pAdjusted: number | null,
  floors: BudgetFloors,
  alpha: number,
): BudgetFinding {
  const { absolute, ...finding } = measured;
  return { ...finding, pAdjusted, verdict: verdictOf(measured, pAdjusted, floors, alpha) };
}

function verdictOf(measured: MeasuredBudget, pAdjusted: number | null, floors: BudgetFloors, alpha: number): Verdict {
  const { ratio, interval, absolute, measure, p, cases } = measured;
  const floor = measure === "latency p95" ? floors.latency : floors[measure];
  const isLarge = (ratio >= leastRatio || ratio <= 1 / leastRatio) && Math.abs(absolute) >= floor;
  const isMore = ratio > 1;
  // The ratio and the mean must point the same way, so that one huge result is not an overrun.
  const isConsistent = absolute > 0 === isMore;
  if (p === null) return !isLarge ? "no evidence" : isMore ? "regression" : "improvement";
  const isShown =
    pAdjusted !== null && pAdjusted <= alpha && interval !== null && (isMore ? interval.low > 1 : interval.high < 1);
  if (isShown && isLarge && isConsistent) return isMore ? "regression" : "improvement";
  const rulesOut = interval !== null && interval.high <= 1.25;
  return (cases >= 6 && rulesOut) || isShown ? "no evidence" : "not enough data";
}
