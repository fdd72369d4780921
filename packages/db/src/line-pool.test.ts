import { afterAll, expect, test } from "bun:test";
import { testDatabase } from "@devflow/testkit";
import { openLine } from "./line.ts";
import { createLinePool } from "./line-pool.ts";

const { target, name, close } = await testDatabase({ poolSize: 1 });
afterAll(close);

const open = () => openLine(target, { database: name });
const backendsOf = async (pool: ReturnType<typeof createLinePool>, count: number): Promise<number> => {
  const pid = () => pool.use(async (line) => (await line.statement`select pg_backend_pid() as pid, pg_sleep(0.05)`)[0]);
  const rows = await Promise.all(Array.from({ length: count }, pid));
  return new Set(rows.map((row) => row?.pid)).size;
};
const openNow = async (pids: () => Promise<number>, wanted: number): Promise<void> => {
  while ((await pids()) !== wanted) await Bun.sleep(20);
};

test("connections that many requests at once have opened are closed soon, and the last one stays", async () => {
  const pool = createLinePool({ open, size: 4, spareIdleMs: 100 });
  const watcher = open();
  const others = async () => {
    const [row] = await watcher.statement<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity where datname = ${name} and pid <> pg_backend_pid()`;
    return row?.count ?? 0;
  };
  const before = await others();
  expect(await backendsOf(pool, 8)).toBe(4);
  expect(await others()).toBe(before + 4);
  await openNow(others, before + 1);
  await Bun.sleep(300);
  expect(await others()).toBe(before + 1);
  await pool.close();
  await watcher.end();
});

test("the last connection is closed too when nobody comes for long, and the next one who comes gets another", async () => {
  const first = open();
  const pool = createLinePool({ open, size: 4, first, lastIdleMs: 100 });
  expect(await backendsOf(pool, 1)).toBe(1);
  await first.died;
  expect(await backendsOf(pool, 1)).toBe(1);
  await pool.close();
});
