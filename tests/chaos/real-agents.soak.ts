/**
 * Kill -9 of the engine while a real agent works, with a scripted model: `npm run soak` only, which takes the names of these
 * tests for its table of agents. `bun test … ./tests/chaos/real-agents.soak.ts -t Copilot` runs one.
 *
 * Each agent's run is killed at all of its points, one after the other. Where a start is quick, a run of its own is killed at
 * each point besides.
 */
import { afterAll, describe, expect, test } from "bun:test";
import type { DrivenAgent } from "@devflow/runs/testing";
import { fakeAnswer } from "@devflow/session/testing";
import {
  acpAgentOrSkip,
  acpHome,
  agentsOrSkip,
  canRun,
  claudeHome,
  codexHome,
  lackOfProgram,
  type ScriptedModel,
  startScriptedModel,
} from "@devflow/testkit";
import { openMatrix } from "./matrix.ts";

const path = "real agent";
const asked = { phaseKey: "plan", roleId: "architect", attempt: 1, findings: [] };
const plan = JSON.stringify(fakeAnswer({ ...asked, expectedSchema: "dev/phase-plan@1" }));

interface RealAgent {
  readonly title: string;
  /** A start takes about a second. */
  readonly isQuick: boolean;
  readonly driven: DrivenAgent;
  home(model: ScriptedModel): Readonly<Record<string, string>>;
  write(path: string): { name: string; arguments: Record<string, unknown> };
}

const agents = await agentsOrSkip();
const copilot = await acpAgentOrSkip("copilot");
const hasTmux = await canRun("the crash rows of agents in tmux", () =>
  lackOfProgram("tmux", "-V", "apt-get install tmux, dnf install tmux or brew install tmux"),
);

const claude = (title: string, adapter: string): RealAgent => ({
  title,
  isQuick: adapter === "claude",
  driven: {
    backend: "claude",
    available: true,
    adapters: [{ name: adapter, wire: adapter }],
    command: [agents?.claude.executable ?? ""],
    variables: ["ANTHROPIC_*", "CLAUDE_*", "DISABLE_*"],
  },
  home: (model) => claudeHome({ model }).env,
  write: (to) => ({ name: "Write", arguments: { file_path: to, content: plan } }),
});

const codex = (title: string, adapter: string): RealAgent => ({
  title,
  isQuick: adapter === "codex",
  driven: {
    backend: "codex",
    available: true,
    adapters: [{ name: adapter, wire: adapter }],
    command: [agents?.codex.executable ?? ""],
    variables: ["CODEX_*", "SCRIPTED_MODEL_KEY"],
  },
  home: (model) => codexHome({ model }).env,
  write: (to) => ({ name: "exec_command", arguments: { cmd: `cat > ${to} <<'EOF'\n${plan}\nEOF` } }),
});

const overAcp = (): RealAgent => ({
  title: "Copilot over ACP",
  isQuick: false,
  driven: {
    backend: "copilot",
    available: true,
    adapters: [{ name: "copilot", wire: "acp" }],
    command: copilot?.command ?? [],
    variables: ["COPILOT_*"],
    settings: { profile: "copilot" },
  },
  home: (model) => acpHome("copilot", { model }).env,
  write: (to) => ({ name: "create", arguments: { path: to, file_text: plan } }),
});

const kinds: readonly RealAgent[] = [
  ...(agents ? [claude("Claude Code behind pipes", "claude"), codex("Codex behind its app server", "codex")] : []),
  ...(agents && hasTmux ? [claude("Claude Code in tmux", "tmux-claude"), codex("Codex in tmux", "tmux-codex")] : []),
  ...(copilot ? [overAcp()] : []),
];

for (const { title, isQuick, driven, home, write } of kinds) {
  const model = await startScriptedModel({
    each: "conversation",
    steps: [
      {
        match: { userText: "/Expected artifact: (?<artifact>\\S+)/", toolResult: false },
        // Long enough at work for a kill and a start.
        answer: { tools: [write("$<artifact>")], afterMs: 500 },
      },
      { match: { toolResult: true }, times: "always", answer: { text: "Planned.", afterMs: 500 } },
    ],
  });
  const matrix = await openMatrix({ agent: driven, env: home(model) });
  afterAll(async () => {
    await matrix.close();
    await model.close();
  });
  const points = [...(await matrix.visits(path)).keys()];

  describe(title, () => {
    test("Devflow killed at every point of a run, one after the other: it ends as undisturbed", async () => {
      const { kills, faults } = await matrix.gauntlet(path, points);
      expect({ faults, kills }).toEqual({ faults: [], kills: points.length });
    }, 1_200_000);

    for (const point of isQuick ? points : [])
      test(`Devflow killed at \`${point}\`: the run ends as undisturbed`, async () => {
        expect(await matrix.cell(path, point, 1)).toEqual([]);
      }, 240_000);
  });
}
