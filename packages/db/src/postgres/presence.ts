/**
 * Being there: one connection per process, holding a shared lock for as long as the process uses the server.
 *
 * - `holdPresence(target)` connects and takes the lock; undefined while the server does not take connections yet.
 * - `claimAlone()` true when nobody else is there, and then nobody can come any more; false leaves all as it was.
 *
 * A process that is killed loses its connection, and with it the lock. A crash of another backend resets every
 * connection; the lock is then taken again.
 */
import { bestEffort } from "@devflow/core/best-effort";
import type { Log } from "@devflow/core/log";
import { applicationName, type ConnectionTarget, connect } from "../connection-target.ts";

export interface Presence {
  readonly kind: "embedded" | "system";
  readonly version: string;
  claimAlone(): Promise<boolean>;
  release(): Promise<void>;
}

/** "devflow" in ASCII; the lock is of the database `postgres`, which nothing else uses. */
const lockKey = 0x646576;

export async function holdPresence(target: ConnectionTarget, log: Log): Promise<Presence | undefined> {
  let isOver = false;
  const sql = connect(target, {
    database: "postgres",
    connectSeconds: 5,
    onClose: () => {
      if (!isOver) setTimeout(() => isOver || void bestEffort("hold postgres presence", log, take), 50);
    },
  });
  const take = () => sql`select pg_advisory_lock_shared(${lockKey})`;
  const end = async () => {
    isOver = true;
    await sql.end({ timeout: 1 }).catch(() => {});
  };
  try {
    const [about] = await sql<{ version: string; kind: string | null }[]>`
      select current_setting('server_version') as version, current_setting('devflow.kind', true) as kind,
             pg_advisory_lock_shared(${lockKey})::text as held`;
    return {
      kind: about?.kind === "system" ? "system" : "embedded",
      version: /^\d+\.\d+/.exec(about?.version ?? "")?.[0] ?? about?.version ?? "",
      release: end,
      async claimAlone() {
        await sql`select pg_advisory_unlock_shared(${lockKey})`;
        const [alone] = await sql<{ got: boolean }[]>`select pg_try_advisory_lock(${lockKey}) as got`;
        if (!alone?.got) return false;
        const [others] = await sql<{ count: number }[]>`
          select count(*)::int as count from pg_stat_activity
          where backend_type = 'client backend' and application_name like 'devflow:%'
            and application_name <> ${applicationName}`;
        return others?.count === 0;
      },
    };
  } catch (error) {
    await end();
    if (isNotReady(error)) return undefined;
    throw error;
  }
}

/** The server is starting, stopping or recovering, or its socket is not there (yet, or any more). */
function isNotReady(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code);
  return [
    "57P01",
    "57P02",
    "57P03",
    "ENOENT",
    "ECONNREFUSED",
    "ECONNRESET",
    "EPIPE",
    "CONNECTION_CLOSED",
    "CONNECTION_ENDED",
    "CONNECTION_DESTROYED",
    "CONNECT_TIMEOUT",
  ].includes(code);
}
