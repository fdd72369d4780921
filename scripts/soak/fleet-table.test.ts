/** The part of docs/reliability.md about runs on Temporal. */
import { expect, test } from "bun:test";
import { fleetTable } from "./fleet-table.ts";
import { headings, partOf, withPart } from "./page-part.ts";

const part = fleetTable(
  [
    { name: "the happy path on Temporal > the worker, at every point", outcome: "passed" },
    { name: "the abort path on Temporal > Temporal, again and again", outcome: "failed" },
    { name: "a worker that was cut off changes nothing", outcome: "passed" },
  ],
  "abc1234",
);

test("paths are columns, what is killed are rows, and the rest is a list", () => {
  expect(part).toContain("| killed (kill -9) | happy | abort |");
  expect(part).toContain("| the worker, at every point | ✓ |  |");
  expect(part).toContain("| Temporal, again and again |  | **✗** |");
  expect(part).toContain("- a worker that was cut off changes nothing ✓");
  expect(part).toContain("2 of 3 at commit abc1234.");
});

test("a part stands before those that follow it, is replaced, and the rest of the page stays", () => {
  const page = withPart("# Reliability\n\n## Real agents\n\n$& x\n", headings.fleet, part);
  expect(page).toBe(`# Reliability\n${part}\n## Real agents\n\n$& x\n`);
  expect(partOf(page, headings.fleet)).toBe(part);
  expect(withPart(page, headings.fleet, part)).toBe(page);
  expect(withPart("# Reliability\n", headings.fleet, part)).toBe(`# Reliability\n${part}`);
});
