/**
 * Presence: one connection per process, holding a shared lock while the process uses the server.
 *
 * - `holdPresence(target)` connects and takes the lock; undefined while the server does not accept connections yet.
 * - `claimAlone()` true when no other process is present, and then none can join; false changes nothing.
 *
 * A killed process loses its connection, and with it the lock. A crash of another backend resets every connection; the
 * lock is then taken again.
 */
import { bestEffort } from "@devflow/core/best-effort";
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import { applicationName, type ConnectionTarget } from "../connection-target.ts";
import { type Line, openLine } from "../line.ts";

export interface Presence {
  readonly kind: "embedded" | "system";
  readonly version: string;
  claimAlone(): Promise<boolean>;
  release(): Promise<void>;
}

/** "devflow" in ASCII; the lock is in the database `postgres`, which nothing else uses. */
const lockKey = 0x646576;

export async function holdPresence(target: ConnectionTarget, log: Log): Promise<Presence | undefined> {
  let isOver = false;
  let line = openPresence(target);
  const keep = async (): Promise<void> => {
    await line.died;
    if (isOver) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (isOver) return;
    line = openPresence(target);
    const held = await bestEffort("hold postgres presence", log, () => take(line));
    if (held) return keep();
  };
  const end = async () => {
    isOver = true;
    await line.end();
  };
  try {
    const about = await take(line);
    void keep();
    return {
      ...about,
      release: end,
      async claimAlone() {
        await line.statement`select pg_advisory_unlock_shared(${lockKey})`;
        // A process that just exited or was killed is still present until its backend notices.
        for (const deadline = Date.now() + leavingMs; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
          if (await isAlone(line)) return true;
          if (Date.now() > deadline) return false;
        }
      },
    };
  } catch (error) {
    await end();
    // It is starting, stopping or recovering, or its socket does not exist (yet, or any more).
    if (error instanceof DevflowError && error.code === "db_unreachable") return undefined;
    throw error;
  }
}

const leavingMs = 600;

async function isAlone(line: Line): Promise<boolean> {
  const [lock] = await line.statement<{ got: boolean }[]>`select pg_try_advisory_lock(${lockKey}) as got`;
  if (!lock?.got) return false;
  // Some processes may use the server without having started or adopted it.
  const [others] = await line.statement<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where backend_type = 'client backend' and application_name like 'devflow:%'
      and application_name <> ${applicationName}`;
  if (others?.count === 0) return true;
  await line.statement`select pg_advisory_unlock(${lockKey})`;
  return false;
}

const openPresence = (target: ConnectionTarget) => openLine(target, { database: "postgres", connectSeconds: 5 });

async function take(line: Line): Promise<Pick<Presence, "kind" | "version">> {
  const [about] = await line.statement<{ version: string; kind: string | null }[]>`
    select current_setting('server_version') as version, current_setting('devflow.kind', true) as kind,
           pg_advisory_lock_shared(${lockKey})::text as held`;
  return {
    kind: about?.kind === "system" ? "system" : "embedded",
    version: /^\d+\.\d+/.exec(about?.version ?? "")?.[0] ?? about?.version ?? "",
  };
}
