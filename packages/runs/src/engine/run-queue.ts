/**
 * Which runs of this machine are due.
 *
 * - `unfinishedRuns(context)` those that are not closed and not queued, oldest first.
 * - `takeNextQueued(context)` takes the oldest run out of the queue when a slot is free.
 */
import { faultPoint } from "@devflow/core/fault-point";
import type { EngineContext } from "./context.ts";

export async function unfinishedRuns({ database, host }: EngineContext): Promise<string[]> {
  const rows = await database.asEngine(
    (tx) => tx<{ id: string }[]>`
      select id from app.runs
      where host = ${host} and not queued and (state not in ('completed', 'failed', 'aborted') or final_report_path is null)
      order by created_at, id`,
  );
  return rows.map((row) => row.id);
}

export async function takeNextQueued(context: EngineContext): Promise<string | undefined> {
  const taken = await context.database.asEngine(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${`devflow:start-run:${context.host}`}, 0))`;
    const [row] = await tx<{ id: string }[]>`
      update app.runs set queued = false, updated_at = now()
      where id = (select id from app.runs where host = ${context.host} and queued and state = 'created' order by created_at, id limit 1)
        and (select count(*) from app.runs where host = ${context.host} and not queued
          and state not in ('completed', 'failed', 'aborted')) < ${context.maxConcurrentRuns}
      returning id`;
    return row?.id;
  });
  if (taken) faultPoint("after_place_taken");
  return taken;
}
