/**
 * Reads a run and performs one step of it.
 *
 * - `advance(context, runId, signal, onStep)` performs the next step and returns what comes next: `go_on`, `wait` (until a time,
 *   or until something changes), `replaced` (another driver has the run) or `end`. The signal interrupts a step that
 *   waits; an interrupted step is performed again.
 *
 * Errors of the step are thrown; the driver decides how often to retry.
 */
import { DevflowError } from "@devflow/core/errors";
import type { DriverContext } from "./context.ts";
import { nextStep, type WaitReason } from "./next-step.ts";
import { performStep } from "./perform-step.ts";
import { loadSnapshot } from "./snapshot.ts";

export type Next =
  | { readonly kind: "go_on" }
  | { readonly kind: "wait"; readonly reason: WaitReason; readonly until: number | undefined }
  | { readonly kind: "replaced" }
  | { readonly kind: "end" };

export async function advance(
  context: DriverContext,
  runId: string,
  signal: AbortSignal,
  onStep: (step: string) => void = () => undefined,
): Promise<Next> {
  onStep("read_run");
  const snapshot = await context.database.asEngine((tx) => loadSnapshot(tx, runId));
  if (!snapshot) return { kind: "end" };
  if (snapshot.run.driver_epoch !== context.epoch) return { kind: "replaced" };
  const step = nextStep(snapshot, context.clock.now());
  onStep(step.kind);
  if (step.kind === "end") return { kind: "end" };
  if (step.kind === "wait") return { kind: "wait", reason: step.reason, until: step.until };
  try {
    await performStep(context, snapshot, step, signal);
    return { kind: "go_on" };
  } catch (error) {
    if (error instanceof DevflowError && error.code === "driver_replaced") return { kind: "replaced" };
    throw error;
  }
}
