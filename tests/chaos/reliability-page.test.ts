/** The page of the crash matrix, measured in parts. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agentTable } from "../../scripts/soak/agent-table.ts";
import { headings, withPart } from "../../scripts/soak/page-part.ts";
import { type Cell, pointsOnPage, reliabilityPage } from "./reliability-page.ts";

const cell = (path: string, point: string, ...faults: string[]): Cell => ({ path, point, visit: 1, faults });
const first = reliabilityPage(
  ["happy", "abort"],
  [cell("happy", "a"), cell("happy", "a"), cell("happy", "b", "ended failed"), cell("abort", "a", "lost\nan event")],
  "",
);

test("kills are counted by path and point, and what differs is listed", () => {
  expect(first.slice(first.indexOf("| fault point"))).toMatchInlineSnapshot(`
    "| fault point | happy | abort |
    | --- | ---: | ---: |
    | \`a\` | 2 | 0 of 1 |
    | \`b\` | 0 of 1 | – |

    4 kills, 2 with the same outcome as an undisturbed run.

    ## Different outcomes

    - happy, \`b\`, visit 1: ended failed
    - abort, \`a\`, visit 1: lost an event
    "
  `);
  expect(pointsOnPage(first)).toEqual({ happy: ["a", "b"], abort: ["a"] });
});

test("a path that is measured again replaces its own figures; the others and the part about agents stay", () => {
  const part = agentTable([{ name: "Claude > is asked", outcome: "passed" }], "abc1234");
  const page = reliabilityPage(
    ["happy", "abort", "fork"],
    [cell("abort", "a"), cell("fork", "c")],
    withPart(first, headings.agents, part),
  );
  expect(page.slice(page.indexOf("| fault point"))).toMatchInlineSnapshot(`
    "| fault point | happy | abort | fork |
    | --- | ---: | ---: | ---: |
    | \`a\` | 2 | 1 | – |
    | \`b\` | 0 of 1 | – | – |
    | \`c\` | – | – | 1 |

    5 kills, 4 with the same outcome as an undisturbed run.

    ## Different outcomes

    - happy, \`b\`, visit 1: ended failed

    ## Real agents

    Each scenario was run with the agent's real program; only the model is scripted. A gap means that the scenario is not one
    for this agent.

    | scenario | Claude |
    | --- | :---: |

    - Claude: is asked ✓

    1 of 1 at commit abc1234.
    "
  `);
});

test("measured with nothing, the page in the docs is what it was", () => {
  const page = readFileSync(join(import.meta.dir, "../../docs/reliability.md"), "utf8");
  const [head = ""] = page.split("\n").filter((line) => line.startsWith("| fault point |"));
  const names = head.split("|").map((cell) => cell.trim());
  expect(reliabilityPage(names.slice(2, -1), [], page)).toBe(page);
});
