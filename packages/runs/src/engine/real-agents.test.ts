/** Runs with the real Claude Code and a scripted model. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fakeAnswer } from "@devflow/session/testing";
import { agentsOrSkip, claudeHome, type ScenarioInput, startScriptedModel } from "@devflow/testkit";
import { openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";

const agents = await agentsOrSkip();

const roles = [
  { id: "architect", requiredCapabilities: ["phase_planning"], preferredBackends: ["claude"] },
  { id: "coder", requiredCapabilities: ["code_edit"], preferredBackends: ["claude"] },
] as const;
const template = smallTemplate("claude-two", [planPhase, workPhase], {
  roles: roles.map((one) => ({
    ...one,
    requiredCapabilities: [...one.requiredCapabilities],
    preferredBackends: [...one.preferredBackends],
  })),
});

const asked = { expectedSchema: "", phaseKey: "", roleId: "", attempt: 1, findings: [] };
const plan = JSON.stringify(fakeAnswer({ ...asked, expectedSchema: "dev/phase-plan@1" }));
const change = JSON.stringify({
  summary: "Greets.",
  noChange: false,
  files: [{ path: "greet.txt", change: "added" }],
  testsAdded: [],
  notes: [],
});
const write = (path: string, content: string) => ({ name: "Write", arguments: { file_path: path, content } });
const at = (phase: string) => `/Phase: ${phase}\\n[\\s\\S]*Expected artifact: (?<artifact>\\S+)/`;

async function open(scenario: ScenarioInput) {
  const model = await startScriptedModel(scenario);
  const { env } = claudeHome({ model });
  const bench = await openEngineBench({
    env,
    passEnvironment: [],
    agents: [
      {
        backend: "claude",
        available: true,
        adapters: [{ name: "claude", wire: "claude" }],
        command: [agents?.claude.executable ?? ""],
        variables: ["ANTHROPIC_*", "CLAUDE_*", "DISABLE_*"],
      },
    ],
  });
  await bench.addTemplate(template);
  return {
    bench,
    model,
    /** The server's variables; agents that start from now on get what is in it. */
    env: bench.context.env as Record<string, string>,
    async [Symbol.asyncDispose]() {
      await bench.close();
      await model.close();
    },
  };
}

describe.skipIf(!agents)("a run with Claude Code", () => {
  test("plans, changes the worktree and is committed, with its cost", async () => {
    await using used = await open({
      sessions: [
        {
          name: "architect",
          when: { firstUserText: "working as architect" },
          steps: [
            { match: { userText: at("plan"), toolResult: false }, answer: { tools: [write("$<artifact>", plan)] } },
            { match: { toolResult: true }, answer: { text: "Planned." } },
          ],
        },
        {
          name: "coder",
          when: { firstUserText: "working as coder" },
          steps: [
            {
              match: { userText: at("implement"), toolResult: false },
              answer: { tools: [write("greet.txt", "Hello\n"), write("$<artifact>", change)] },
            },
            { match: { toolResult: true }, answer: { text: "Done." } },
          ],
        },
      ],
    });
    const { bench } = used;
    const { runId } = await bench.start({ template: "claude-two" });
    const { run, sessions, phases } = await bench.finish(runId);
    expect(run.state).toBe("completed");
    expect(phases.map(({ attempts }) => attempts)).toEqual([1, 1]);
    expect(sessions.map(({ backend, adapter }) => [backend, adapter])).toEqual([
      ["claude", "claude"],
      ["claude", "claude"],
    ]);
    expect(readFileSync(join(run.worktree_root, "greet.txt"), "utf8")).toBe("Hello\n");
    const usage = (await bench.events(runId)).filter(({ type }) => type === "usage.recorded");
    expect(usage.map(({ payload }) => payload.costKind)).toEqual(["actual", "actual"]);
    used.model.expectFollowed();
  });

  test("a permission allowed for the run is asked once, and one for the repository not in the next run", async () => {
    const run = (command: string) => ({ name: "Bash", arguments: { command, description: "d" } });
    const twice = [
      { match: { userText: at("plan"), toolResult: false }, answer: { tools: [run("node -e 1")] } },
      { match: { toolResult: true }, answer: { tools: [run("node -e 1")] } },
      { match: { toolResult: true }, answer: { tools: [run("node -e 2")] } },
      { match: { userText: at("plan"), toolResult: true }, answer: { tools: [write("$<artifact>", plan)] } },
      { match: { toolResult: true }, answer: { text: "Planned." } },
    ];
    await using used = await open({ each: "conversation", steps: twice });
    const { bench } = used;
    await bench.addTemplate({ ...template, name: "claude-plan", phases: [planPhase] });
    const answer = async (runId: string, detail: string, scope: "run" | "repository") => {
      const { permissions } = await bench.until(runId, (one) => one.permissions.some((p) => p.state === "pending"));
      const open = permissions.find(({ state }) => state === "pending");
      expect(open?.detail).toBe(detail);
      await bench.engine.answerPermission(
        { sessionId: open?.session_id ?? "", permissionId: open?.permission_id ?? "", answer: "allow", scope },
        bench.person,
      );
    };
    const first = await bench.start({ template: "claude-plan" });
    await answer(first.runId, "node -e 1", "run");
    await answer(first.runId, "node -e 2", "repository");
    const done = await bench.finish(first.runId);
    expect(done.permissions.map(({ detail, state }) => [detail, state])).toEqual([
      ["node -e 1", "allowed"],
      ["node -e 1", "allowed"],
      ["node -e 2", "allowed"],
    ]);
    const second = await bench.start({ template: "claude-plan" });
    await answer(second.runId, "node -e 1", "run");
    expect((await bench.finish(second.runId)).run.state).toBe("completed");
  });

  test("an agent that was not logged in works when a person has logged in and has the phase tried again", async () => {
    await using used = await open({
      steps: [
        { match: { userText: at("plan"), toolResult: false }, answer: { tools: [write("$<artifact>", plan)] } },
        { match: { toolResult: true }, answer: { text: "Planned." } },
      ],
    });
    const { bench, env } = used;
    await bench.addTemplate({ ...template, name: "claude-plan", phases: [planPhase] });
    const key = env.ANTHROPIC_API_KEY ?? "";
    env.ANTHROPIC_API_KEY = "";
    const { runId } = await bench.start({ template: "claude-plan" });
    const gate = await bench.gate(runId);
    expect(gate.payload.reason).toContain("Not logged in");
    expect(used.model.requests).toEqual([]);
    const before = (await bench.snapshot(runId)).sessions[0];
    env.ANTHROPIC_API_KEY = key;
    await bench.decide(gate.id, "approve");
    const done = await bench.finish(runId);
    expect(done.run.state).toBe("completed");
    // The same session of the agent, in another process.
    expect(done.sessions[0]?.handle.agentSessionId).toBe(before?.handle.agentSessionId as string);
    expect(done.sessions[0]?.handle.pid).not.toBe(before?.handle.pid as number);
    expect(done.phases[0]?.attempts).toBe(3);
  });

  test("an agent that gives up without its file is asked again at once, then a person is", async () => {
    await using used = await open({ otherwise: { text: "I would rather not." } });
    const { bench } = used;
    await bench.addTemplate({ ...template, name: "claude-plan", phases: [planPhase] });
    const { runId } = await bench.start({ template: "claude-plan" });
    const gate = await bench.gate(runId);
    expect(gate.gate_key).toBe("recovery:artifact_missing");
    // Each attempt was held back three times by the Stop gate.
    expect(used.model.requests.filter(({ isBackground }) => !isBackground)).toHaveLength(8);
    await bench.decide(gate.id, "reject");
    expect((await bench.finish(runId)).run.state).toBe("failed");
  });
});
