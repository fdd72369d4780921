/** A run's events, a page at a time; undefined when the caller cannot see such a run. */
import type { RunEventView } from "@devflow/protocol";
import type { Reader } from "./reader.ts";
import { eventJson } from "./run-shapes.ts";

const mostEvents = 1000;

export interface EventPage {
  readonly events: RunEventView[];
  /** Continue after this seq; null at the end. */
  readonly next: number | null;
}

export async function runEvents(
  { database, claims }: Reader,
  runId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<EventPage | undefined> {
  const most = Math.min(limit, mostEvents);
  const [row] = await database.withClaims(
    claims,
    (tx) => tx<{ events: RunEventView[] }[]>`
      select (select coalesce(jsonb_agg(x.event order by x.seq), '[]') from (
          select e.seq, ${eventJson(tx)} as event
          from app.run_events e left join app.run_phases p on p.id = e.phase_id
          where e.run_id = r.id and e.seq > ${after} order by e.seq limit ${most + 1}) x) as events
      from app.runs r where r.id = ${runId}`,
  );
  if (!row) return undefined;
  const events = row.events.slice(0, most);
  return { events, next: row.events.length > most ? (events.at(-1)?.seq ?? null) : null };
}
