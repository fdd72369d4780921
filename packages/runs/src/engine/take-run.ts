/**
 * Takes a run: a new epoch for a new driver. From then on everything that an older driver tries to record is refused, and
 * so is everything it tries to do to the run's agents.
 *
 * - `takeRun(context, runId, stopping, { wakeRun, engine })` the driver's context; undefined when this machine has no such run
 *   of the engine.
 */
import type { EngineName } from "@devflow/core/enums";
import { faultPoint } from "@devflow/core/fault-point";
import type { DriverContext, EngineContext } from "./context.ts";

export async function takeRun(
  context: EngineContext,
  runId: string,
  stopping: AbortSignal,
  { wakeRun, engine = "inline" }: { readonly wakeRun: DriverContext["wakeRun"]; readonly engine?: EngineName },
): Promise<DriverContext | undefined> {
  const [row] = await context.database.asEngine(
    (tx) => tx<{ epoch: number }[]>`
      update app.runs set driver_epoch = driver_epoch + 1, step_failure = null
      where id = ${runId} and host = ${context.host} and engine = ${engine}
      returning driver_epoch::float8 as epoch`,
  );
  faultPoint("after_run_taken");
  return row && { ...context, epoch: row.epoch, stopping, wakeRun };
}
