/**
 * Kill -9 of the engine at every fault point of every path. Here one run of each path is killed at all of its points,
 * one after the other; `npm run soak` kills a run of its own at every visit of every point and writes docs/reliability.md.
 */
import { afterAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canRun } from "@devflow/testkit";
import { lackOfSmallDisk } from "@devflow/testkit/small-disk";
import { openMatrix } from "./matrix.ts";
import { pathOf, paths } from "./paths.ts";
import { type Cell, pointsOnPage, reliabilityPage } from "./reliability-page.ts";

const page = join(import.meta.dir, "../../docs/reliability.md");
const soak = process.env.DEVFLOW_TEST_SOAK;
const matrix = await openMatrix();
afterAll(() => matrix.close());
const names = paths.map((one) => one.name);
/** `npm run soak -- --path <name>` measures only these, and leaves the others on the page. */
const chosen = process.env.DEVFLOW_TEST_SOAK_PATHS?.split(",");
const measured = names.filter((one) => chosen === undefined || chosen.includes(one));

test.concurrent.each(measured.filter((one) => !pathOf(one).isTimed))(
  "the %s path, killed at every point, ends as undisturbed",
  async (name) => {
    const isEvery = soak !== undefined && !pathOf(name).isConcurrent;
    const points = isEvery ? await matrix.sequence(name) : [...(await matrix.visits(name)).keys()];
    const { kills, faults } = await matrix.gauntlet(name, points);
    expect({ faults, kills }).toEqual({ faults: [], kills: points.length });
  },
  1_200_000,
);

test.concurrent("an engine that was frozen while another took its run over changes nothing when it wakes", async () => {
  expect(await matrix.frozen("slow agent")).toEqual([]);
}, 240_000);

test.concurrent("a run whose Postgres is killed again and again ends as undisturbed, its transcripts whole", async () => {
  const { kills, faults } = await matrix.killedPostgres("happy");
  expect({ faults, wasKilled: kills > 1 }).toEqual({ faults: [], wasKilled: true });
}, 240_000);

const hasSmallDisk = await canRun("a full disk", lackOfSmallDisk);
test.concurrent.skipIf(!hasSmallDisk)(
  "a run whose disk is full after each decision ends as undisturbed",
  async () => {
    const { failures, faults } = await matrix.fullDisk("happy");
    expect({ faults, hasFailed: failures > 2 }).toEqual({ faults: [], hasFailed: true });
  },
  240_000,
);

test.concurrent("docs/reliability.md lists the points that there are", async () => {
  const there: Record<string, string[]> = {};
  for (const name of names) {
    const visits = await matrix.visits(name);
    there[name] = [...visits.keys()].sort();
  }
  expect(pointsOnPage(readFileSync(page, "utf8"))).toEqual(there);
}, 480_000);

if (soak) {
  test("the whole matrix: every killing ends as undisturbed", async () => {
    const todo: { name: (typeof names)[number]; point: string; visit: number }[] = [];
    for (const name of measured)
      for (const [point, visits] of await matrix.visits(name))
        for (let visit = 1; visit <= (soak === "first" ? 1 : visits); visit++) todo.push({ name, point, visit });
    const cells: Cell[] = [];
    const worker = async () => {
      for (let next = todo.shift(); next; next = todo.shift()) {
        const { name, point, visit } = next;
        const faults = await matrix.cell(name, point, visit).catch((error: Error) => [error.message]);
        cells.push({ path: name, point, visit, faults });
      }
    };
    await Promise.all([worker(), worker(), worker()]);
    writeFileSync(page, reliabilityPage(names, cells, readFileSync(page, "utf8")));
    expect(cells.filter((one) => one.faults.length > 0)).toEqual([]);
  }, 7_200_000);
}
