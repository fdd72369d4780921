/**
 * Signing in a terminal by a code that is typed into a browser (RFC 8628).
 *
 * - `start(label)` a device code for the terminal, a user code for the person; ten minutes.
 * - `look(code)` which terminal shows this code; `decide(code, userId, decision)` approves or denies it, once.
 * - `poll(deviceCode)` what the terminal learns; an approval is handed out once, and the request is gone after it.
 *
 * A device code has 256 random bits. A user code has 34: few enough to type, and only a signed-in person can try one.
 */
import { randomInt } from "node:crypto";
import type { Clock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import type { Database, Transaction } from "@devflow/db";
import type { Grant } from "@devflow/protocol";
import { hashOf, newSecret } from "./one-time-secret.ts";
import type { OpenedSignIn, SignIns } from "./sign-ins.ts";

export const deviceLifetimeS = 600;
const firstIntervalS = 5;
/** As RFC 8628 says: each poll that comes too early makes the interval longer by this. */
const slowDownS = 5;
/** A flood of requests is refused before it fills the table. */
const maxWaiting = 1000;
/** A terminal asks after five seconds. One that has not asked by now is none, and gives way when there are too many. */
const silentMs = 30_000;
/** No vowels, so that no code is a word; nothing that looks like something else. */
const letters = "BCDFGHJKLMNPQRSTVWXZ";

interface PollRow {
  readonly expiresAtMs: number;
  readonly polledAtMs: number | null;
  readonly intervalS: number;
  readonly decision: "approved" | "denied" | null;
}

export type PollVerdict = "authorization_pending" | "slow_down" | "access_denied" | "expired_token" | "approved";

export function judgePoll(row: PollRow, now: number): PollVerdict {
  if (row.expiresAtMs <= now) return "expired_token";
  if (row.decision !== null) return row.decision === "approved" ? "approved" : "access_denied";
  const isEarly = row.polledAtMs !== null && now - row.polledAtMs < row.intervalS * 1000;
  return isEarly ? "slow_down" : "authorization_pending";
}

export type PollAnswer = Exclude<PollVerdict, "approved"> | "invalid_grant" | { readonly signIn: OpenedSignIn };

/** `bcdf ghjk` and `BCDF-GHJK` are the same code. */
function normalCode(typed: string): string {
  return typed.toUpperCase().replace(/[^A-Z]/g, "");
}

function shownCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

export function deviceRequests(options: {
  readonly database: Pick<Database, "asEngine">;
  readonly clock: Clock;
  readonly signIns: Pick<SignIns, "open">;
}) {
  const { database, clock, signIns } = options;
  const isoAt = (ms: number) => new Date(ms).toISOString();

  async function settle(tx: Transaction, deviceCode: string): Promise<PollAnswer> {
    const now = clock.now();
    const [row] = await tx<(PollRow & { id: string; label: string; userId: string | null; name: string | null })[]>`
      select d.id, d.label, d.decision, d.interval_s as "intervalS", d.decided_by as "userId", u.name,
        extract(epoch from d.expires_at)::float8 * 1000 as "expiresAtMs",
        extract(epoch from d.polled_at)::float8 * 1000 as "polledAtMs"
      from app.device_requests d left join app.users u on u.id = d.decided_by
      where d.device_hash = decode(${hashOf(deviceCode)}, 'hex') for update of d`;
    if (!row) return "invalid_grant";
    const verdict = judgePoll(row, now);
    if (verdict === "authorization_pending" || verdict === "slow_down") {
      const longer = verdict === "slow_down" ? slowDownS : 0;
      await tx`
        update app.device_requests set polled_at = ${isoAt(now)}, interval_s = least(interval_s + ${longer}, 3600)
        where id = ${row.id}`;
      return verdict;
    }
    await tx`delete from app.device_requests where id = ${row.id}`;
    if (verdict !== "approved" || row.userId === null || row.name === null) {
      return verdict === "approved" ? "invalid_grant" : verdict;
    }
    return { signIn: await signIns.open(tx, { id: row.userId, name: row.name }, "terminal", row.label) };
  }

  return {
    async start(
      label: string,
    ): Promise<{ readonly deviceCode: string; readonly userCode: string; readonly intervalS: number }> {
      const deviceCode = newSecret("dfd_");
      const now = clock.now();
      return await database.asEngine(async (tx) => {
        await tx`delete from app.device_requests where expires_at < ${isoAt(now - deviceLifetimeS * 1000)}`;
        const [waiting] = await tx<{ count: number }[]>`select count(*)::int as count from app.device_requests`;
        if ((waiting?.count ?? 0) >= maxWaiting) {
          const gone = await tx`
            delete from app.device_requests where polled_at is null and created_at < ${isoAt(now - silentMs)} returning id`;
          if (gone.length === 0) throw new DevflowError("too_many_attempts");
        }
        for (;;) {
          const code = Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join("");
          const made = await tx`
            insert into app.device_requests (device_hash, user_code, label, created_at, expires_at, interval_s)
            values (decode(${hashOf(deviceCode)}, 'hex'), ${code}, ${label}, ${isoAt(now)},
                    ${isoAt(now + deviceLifetimeS * 1000)}, ${firstIntervalS})
            on conflict (user_code) do nothing returning id`;
          if (made.length > 0) return { deviceCode, userCode: shownCode(code), intervalS: firstIntervalS };
        }
      });
    },

    async look(
      typed: string,
    ): Promise<{ readonly code: string; readonly terminal: string; readonly startedAt: string } | undefined> {
      const [row] = await database.asEngine(
        (tx) => tx<{ user_code: string; label: string; createdAtMs: number }[]>`
          select user_code, label, extract(epoch from created_at)::float8 * 1000 as "createdAtMs" from app.device_requests
          where user_code = ${normalCode(typed)} and decision is null and expires_at > ${isoAt(clock.now())}`,
      );
      return row && { code: shownCode(row.user_code), terminal: row.label, startedAt: isoAt(row.createdAtMs) };
    },

    /** False when there is no such request any more. */
    async decide(typed: string, user: Pick<Grant["user"], "id">, decision: "approved" | "denied"): Promise<boolean> {
      const rows = await database.asEngine(
        (tx) => tx`
          update app.device_requests set decided_by = ${user.id}, decision = ${decision}
          where user_code = ${normalCode(typed)} and decision is null and expires_at > ${isoAt(clock.now())} returning id`,
      );
      return rows.length > 0;
    },

    poll: (deviceCode: string): Promise<PollAnswer> => database.asEngine((tx) => settle(tx, deviceCode)),
  };
}

export type DeviceRequests = ReturnType<typeof deviceRequests>;
