/**
 * The textbook test for pairs with one result per side. The product uses its generalisation, `stratifiedTest`; tests compare the two.
 *
 * - `exactMcNemar(broke, fixed)` two-sided p = twice the smaller binomial tail, and the mid-p.
 */
import { binomialAtMost, binomialProbability } from "./binomial.ts";

export function exactMcNemar(broke: number, fixed: number): { readonly p: number; readonly midP: number } {
  const changed = broke + fixed;
  if (changed === 0) return { p: 1, midP: 1 };
  const fewer = Math.min(broke, fixed);
  const tail = binomialAtMost(fewer, changed, 0.5);
  const p = Math.min(1, 2 * tail);
  return { p, midP: Math.min(1, 2 * tail - binomialProbability(fewer, changed, 0.5)) };
}
