/**
 * What a run may spend. Pure.
 *
 * - `budgetFault(snapshot, share)` why the run may not go on: it has spent this share of its budget; undefined when it may.
 * - `dollarsLeft(snapshot)` what its agents may still spend; undefined without a limit.
 */
import type { Snapshot } from "./snapshot.ts";

type Pot = Pick<Snapshot["run"], "max_usd" | "max_tokens" | "budget_grants">;

/** Lanes spend from their parent's budget. */
type Spending = Pick<Snapshot, "spent"> & { readonly run: Pot; readonly parent?: Pot | null };

/** At the whole budget a person is asked before the next prompt; beyond this share a turn is interrupted. */
export const interruptShare = 1.2;

export function budgetFault({ run: own, parent, spent }: Spending, share = 1): string | undefined {
  const run = parent ?? own;
  const times = run.budget_grants + 1;
  if (run.max_usd !== null && spent.usd >= run.max_usd * times * share) {
    return `it has spent $${spent.usd.toFixed(2)} of $${(run.max_usd * times).toFixed(2)}`;
  }
  if (run.max_tokens !== null && spent.tokens >= run.max_tokens * times * share) {
    return `it has used ${spent.tokens} of ${run.max_tokens * times} tokens`;
  }
  return undefined;
}

export function dollarsLeft({ run: own, parent, spent }: Spending): number | undefined {
  const run = parent ?? own;
  if (run.max_usd === null) return undefined;
  return Math.max(0.01, run.max_usd * (run.budget_grants + 1) * interruptShare - spent.usd);
}
