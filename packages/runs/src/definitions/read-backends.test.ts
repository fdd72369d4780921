import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { findOwnAgents } from "../agents/own-agents.ts";
import { personaOf } from "./backend-definition.ts";
import { readBackends } from "./read-backends.ts";
import { shownFaults } from "./read-definition.ts";

const goose = `name: goose
command: [goose, acp]
environment: [GOOSE_*, OPENAI_API_KEY]
capabilities: [code_edit, code_review]
mode: approve
`;

function homeWith(files: Readonly<Record<string, string>>): string {
  const home = temporaryFolder("home");
  mkdirSync(join(home, "backends"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, "backends", name), text);
  return home;
}

const faultsOf = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const home = homeWith(files);
  const { refused } = await readBackends(home);
  return refused.map(({ file, faults }) => shownFaults(file.replace(`${home}/`, ""), faults)).join("\n");
};

describe("backends of one's own", () => {
  test("five lines define one", async () => {
    const { backends, refused } = await readBackends(homeWith({ "goose.yaml": goose }));
    expect(refused).toEqual([]);
    expect(backends.map(({ definition }) => definition)).toEqual([
      {
        name: "goose",
        version: 1,
        command: ["goose", "acp"],
        environment: ["GOOSE_*", "OPENAI_API_KEY"],
        capabilities: ["code_edit", "code_review"],
        maxRiskLevel: "medium",
        mode: "approve",
      },
    ]);
  });

  test("a home without any has none", async () => {
    expect(await readBackends(temporaryFolder("home"))).toEqual({ backends: [], refused: [] });
  });

  test("every error is reported with its line, and the valid files are used all the same", async () => {
    const broken = `name: claude
command: copilot --acp
environment: [KEY=secret]
capabilities: [fly]
profile: copliot
colour: red
`;
    const files = { "claude.yaml": broken, "goose.yml": goose, "half.yaml": "name: [", "goose.yaml": goose };
    expect(await faultsOf(files)).toMatchInlineSnapshot(`
      "backends/claude.yaml:1: name: is a backend that Devflow ships; choose another name
      backends/claude.yaml:2: command: expected a list of words, such as [copilot, --acp]
      backends/claude.yaml:3: environment[0]: expected the name of a variable, or its beginning with *
      backends/claude.yaml:4: capabilities[0]: Invalid option: expected one of "spec_write"|"phase_planning"|"task_dag_planning"|"code_edit"|"test_first_development"|"code_review"|"evidence_check"|"command_execute"|"backtest_run"|"metric_extract"|"failure_mining"|"objective_eval"|"final_report_compose"
      backends/claude.yaml:5: profile: Invalid option: expected one of "copilot"|"gemini"|"qwen"|"opencode"|"claude-agent-acp"|"codex-acp"
      backends/claude.yaml:6: Unrecognized key: "colour"
      backends/goose.yml:1: name: the file must be called goose.yaml, not goose.yml
      backends/half.yaml:1: Flow sequence in block collection must be sufficiently indented and end with a ]"
    `);
    const { backends } = await readBackends(homeWith(files));
    expect(backends.map(({ definition }) => definition.name)).toEqual(["goose"]);
  });

  test("one whose program is on the PATH is driven over ACP, with its mode and nobody's secrets", async () => {
    const { backends } = await readBackends(homeWith({ "goose.yaml": goose }));
    const [found] = await findOwnAgents(backends, async (program) => `/usr/bin/${program}`);
    expect(found).toEqual({
      backend: "goose",
      available: true,
      adapters: [{ name: "goose", wire: "acp" }],
      command: ["/usr/bin/goose", "acp"],
      vendor: "goose",
      variables: ["GOOSE_*", "OPENAI_API_KEY"],
      settings: { mode: "approve" },
    });
  });

  test("one whose program is missing says so, and where to change it", async () => {
    const home = homeWith({ "goose.yaml": goose });
    const { backends } = await readBackends(home);
    expect(await findOwnAgents(backends, async () => undefined)).toEqual([
      {
        backend: "goose",
        available: false,
        reason: `goose is not on your PATH; install it, or change \`command\` in ${join(home, "backends", "goose.yaml")}`,
      },
    ]);
  });

  test("it stands for a persona of the same name", async () => {
    const { backends } = await readBackends(homeWith({ "goose.yaml": goose }));
    expect(backends.map(({ definition }) => personaOf(definition))).toEqual([
      {
        name: "goose",
        version: 1,
        backend: "goose",
        capabilities: ["code_edit", "code_review"],
        maxRiskLevel: "medium",
        promptConfig: {},
        modelConfig: {},
      },
    ]);
  });
});
