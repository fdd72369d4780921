/** Ends a run because of a fatal or persistent error, with its reason and never silently. */
import { isTerminalRun } from "@devflow/core/enums";
import { toDevflowError } from "@devflow/core/errors";
import { changeAsDriver, type DriverContext } from "./context.ts";
import { endRun } from "./end-run.ts";

export async function failRun(driver: DriverContext, runId: string, error: unknown): Promise<void> {
  const known = toDevflowError(error);
  await changeAsDriver(driver, runId, async (fact) => {
    if (!isTerminalRun(fact.run.state)) await endRun(fact, "failed", `${known.code}: ${known.message}`);
  }).catch((again: unknown) => driver.log.error({ runId, err: again }, "the run could not be ended"));
}
