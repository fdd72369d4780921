/**
 * Whether the engine is needed before anyone asks for runs.
 *
 * - `hasUnfinishedRuns(database, host)` true when the engine's `start()` would resume a run of this machine or take one out
 *   of the queue (see engine/run-queue.ts), or when messages about runs wait to be sent. A server checks at its start, and loads no run code without any.
 */
import type { Database } from "@devflow/db";

export async function hasUnfinishedRuns(database: Pick<Database, "asEngine">, host: string): Promise<boolean> {
  const [row] = await database.asEngine(
    (tx) => tx<{ found: boolean }[]>`
      select exists (
        select from app.runs
        where host = ${host} and (state not in ('completed', 'failed', 'aborted') or final_report_path is null)
      ) or exists (select from app.notifications where host = ${host} and ended_at is null) as found`,
  );
  return row?.found ?? false;
}
