/**
 * The clock of Postgres, as far as this machine can tell it: what a worker records and compares must not depend on how its
 * own clock is set.
 *
 * - `openDatabaseClock(database)` measures the difference now, and again every minute until `stop()`.
 */
import { type Clock, systemClock } from "@devflow/core/clock";
import type { Database } from "@devflow/db";

export interface DatabaseClock extends Clock {
  /** By how much this machine's clock is late, in milliseconds. */
  readonly lateMs: number;
  stop(): void;
}

const measureEveryMs = 60_000;

export async function openDatabaseClock(
  database: Pick<Database, "sql">,
  local: Clock = systemClock,
): Promise<DatabaseClock> {
  let lateMs = 0;
  const measure = async () => {
    const before = local.now();
    const [row] = await database.sql<
      { ms: number }[]
    >`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
    const after = local.now();
    // The answer left Postgres somewhere in between.
    if (row) lateMs = Math.round(row.ms - (before + after) / 2);
  };
  await measure();
  const timer = setInterval(() => void measure().catch(() => undefined), measureEveryMs);
  timer.unref();
  return {
    now: () => local.now() + lateMs,
    sleep: local.sleep,
    get lateMs() {
      return lateMs;
    },
    stop: () => clearInterval(timer),
  };
}
