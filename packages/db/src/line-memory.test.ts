/** A server keeps its connections for weeks: results must not accumulate in them. */
import { afterAll, expect, test } from "bun:test";
import { testDatabase } from "@devflow/testkit";

const { database, close } = await testDatabase({ poolSize: 1 });
afterAll(close);

const usedBytes = (): number => {
  Bun.gc(true);
  return process.memoryUsage().heapUsed;
};
const call = () => database.asEngine((tx) => tx`select repeat('x', 20000) as text`);

test("a connection does not keep its results", async () => {
  for (let count = 0; count < 100; count++) await call();
  const before = usedBytes();
  for (let count = 0; count < 1000; count++) await call();
  // The results together are 20 MB.
  expect(usedBytes() - before).toBeLessThan(4_000_000);
});
