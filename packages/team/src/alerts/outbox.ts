/**
 * The messages that wait to be sent (`app.alert_messages`).
 *
 * - `takeDue(outbox)` the next one that is due, and counts the attempt; for a minute nobody else takes it. If this process dies before it
 *   has settled it, it is due again: it is sent at least once.
 * - `settle(outbox, message, error)` sent, or why not; after the last attempt it is given up. Either way its content is deleted.
 * - `outboxProblems(outbox)` what could not be sent, as text, without the names of teams.
 */
import type { Clock } from "@devflow/core/clock";
import type { Database } from "@devflow/db";
import type { AlertKind } from "../messages/index.ts";

export interface Outbox {
  readonly database: Pick<Database, "asEngine">;
  readonly clock: Clock;
}

/** Before the second attempt, the third, and so on; 15 hours in all. */
const retryDelaysMs = [1, 5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800].map((seconds) => seconds * 1000);
/** Longer than an attempt may take. */
const leaseMs = 60_000;
/** What nobody has to be told any more, such as after a restored backup. */
const staleMs = 3 * 86_400_000;

export interface DueMessage {
  readonly teamId: string;
  readonly team: string;
  readonly slug: string;
  readonly key: string;
  readonly target: string;
  readonly kind: AlertKind;
  readonly body: unknown;
  /** With this one. */
  readonly attempts: number;
  readonly webhookUrl: string | null;
  readonly webhookFormat: "auto" | "slack" | "json";
  readonly timeZone: string;
}

const iso = (ms: number): string => new Date(ms).toISOString();

export async function takeDue({ database, clock }: Outbox): Promise<DueMessage | undefined> {
  const now = clock.now();
  return await database.asEngine(async (tx) => {
    await tx`
      update app.alert_messages set ended_at = ${iso(now)}, body = null, last_error = coalesce(last_error, 'older than three days')
      where ended_at is null and created_at < ${iso(now - staleMs)}`;
    const [row] = await tx<DueMessage[]>`
      with taken as (
        update app.alert_messages m set attempts = m.attempts + 1, next_try_at = ${iso(now + leaseMs)}
        where (m.team_id, m.key, m.target) in (
          select d.team_id, d.key, d.target from app.alert_messages d
          where d.ended_at is null and d.next_try_at <= ${iso(now)}
          order by d.next_try_at, d.key, d.target limit 1 for update skip locked)
        returning m.*)
      select t.team_id as "teamId", n.name as team, n.slug, t.key, t.target, t.kind, t.body, t.attempts, s.webhook_url as "webhookUrl",
        coalesce(s.webhook_format, 'auto') as "webhookFormat", coalesce(s.time_zone, 'UTC') as "timeZone"
      from taken t join app.teams n on n.id = t.team_id left join app.alert_settings s on s.team_id = t.team_id`;
    return row;
  });
}

export async function settle(
  { database, clock }: Outbox,
  { teamId, key, target, attempts }: Pick<DueMessage, "teamId" | "key" | "target" | "attempts">,
  error?: string,
): Promise<void> {
  const delay = retryDelaysMs[attempts - 1];
  const now = clock.now();
  const isOver = error === undefined || delay === undefined;
  await database.asEngine((tx) =>
    isOver
      ? tx`
        update app.alert_messages set ended_at = ${iso(now)}, last_error = ${error ?? null}, body = null
        where team_id = ${teamId} and key = ${key} and target = ${target}`
      : tx`
        update app.alert_messages set next_try_at = ${iso(now + delay)}, last_error = ${error}
        where team_id = ${teamId} and key = ${key} and target = ${target}`,
  );
}

/** Milliseconds from now; undefined when nothing waits. */
export async function nextDueInMs({ database, clock }: Outbox): Promise<number | undefined> {
  const [row] = await database.asEngine(
    (tx) => tx<{ ms: number | null }[]>`
      select extract(epoch from least(
        (select min(next_try_at) from app.alert_messages where ended_at is null),
        (select min(next_try_at) from app.eval_checks where next_try_at < 'infinity')))::float8 * 1000 as ms`,
  );
  return row?.ms === null || row?.ms === undefined ? undefined : Math.max(0, row.ms - clock.now());
}

/** Those that were given up count for a week. */
export async function outboxProblems({ database, clock }: Outbox): Promise<string[]> {
  const [row] = await database.asEngine(
    (tx) => tx<{ unsent: number; unjudged: number }[]>`
      select (select count(*)::int from app.alert_messages where last_error is not null
                and (ended_at is null or ended_at > ${iso(clock.now() - 7 * 86_400_000)})) as unsent,
             (select count(*)::int from app.eval_checks where last_error is not null) as unjudged`,
  );
  const { unsent = 0, unjudged = 0 } = row ?? {};
  return [
    ...(unsent > 0
      ? [`${unsent} ${unsent === 1 ? "alert" : "alerts"} could not be sent. See: devflow team alerts show`]
      : []),
    ...(unjudged > 0
      ? [`${unjudged} eval ${unjudged === 1 ? "run" : "runs"} could not be compared. See: devflow logs`]
      : []),
  ];
}
