/** For the tests and benchmarks of other packages: `@devflow/worker/testing`. */
import type { EngineContext } from "@devflow/runs/fleet";
import { createTemporalDriver, type DriverTimes } from "../src/temporal/temporal-driver.ts";
import { workflowCode } from "../src/workflow/workflow-code.ts";

/** A driver on a Temporal server that a test started, with times that a test can wait for. */
export async function temporalTestDriver(
  { address, namespace }: { readonly address: string; readonly namespace: string },
  times: Partial<DriverTimes> = {},
) {
  const code = await workflowCode();
  return {
    engine: "temporal" as const,
    create: (context: EngineContext) =>
      createTemporalDriver(context, {
        place: { address, namespace, connection: { address } },
        workflowCode: code,
        times: { ...testTimes, ...times },
      }),
  };
}

const testTimes: Partial<DriverTimes> = {
  heartbeatMs: 2_000,
  toStartMs: 5_000,
  lookEveryMs: 500,
  sweepEveryMs: 1_000,
  graceMs: 2_000,
};
