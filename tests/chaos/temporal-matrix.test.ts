/**
 * The same runs on Temporal: undisturbed, with the engine killed at points of its paths, and with Temporal killed under them.
 * Each outcome is held against the same path on the inline engine.
 */
import { afterAll, expect, test } from "bun:test";
import { canRun } from "@devflow/testkit";
import { lackOfSmallDisk } from "@devflow/testkit/small-disk";
import { startTemporal } from "@devflow/testkit/temporal-server";
import { openMatrix } from "./matrix.ts";
import { paths } from "./paths.ts";

const soak = process.env.DEVFLOW_TEST_SOAK;
const temporal = await startTemporal();
const matrix = await openMatrix({ temporal });
afterAll(async () => {
  await matrix.close();
  await temporal.stop();
});

test.each(paths.map((one) => one.name))(
  "the %s path has the same events on Temporal as inline",
  async (name) => {
    expect(await matrix.gauntlet(name, [])).toEqual({ kills: 0, faults: [] });
  },
  240_000,
);

/** Spread over the path; `npm run soak` takes all of them. */
const some = (points: readonly string[]): readonly string[] =>
  soak ? points : points.filter((_, index) => index % 9 === 4);

test.each(["happy", "request changes"] as const)(
  "the %s path on Temporal, its worker killed again and again, ends as undisturbed",
  async (name) => {
    const points = some([...(await matrix.visits(name)).keys()]);
    const { kills, faults } = await matrix.gauntlet(name, points);
    expect({ faults, isKilled: kills >= points.length / 2 }).toEqual({ faults: [], isKilled: true });
  },
  soak ? 3_600_000 : 480_000,
);

test("a run whose Temporal is killed again and again ends as undisturbed", async () => {
  const { kills, faults } = await matrix.killedTemporal("happy", temporal);
  expect({ faults, wasKilled: kills > 1 }).toEqual({ faults: [], wasKilled: true });
}, 240_000);

const hasSmallDisk = await canRun("a full disk", lackOfSmallDisk);
test.skipIf(!hasSmallDisk)(
  "a run on Temporal whose machine has a full disk after each decision ends as undisturbed",
  async () => {
    const { failures, faults } = await matrix.fullDisk("happy");
    expect({ faults, hasFailed: failures > 2 }).toEqual({ faults: [], hasFailed: true });
  },
  240_000,
);
