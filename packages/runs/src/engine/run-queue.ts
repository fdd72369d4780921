/**
 * Which runs of this machine are due, and how many may be at work at once.
 *
 * - `unfinishedRuns(context, engine)` those of an engine that are not closed and not queued, oldest first.
 * - `eventSeqs(context, runIds)` the last event of each.
 * - `takeSlot(context, tx, place)` locks the queue of a machine, then counts: undefined if a new run may begin, or the runs that are ahead of it.
 * - `isSlotFree(tx, run, limit)` locks the queue, then counts: whether a run that a person let continue may do so at once.
 * - `holdsSlotIn(tx)` the condition on a run `r`, for a query.
 * - `takeNextQueued(context, engine)` takes a run of the engine out of the queue when a slot is free: first those that a person let continue, then
 *   new ones, the oldest first.
 *
 * Only runs at work hold a slot. One that waits at a gate, or for its lanes, or is paused, holds none, and is queued when it
 * may continue.
 */
import type { EngineName } from "@devflow/core/enums";
import { faultPoint } from "@devflow/core/fault-point";
import type { Transaction } from "@devflow/db";
import type { EngineContext } from "./context.ts";
import type { RunRow } from "./rows.ts";
import { slotStates } from "./run-machine.ts";
import { writeWake } from "./wakes.ts";

export async function unfinishedRuns({ database, host }: EngineContext, engine: EngineName): Promise<string[]> {
  const rows = await database.asEngine(
    (tx) => tx<{ id: string }[]>`
      select id from app.runs
      where host = ${host} and engine = ${engine} and not queued and (state not in ('completed', 'failed', 'aborted') or final_report_path is null)
      order by created_at, id`,
  );
  return rows.map((row) => row.id);
}

export async function eventSeqs({ database }: EngineContext, runIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await database.asEngine(
    (tx) => tx<{ id: string; seq: number }[]>`
      select id, event_seq::float8 as seq from app.runs
      where id in (select jsonb_array_elements_text(${tx.json(runIds)})::uuid)`,
  );
  return new Map(rows.map((row) => [row.id, row.seq]));
}

export async function takeSlot(
  context: EngineContext,
  tx: Transaction,
  { host, places }: { readonly host: string; readonly places?: number | undefined } = context,
): Promise<readonly string[] | undefined> {
  await lockQueue({ host }, tx);
  const rows = await tx<{ id: string }[]>`
    select id from app.runs r where host = ${host} and ${holdsSlotIn(tx)} order by created_at, id`;
  return rows.length < (places ?? context.maxConcurrentRuns()) ? undefined : rows.map((row) => row.id);
}

export async function isSlotFree(
  tx: Transaction,
  { id, host }: Pick<RunRow, "id" | "host">,
  limit: number,
): Promise<boolean> {
  await lockQueue({ host }, tx);
  // New runs that are queued come after it.
  const ahead = await tx`
    select from app.runs r where host = ${host} and id <> ${id} and ${holdsSlotIn(tx)}
      and not (queued and state = 'created')`;
  return ahead.length < limit;
}

export interface Turn {
  /** The run that has a slot now. */
  readonly taken: string | undefined;
  /** Whether others are still queued. */
  readonly isMore: boolean;
}

export async function takeNextQueued(context: EngineContext, engine: EngineName): Promise<Turn> {
  const limit = context.maxConcurrentRuns();
  const turn = await context.database.asEngine(async (tx): Promise<Turn> => {
    await lockQueue(context, tx);
    const [row] = await tx<{ id: string }[]>`
      update app.runs set queued = false, updated_at = now()
      where id = (select id from app.runs
          where host = ${context.host} and engine = ${engine} and queued and state in ${tx(slotStates)}
          order by state = 'created', updated_at, created_at, id limit 1)
        and (select count(*) from app.runs r
          where host = ${context.host} and not queued and ${holdsSlotIn(tx)}) < ${limit}
      returning id`;
    if (row) await writeWake(tx, row.id);
    // Its phases did not use their time while the run was queued.
    if (row)
      await tx`
        update app.run_phases set active_since = ${new Date(context.clock.now())}
        where run_id = ${row.id} and active_since is not null`;
    const left = await tx`
      select from app.runs where host = ${context.host} and engine = ${engine} and queued limit 1`;
    return { taken: row?.id, isMore: left.length > 0 };
  });
  if (turn.taken) faultPoint("after_place_taken");
  return turn;
}

/** Whether the run `r` is at work; while its lanes are, it is not. */
export const holdsSlotIn = (tx: Transaction) => tx`
  (r.state in ${tx(slotStates)} and not exists (
    select from app.run_phases w where w.id = r.current_phase_id and w.kind = 'lanes' and w.state = 'running'))`;

/** Two starters cannot both take the last slot. */
async function lockQueue({ host }: Pick<EngineContext, "host">, tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`devflow:start-run:${host}`}, 0))`;
}
