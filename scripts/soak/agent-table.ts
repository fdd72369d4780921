/**
 * What each real agent was seen to do, as a part of docs/reliability.md. Pure.
 *
 * - `agentTable(tests, commit)` the part, from the names and outcomes of the scenarios: `<agent> > <scenario>`.
 */
import { headings } from "./page-part.ts";

export interface SeenTest {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
}

/** One fault point with a real agent; see tests/chaos/real-agents.soak.ts. */
const killed = /^Devflow killed at (`\w+`): /;
const signs = { passed: "✓", failed: "**✗**", skipped: "–" } as const;

export function agentTable(tests: readonly SeenTest[], commit: string): string {
  const seen = tests.map(({ name, outcome }) => {
    const [agent = "", ...rest] = name.split(" > ");
    return { agent, scenario: rest.join(" > "), outcome };
  });
  const agents = [...new Set(seen.map(({ agent }) => agent))];
  const scenarios = [...new Set(seen.map(({ scenario }) => scenario))];
  const cell = (agent: string, scenario: string) => {
    const found = seen.find((one) => one.agent === agent && one.scenario === scenario);
    return found ? signs[found.outcome] : "";
  };
  // What several agents must do comes first; what concerns only one of them is listed with it.
  const agentsOf = (scenario: string) => agents.filter((agent) => cell(agent, scenario) !== "");
  const kills = scenarios.filter((one) => killed.test(one));
  const shared = scenarios.filter((one) => !kills.includes(one) && agentsOf(one).length > 1);
  const own = seen.filter(({ scenario }) => !kills.includes(scenario) && !shared.includes(scenario));
  const row = (words: readonly string[]) => `| ${words.join(" | ")} |`;
  const table = (title: string, columns: readonly string[], rows: readonly string[], name = (one: string) => one) => [
    row([title, ...columns]),
    row(["---", ...columns.map(() => ":---:")]),
    ...rows.map((scenario) => row([name(scenario), ...columns.map((agent) => cell(agent, scenario))])),
  ];
  const passed = seen.filter(({ outcome }) => outcome === "passed").length;
  return [
    headings.agents,
    "Each scenario was run with the agent's real program; only the model is scripted. A gap means that the scenario is not one",
    "for this agent.",
    "",
    ...table("scenario", agents, shared),
    "",
    ...own.map(({ agent, scenario, outcome }) => `- ${agent}: ${scenario} ${signs[outcome]}`),
    "",
    ...(kills.length === 0
      ? []
      : [
          "Devflow is killed (kill -9) at each fault point of a run while the agent works, and started again: the run ends like an",
          "undisturbed one, as above.",
          "",
          ...table("fault point", [...new Set(kills.flatMap(agentsOf))], kills, (one) => killed.exec(one)?.[1] ?? one),
          "",
        ]),
    `${passed} of ${seen.length} at commit ${commit}.`,
    "",
  ].join("\n");
}
