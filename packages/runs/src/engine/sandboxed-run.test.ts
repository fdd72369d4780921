/** Runs whose agents are confined: the real Claude Code with a scripted model, its repository and its worktree in the home. */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { uuidv7 } from "@devflow/core/ids";
import { agentsOrSkip, claudeHome, type ScenarioInput, startScriptedModel, temporaryFolder } from "@devflow/testkit";
import { openEngineBench } from "../../testing/engine-bench.ts";
import { smallTemplate, workPhase } from "../../testing/small-templates.ts";
import { verifyRun } from "../reports/verify-run.ts";
import { noSandbox } from "./context.ts";
import { createRunEngine } from "./create-run-engine.ts";
import { createInlineDriver } from "./inline-driver.ts";

const agents = await agentsOrSkip();

const template = smallTemplate("confined", [workPhase], {
  roles: [{ id: "coder", requiredCapabilities: ["code_edit"], preferredBackends: ["claude"] }],
});
const change = JSON.stringify({
  summary: "Greets.",
  noChange: false,
  files: [{ path: "greet.txt", change: "added" }],
  testsAdded: [],
  notes: [],
});
const envelope = "/Expected artifact: (?<artifact>\\S+)/";
const write = (path: string, content: string) => ({ name: "Write", arguments: { file_path: path, content } });

/** What the persona says about the sandbox. */
const personas = { silent: {}, plain: {}, early: {}, asking: { sandbox: true }, refusing: { sandbox: false } } as const;
type Who = keyof typeof personas;

const scenario: ScenarioInput = {
  sessions: Object.keys(personas).map((who) => ({
    name: who,
    when: { firstUserText: `You are ${who}-coder` },
    steps: [
      {
        match: { userText: envelope, toolResult: false },
        answer: { tools: [write("greet.txt", "Hello\n"), write("$<artifact>", change)] },
      },
      { match: { toolResult: true }, answer: { text: "Done." } },
    ],
  })),
};

describe.skipIf(!agents)("an agent's sandbox", async () => {
  if (!agents) return;
  const model = await startScriptedModel(scenario);
  const { env } = claudeHome({ model });
  const setting = { ...noSandbox, isOn: false };
  const bench = await openEngineBench({
    env,
    sandbox: setting,
    agents: [
      {
        backend: "claude",
        available: true,
        adapters: [{ name: "claude", wire: "claude" }],
        command: [agents.claude.executable],
        variables: ["ANTHROPIC_*", "CLAUDE_*", "DISABLE_*"],
      },
    ],
  });
  afterAll(async () => {
    await bench.close();
    await model.close();
  });
  await bench.addTemplate(template);
  for (const [who, modelConfig] of Object.entries(personas)) {
    await bench.addPersona({
      name: `${who}-coder`,
      version: 1,
      backend: "claude",
      capabilities: ["code_edit"],
      maxRiskLevel: "high",
      promptConfig: {},
      modelConfig,
    });
  }

  async function play(who: Who, isOn: boolean) {
    setting.isOn = isOn;
    const overrides = { coder: { persona: `${who}-coder@1` } };
    const { runId } = await bench.start({ template: "confined", overrides });
    const { run, sessions } = await bench.finish(runId);
    expect([run.state, run.failure_reason]).toEqual(["completed", null]);
    expect(readFileSync(join(run.worktree_root, "greet.txt"), "utf8")).toBe("Hello\n");
    expect((await verifyRun(bench.context, runId)).ok).toBeTrue();
    // A confined agent keeps its history in a home of its own, not in the person's.
    return existsSync(join(sessions[0]?.handle.folder ?? "", "home/.claude/projects"));
  }

  test("that the person switched on confines it, and the run completes", async () => {
    expect(await play("silent", true)).toBeTrue();
  });
  test("that its persona asks for confines it too", async () => {
    expect(await play("asking", false)).toBeTrue();
  });
  test("cannot be switched off by its persona", async () => {
    expect(await play("refusing", true)).toBeTrue();
  });
  test("that this machine lacks is refused before there is a run, also for a fork", async () => {
    setting.isOn = false;
    const started = { template: "confined", overrides: { coder: { persona: "early-coder@1" } } };
    const { runId } = await bench.start(started);
    await bench.finish(runId);
    const runs = async () => (await bench.admin`select count(*)::int as count from app.runs`)[0]?.count;
    const before = await runs();
    // Only git is on the path.
    const path = temporaryFolder("path");
    symlinkSync(Bun.which("git") ?? "", join(path, "git"));
    const without = createRunEngine(
      { ...bench.context, env: { ...bench.context.env, PATH: path } },
      createInlineDriver(bench.context),
    );
    setting.isOn = true;
    const input = { teamId: bench.teamId, repository: bench.repository, requirements: "x", clientToken: uuidv7() };
    const refusal = { code: "sandbox_unavailable", hint: expect.stringContaining("apt-get install bubblewrap") };
    await expect(without.startRun({ ...input, ...started }, bench.person)).rejects.toMatchObject(refusal);
    const fork = { runId, at: "implement", clientToken: uuidv7() };
    await expect(without.forkRun(fork, bench.person)).rejects.toMatchObject(refusal);
    expect(await runs()).toBe(before);
  });
  test("that nobody asks for is not there", async () => {
    expect(await play("plain", false)).toBeFalse();
  });
});
