/** The real Codex in a terminal, with a scripted model. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentsOrSkip, canRun, codexHome, lackOfProgram } from "@devflow/testkit";
import { plainLaunch } from "../testing/index.ts";
import { call, isIdle, openAgentBench } from "./agent-bench.ts";
import { codexInTmux, fewRetries } from "./agent-kinds.ts";
import { agentScenarios } from "./agent-scenarios.ts";
import { modelFaults } from "./model-faults.ts";
import { terminalScenarios } from "./terminal-scenarios.ts";

const isSoak = process.env.DEVFLOW_TEST_SOAK !== undefined;
const agents = await agentsOrSkip();
const hasTmux = await canRun("the tests of Codex in tmux", () =>
  lackOfProgram("tmux", "-V", "apt-get install tmux, dnf install tmux or brew install tmux"),
);

describe.skipIf(!agents || !hasTmux)("Codex in tmux", () => {
  if (!agents) return;
  const kind = codexInTmux(agents);
  agentScenarios(kind, "core");
  terminalScenarios(kind);
  if (isSoak) modelFaults(codexInTmux(agents, { prepare: fewRetries }));

  test("a user who is not logged in gets the reason", async () => {
    await using bench = await openAgentBench(kind, { otherwise: { text: "Hello." } });
    const { CODEX_HOME = "" } = codexHome({ model: bench.model }).env;
    rmSync(join(CODEX_HOME, "config.toml"));
    bench.variables.CODEX_HOME = CODEX_HOME;
    await expect(bench.start()).rejects.toMatchObject({
      code: "session_start_failed",
      details: { reason: "Codex is not logged in. Run codex login, and start again." },
    });
  });

  test("a role that may not edit writes its artifact and nothing in the worktree", async () => {
    await using bench = await openAgentBench(kind, {
      steps: [
        {
          match: { userText: "/Expected artifact: (?<artifact>\\S+)/", toolResult: false },
          answer: { tools: [kind.write("changed.txt", "x"), kind.write("$<artifact>", '{"ok":true}')] },
        },
      ],
      otherwise: { text: "Done." },
    });
    const handle = await bench.start({ launch: { ...plainLaunch, mayEdit: false } });
    const envelope = bench.ask(handle);
    await bench.adapter.sendPrompt(handle, envelope, call);
    await bench.factsUntil(handle, isIdle);
    expect(JSON.parse(readFileSync(envelope.expectedArtifact, "utf8"))).toEqual({ ok: true });
    expect(existsSync(join(bench.worktree, "changed.txt"))).toBe(false);
  });

  test("hooks and settings of the repository are not in force, nor is anything written to the person's own", async () => {
    await using bench = await openAgentBench(kind, { otherwise: { text: "Hello." } });
    const home = codexHome({ model: bench.model }).env;
    bench.variables.CODEX_HOME = home.CODEX_HOME ?? "";
    const config = join(home.CODEX_HOME ?? "", "config.toml");
    const before = readFileSync(config, "utf8");
    const planted = join(bench.worktree, "planted");
    const hook = { hooks: [{ type: "command", command: `touch ${planted}` }] };
    mkdirSync(join(bench.worktree, ".codex"));
    writeFileSync(
      join(bench.worktree, ".codex", "hooks.json"),
      JSON.stringify({ hooks: { UserPromptSubmit: [hook] } }),
    );
    const handle = await bench.start();
    await bench.adapter.sendPrompt(handle, bench.ask(handle), call);
    await bench.factsUntil(handle, isIdle);
    expect(existsSync(planted)).toBe(false);
    // Codex itself notes that it looked for a screen reader.
    expect(readFileSync(config, "utf8").replace(/\n\[tui\]\nscreen_reader_detection_done = true\n/, "")).toBe(before);
  });
});
