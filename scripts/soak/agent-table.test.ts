/** The part of docs/reliability.md about real agents. */
import { expect, test } from "bun:test";
import { agentTable } from "./agent-table.ts";
import { headings, partOf, withPart } from "./page-part.ts";

const part = agentTable(
  [
    { name: "Claude > a prompt is sent", outcome: "passed" },
    { name: "Claude > its own matter", outcome: "passed" },
    { name: "Codex > a prompt is sent", outcome: "failed" },
  ],
  "abc1234",
);

test("agents are columns; what concerns only one is listed below", () => {
  expect(part).toContain("| a prompt is sent | ✓ | **✗** |");
  expect(part).toContain("- Claude: its own matter ✓");
  expect(part).toContain("2 of 3 at commit abc1234.");
});

test("kills of Devflow have a table of their own", () => {
  const name = "Devflow killed at `after_setup`: the run ends as undisturbed";
  const killed = agentTable(
    [
      { name: "Claude > a prompt is sent", outcome: "passed" },
      { name: `Codex > ${name}`, outcome: "passed" },
    ],
    "abc1234",
  );
  expect(killed).toContain("| fault point | Codex |\n| --- | :---: |\n| `after_setup` | ✓ |\n");
  expect(killed).not.toContain(`- Codex: ${name}`);
});

test("the part is replaced, and the rest of the page stays", () => {
  const page = withPart("# Reliability\n", headings.agents, part);
  expect(page).toStartWith("# Reliability\n\n## Real agents\n");
  expect(partOf(page, headings.agents)).toBe(part);
  expect(withPart(page, headings.agents, part)).toBe(page);
  expect(partOf("# Reliability\n", headings.agents)).toBe("");
});
