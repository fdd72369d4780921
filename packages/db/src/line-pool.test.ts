import { afterAll, expect, test } from "bun:test";
import { testDatabase } from "@devflow/testkit";
import { openLine } from "./line.ts";
import { createLinePool } from "./line-pool.ts";

const { target, name, close } = await testDatabase({ poolSize: 1 });
afterAll(close);

const open = () => openLine(target, { database: name });
type Pool = ReturnType<typeof createLinePool>;
/** The Postgres processes that served so many requests at once. */
const backendsOf = async (pool: Pool, count: number): Promise<readonly number[]> => {
  const ask = () =>
    pool.use(
      async (line) => (await line.statement<{ pid: number }[]>`select pg_backend_pid() as pid, pg_sleep(0.05)`)[0],
    );
  const rows = await Promise.all(Array.from({ length: count }, ask));
  return [...new Set(rows.flatMap((row) => row?.pid ?? []))];
};

test("connections that many requests at once have opened are closed soon, and the last one stays", async () => {
  const pool = createLinePool({ open, size: 4, spareIdleMs: 100 });
  const watcher = open();
  const pids = await backendsOf(pool, 8);
  expect(pids).toHaveLength(4);
  // Only these: other processes come and go in a database, such as autovacuum.
  const living = async () => {
    const [row] = await watcher.statement<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity where pid::text = any (string_to_array(${pids.join()}, ','))`;
    return row?.count ?? 0;
  };
  while ((await living()) > 1) await Bun.sleep(20);
  await Bun.sleep(300);
  expect(await living()).toBe(1);
  await pool.close();
  await watcher.end();
});

test("the last connection is closed too when nobody comes for long, and the next one who comes gets another", async () => {
  const first = open();
  const pool = createLinePool({ open, size: 4, first, lastIdleMs: 100 });
  expect(await backendsOf(pool, 1)).toHaveLength(1);
  await first.died;
  expect(await backendsOf(pool, 1)).toHaveLength(1);
  await pool.close();
});
