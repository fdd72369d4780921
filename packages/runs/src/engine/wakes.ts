/**
 * What a distributed engine still has to be told: one row per change of a run, committed with the change.
 *
 * - `writeWake(tx, runId)` adds a row, if the run belongs to the distributed engine.
 * - `dueWakes(context)` the runs to tell about, with the ids of their rows: those of this machine, and those of other machines
 *   that nobody told for a while.
 * - `wakesDelivered(context, ids)` deletes what was told. A change that comes in between has a row of its own and stays.
 * - `oldestWake(context)` since when somebody waits, for `devflow status`.
 */
import type { LastStatement, Transaction } from "@devflow/db";
import type { EngineContext } from "./context.ts";

export interface DueWake {
  readonly runId: string;
  readonly host: string;
  readonly ids: readonly number[];
  /** Nothing is left to do for the run, so nobody has to be told. */
  readonly isClosed: boolean;
}

/** The worker of the run's own machine comes first; it is the one that acts. */
const otherHostsMs = 2_000;
const mostAtOnce = 200;

export function writeWake(tx: Transaction, runId: string): LastStatement {
  return tx`
    insert into app.run_wakes (run_id, team_id) select id, team_id from app.runs where id = ${runId} and engine = 'temporal'`;
}

export async function dueWakes({ database, host }: EngineContext): Promise<readonly DueWake[]> {
  return await database.asEngine(
    (tx) => tx<DueWake[]>`
      select w.run_id as "runId", r.host, json_agg(w.id order by w.id) as ids,
        r.state in ('completed', 'failed', 'aborted') and r.final_report_path is not null as "isClosed"
      from app.run_wakes w join app.runs r on r.id = w.run_id
      where r.host = ${host} or w.created_at < now() - make_interval(secs => ${otherHostsMs / 1000})
      group by w.run_id, r.id order by min(w.id) limit ${mostAtOnce}`,
  );
}

export async function wakesDelivered({ database }: EngineContext, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await database.asEngine(
    (tx) => tx`
      delete from app.run_wakes where id in (select value::bigint from jsonb_array_elements_text(${tx.json(ids)}))`,
  );
}

export async function oldestWake({
  database,
  host,
}: Pick<EngineContext, "database" | "host">): Promise<Date | undefined> {
  const [row] = await database.asEngine(
    (tx) => tx<{ since: Date | null }[]>`
      select min(w.created_at) as since from app.run_wakes w join app.runs r on r.id = w.run_id where r.host = ${host}`,
  );
  return row?.since ?? undefined;
}
