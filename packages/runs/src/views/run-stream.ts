/**
 * What a live stream of a run reads each time, in one statement: the events after its cursor, the run's state, and the
 * transcript after the cursor of each session. Undefined when the caller may not see the run (any more).
 */
import type { RunState } from "@devflow/core/enums";
import type { RunEventView } from "@devflow/protocol";
import type { Reader } from "./reader.ts";
import { eventJson } from "./run-shapes.ts";

export interface StreamedChunk {
  readonly sessionId: string;
  readonly role: string;
  readonly seq: number;
  readonly content: string;
  readonly at: string;
}

export interface StreamTurn {
  readonly state: RunState;
  readonly head: number;
  /** When the step that keeps the run from advancing failed last; null while all is well. */
  readonly failedAt: string | null;
  readonly events: readonly RunEventView[];
  readonly chunks: readonly StreamedChunk[];
}

/** Pages are small: a slow reader keeps at most one of them in memory. */
const eventsAtOnce = 500;
const chunksAtOnce = 50;

export async function streamTurn(
  { database, claims }: Reader,
  runId: string,
  { after, transcripts }: { readonly after: number; readonly transcripts: ReadonlyMap<string, number> },
): Promise<StreamTurn | undefined> {
  const cursors = Object.fromEntries(transcripts);
  const [row] = await database.withClaims(
    claims,
    (tx) => tx<StreamTurn[]>`
      select r.state, r.event_seq::float8 as head, r.step_failure ->> 'at' as "failedAt",
        (select coalesce(jsonb_agg(x.event order by x.seq), '[]') from (
          select e.seq, ${eventJson(tx)} as event
          from app.run_events e left join app.run_phases p on p.id = e.phase_id
          where e.run_id = r.id and e.seq > ${after} order by e.seq limit ${eventsAtOnce}) x) as events,
        (select coalesce(jsonb_agg(jsonb_build_object('sessionId', s.id, 'role', s.role_id, 'seq', c.seq,
            'content', c.content, 'at', app.iso(c.captured_at)) order by c.captured_at, c.session_id, c.seq), '[]')
          from app.sessions s cross join lateral (
            select * from app.transcript_chunks c
            where c.session_id = s.id and c.seq > coalesce((${tx.json(cursors)}::jsonb ->> s.id::text)::bigint, 0)
            order by c.seq limit ${chunksAtOnce}) c
          where s.run_id = r.id) as chunks
      from app.runs r where r.id = ${runId}`,
  );
  return row;
}

/** Where the transcript of each session ends now. */
export async function transcriptEnds({ database, claims }: Reader, runId: string): Promise<Map<string, number>> {
  const rows = await database.withClaims(
    claims,
    (tx) => tx<{ id: string; seq: number }[]>`
      select id, last_capture_seq::float8 as seq from app.sessions where run_id = ${runId}`,
  );
  return new Map(rows.map((row) => [row.id, row.seq]));
}
