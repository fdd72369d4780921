/**
 * Runs wake their kin: a parent that paused or ended wakes its lanes, and a lane that used something or closed wakes its
 * parent.
 *
 * - `tellsParent(types)`, `tellsLanes(types)` whether these events concern it. Pure.
 * - `openLanes(database, runId)` the lanes of a run that are not closed.
 * - `wakeKinRows(tx, run, events)` tells a distributed engine in the transaction of the change: the kin may be on another
 *   machine, and this one may die right after it has committed.
 */
import type { Database, LastStatement, Transaction } from "@devflow/db";
import type { RunRow } from "../engine/rows.ts";
import { writeWake } from "../engine/wakes.ts";
import type { RunEventType } from "../events/event-types.ts";

const forParent: ReadonlySet<RunEventType> = new Set(["usage.recorded", "report.written"]);
const forLanes: ReadonlySet<RunEventType> = new Set([
  ...(["run.paused", "run.resumed", "run.completed", "run.failed", "run.aborted"] as const),
]);

type Typed = { readonly type: RunEventType };

export const tellsParent = (events: readonly Typed[]): boolean => events.some(({ type }) => forParent.has(type));
export const tellsLanes = (events: readonly Typed[]): boolean => events.some(({ type }) => forLanes.has(type));

export async function openLanes(database: Pick<Database, "asEngine">, runId: string): Promise<string[]> {
  const rows = await database.asEngine(
    (tx) => tx<{ id: string }[]>`
      select id from app.runs where root_run_id = ${runId} and parent_run_id is not null and final_report_path is null`,
  );
  return rows.map((row) => row.id);
}

export function wakeKinRows(
  tx: Transaction,
  run: Pick<RunRow, "id" | "parent_run_id">,
  events: readonly Typed[],
): LastStatement[] {
  if (run.parent_run_id !== null) return tellsParent(events) ? [writeWake(tx, run.parent_run_id)] : [];
  if (!tellsLanes(events)) return [];
  return [
    tx`
      insert into app.run_wakes (run_id, team_id) select id, team_id from app.runs
      where root_run_id = ${run.id} and parent_run_id is not null and final_report_path is null and engine = 'temporal'`,
  ];
}
