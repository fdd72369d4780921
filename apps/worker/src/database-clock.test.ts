import { afterAll, expect, test } from "bun:test";
import { systemClock } from "@devflow/core/clock";
import { testDatabase } from "@devflow/testkit";
import { openDatabaseClock } from "./database-clock.ts";

const { database, close } = await testDatabase();
afterAll(close);

test.each([
  ["an hour late", -3_600_000],
  ["right", 0],
  ["a day early", 86_400_000],
])("a machine whose clock is %s records the time of Postgres", async (_, wrongByMs) => {
  const clock = await openDatabaseClock(database, { ...systemClock, now: () => Date.now() + wrongByMs });
  clock.stop();
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(5_000);
  expect(Math.abs(clock.lateMs + wrongByMs)).toBeLessThan(5_000);
});
