/** Work whose failure must not fail the caller: failures are logged and counted. A failing log does not fail it either. */
import type { Log } from "./log.ts";

const failures = new Map<string, number>();

export async function bestEffort<T>(what: string, log: Log, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const times = (failures.get(what) ?? 0) + 1;
    failures.set(what, times);
    try {
      log.warn({ what, times, err: error }, "best effort failed");
    } catch {
      // The count is kept; there is nobody left to tell.
    }
    return undefined;
  }
}
