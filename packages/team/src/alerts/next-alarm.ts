/**
 * Whether a line of runs has regressed, still is, or has recovered. Pure.
 *
 * - `nextAlarm(isOpen, seen)` what to do about it.
 *
 * A line is well until a state is a regression of the one before it: then a regression opens, and remembers the runs before it. While
 * it is open, a state that is a regression of the regressed one is told too. It closes when a state is no longer worse than the runs
 * that it remembers; where those are gone, when a state is an improvement. Too few cases to tell change nothing.
 */
import type { EvalVerdict } from "@devflow/protocol";

export interface SeenState {
  /** Against the state before; null when there is none. */
  readonly versusBefore: EvalVerdict | null;
  /** Against the runs before the open regression; null when they are gone. */
  readonly versusBaseline: EvalVerdict | null;
  /** The newest state is the one that opened the regression, run again. */
  readonly isSameState: boolean;
}

export type NextAlarm = "none" | "open" | "worsen" | "close";

export function nextAlarm(isOpen: boolean, { versusBefore, versusBaseline, isSameState }: SeenState): NextAlarm {
  if (!isOpen) return versusBefore === "regression" ? "open" : "none";
  if (!isSameState && versusBefore === "regression") return "worsen";
  if (versusBaseline === "no evidence" || versusBaseline === "improvement") return "close";
  if (isSameState || versusBefore !== "improvement") return "none";
  return versusBaseline === "regression" ? "none" : "close";
}
