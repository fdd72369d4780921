/**
 * The messages that wait to be sent: rows that were committed with their events (`app.notifications`).
 *
 * - `takeDue(outbox)` the next one that is due, and counts the attempt; for a minute nobody else takes it. If this process dies
 *   before it has settled it, it is due again: it is sent at least once.
 * - `settle(outbox, notice, error)` sent, or why not; after the last attempt it is given up.
 * - `nextDueInMs(outbox)` when to look again.
 * - `dropAll(outbox)` nobody is to be told.
 * - `outboxState(outbox)` how many wait, and those that failed.
 */
import type { Database } from "@devflow/db";
import { NotificationState } from "@devflow/protocol";
import type { Notice } from "./compose-message.ts";

export interface Outbox {
  readonly database: Pick<Database, "asEngine">;
  readonly host: string;
}

/** Before the second attempt, the third, and so on; 15 hours in all. */
export const retryDelaysMs = [1, 5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800].map((seconds) => seconds * 1000);
/** Longer than an attempt may take. */
const leaseMs = 60_000;
/** What a person no longer has to be told, such as after a restored backup. */
const staleMs = 24 * 3600_000;

export interface TakenNotice extends Notice {
  /** With this one. */
  readonly attempts: number;
}

export async function takeDue({ database, host }: Outbox): Promise<TakenNotice | undefined> {
  return await database.asEngine(async (tx) => {
    await tx`
      update app.notifications set ended_at = now(), last_error = coalesce(last_error, 'older than a day')
      where host = ${host} and ended_at is null and created_at < now() - make_interval(secs => ${staleMs / 1000})`;
    // A permission that was answered meanwhile, by a person or by a rule, or withdrawn with its turn.
    await tx`
      update app.notifications n set ended_at = now() from app.run_events e
      where n.host = ${host} and n.ended_at is null and e.run_id = n.run_id and e.seq = n.seq
        and e.type = 'permission.requested' and not exists (select from app.permission_requests p where p.state = 'pending'
          and p.session_id = (e.payload ->> 'session')::uuid and p.permission_id = e.payload ->> 'permission')`;
    const [row] = await tx<TakenNotice[]>`
      with taken as (
        update app.notifications n set attempts = n.attempts + 1,
          next_try_at = now() + make_interval(secs => ${leaseMs / 1000})
        where (n.run_id, n.seq) in (
          -- In the order of the events; another process that serves the same host takes the next one.
          select d.run_id, d.seq from app.notifications d
          where d.host = ${host} and d.ended_at is null and d.next_try_at <= now()
          order by d.created_at, d.run_id, d.seq limit 1 for update skip locked)
        returning n.run_id, n.seq, n.attempts)
      select t.run_id as "runId", t.seq::int, t.attempts, e.type, e.idempotency_key as key, app.iso(e.ts) as at,
        case when r.parent_run_id is not null then jsonb_build_object('id', r.lane_id, 'of', r.parent_run_id) end as lane,
        e.payload ->> 'gate' as gate, coalesce(e.payload ->> 'reason', r.failure_reason) as reason, r.title,
        case when e.type = 'permission.requested' then jsonb_build_object('role', e.payload ->> 'role', 'tool', e.payload ->> 'tool',
          'detail', e.payload ->> 'detail') end as permission,
        coalesce(r.remote, r.repo_path) as repository, r.branch, r.pull_request ->> 'url' as "pullRequest"
      from taken t join app.run_events e on e.run_id = t.run_id and e.seq = t.seq join app.runs r on r.id = t.run_id`;
    return row;
  });
}

export async function settle(
  { database }: Outbox,
  { runId, seq, attempts }: Pick<TakenNotice, "runId" | "seq" | "attempts">,
  error?: string,
): Promise<void> {
  const delay = retryDelaysMs[attempts - 1];
  await database.asEngine((tx) =>
    error === undefined || delay === undefined
      ? tx`
        update app.notifications set ended_at = now(), last_error = ${error ?? null}
        where run_id = ${runId} and seq = ${seq}`
      : tx`
        update app.notifications set next_try_at = now() + make_interval(secs => ${delay / 1000}), last_error = ${error}
        where run_id = ${runId} and seq = ${seq}`,
  );
}

/** Milliseconds from now; undefined when nothing waits. */
export async function nextDueInMs({ database, host }: Outbox): Promise<number | undefined> {
  const [row] = await database.asEngine(
    (tx) => tx<{ ms: number | null }[]>`
      select extract(epoch from min(next_try_at) - now())::float8 * 1000 as ms
      from app.notifications where host = ${host} and ended_at is null`,
  );
  return row?.ms === null || row?.ms === undefined ? undefined : Math.max(0, row.ms);
}

export async function dropAll({ database, host }: Outbox): Promise<void> {
  await database.asEngine((tx) => tx`delete from app.notifications where host = ${host} and ended_at is null`);
}

/** Those that were given up count for a week. */
export async function outboxState({ database, host }: Outbox): Promise<NotificationState> {
  const [row] = await database.asEngine(
    (tx) => tx`
      select count(*) filter (where ended_at is null)::int as waiting,
        count(*) filter (where ended_at is null and last_error is not null)::int as failing,
        count(*) filter (where ended_at is not null)::int as "givenUp",
        (array_agg(last_error order by created_at desc) filter (where last_error is not null))[1] as "lastError"
      from app.notifications
      where host = ${host} and (ended_at is null or (last_error is not null and ended_at > now() - interval '7 days'))`,
  );
  return NotificationState.parse({ ...row });
}
