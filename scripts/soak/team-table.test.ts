/** The part of docs/reliability.md about team sync. */
import { expect, test } from "bun:test";
import { teamTable } from "./team-table.ts";

const part = teamTable(
  {
    kills: {
      times: 20,
      tests: [
        { name: "a writer killed at spoolAfterWrite > loses nothing it was told is safe", outcome: "passed" },
        { name: "a pull killed at pullAfterFile > leaves files that can be read", outcome: "failed" },
        { name: "this file kills at every fault point of the package", outcome: "passed" },
      ],
    },
    faults: [
      { name: "an answer > that never comes is waited for only so long", outcome: "passed" },
      { name: "an answer > that never comes is waited for only so long", outcome: "failed" },
      { name: "a small disk > that is full", outcome: "skipped" },
    ],
    crowd: { clients: 50, records: 100_000, restarts: 5, seconds: 61.2, perSecond: 1634, serverMb: 151 },
  },
  "abc1234",
);

test("faults are counted by how often they were made and survived", () => {
  expect(part).toContain("| a writer killed at spoolAfterWrite | 20 | 20 |");
  expect(part).toContain("| a pull killed at pullAfterFile | 20 | 0 |");
  expect(part).toContain("| an answer > that never comes is waited for only so long | 2 | 1 |");
  expect(part).not.toContain("small disk");
  expect(part).toContain("21 of 42 faults survived, at commit abc1234.");
  expect(part).toContain("50 clients with 100,000 records");
});
