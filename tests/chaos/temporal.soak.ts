/**
 * Every path on Temporal with its worker, Temporal and Postgres killed; `npm run soak -- --fleet` makes a table of it. Each outcome
 * is held against the same path on the inline engine.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { startTemporal } from "@devflow/testkit/temporal-server";
import { openMatrix } from "./matrix.ts";

const temporal = await startTemporal();
const matrix = await openMatrix({ temporal });
afterAll(async () => {
  await matrix.close();
  await temporal.stop();
});

const limitMs = 3_600_000;
const undisturbed = ({ kills, faults }: { kills: number; faults: string[] }) =>
  expect({ faults, wasKilled: kills > 0 }).toEqual({ faults: [], wasKilled: true });

describe.each(["happy", "repair", "request changes", "abort", "lanes"] as const)("the %s path on Temporal", (path) => {
  test(
    "the worker, at every point",
    async () => {
      const points = [...(await matrix.visits(path)).keys()];
      const { kills, faults } = await matrix.gauntlet(path, points);
      expect({ faults, kills }).toEqual({ faults: [], kills: points.length });
    },
    limitMs,
  );
  test("Temporal, again and again", async () => undisturbed(await matrix.killedTemporal(path, temporal)), limitMs);
  test("Postgres, again and again", async () => undisturbed(await matrix.killedPostgres(path)), limitMs);
});
