/** One automatic second attempt, whatever went wrong in the first; then a person is asked. */
import type { RunFact } from "../fact.ts";
import type { PhaseRow } from "../rows.ts";
import { beginAttempt, failPhase } from "./phase-steps.ts";

const automaticLimit = 2;

export interface NextAttempt {
  readonly trigger: "artifact_timed_out" | "artifact_invalid";
  readonly code: string;
  readonly reason: string;
  readonly repair: boolean;
  readonly comment: string | null;
}

export async function nextAttemptOrGate(
  fact: RunFact,
  phase: PhaseRow,
  { trigger, code, reason, repair, comment }: NextAttempt,
): Promise<void> {
  if (phase.automatic_attempts >= automaticLimit) return await failPhase(fact, phase, code, reason);
  const automatic = phase.automatic_attempts + 1;
  await beginAttempt(fact, phase, { trigger, automatic, repair, comment, reason: code });
}
