/** Work whose failure must not fail the caller: failures are logged and counted. */
import type { Log } from "./log.ts";

const failures = new Map<string, number>();

export async function bestEffort<T>(what: string, log: Log, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    failures.set(what, (failures.get(what) ?? 0) + 1);
    log.warn({ what, err: error }, "best effort failed");
    return undefined;
  }
}

/** How often each kind of best-effort work failed in this process. */
export function bestEffortFailures(): Readonly<Record<string, number>> {
  return Object.fromEntries(failures);
}
