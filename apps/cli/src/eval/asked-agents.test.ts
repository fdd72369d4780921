/** Backends of runs as providers of a suite: the real Copilot CLI over ACP, with a scripted model. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  acpAgentOrSkip,
  acpHome,
  devflowCommand,
  expectNoLeaks,
  outputOf,
  runCli,
  runProcess,
  startScriptedModel,
  temporaryHome,
} from "@devflow/testkit";

const copilot = await acpAgentOrSkip("copilot");

test.skipIf(!copilot)(
  "an agent that was added for runs answers a suite, edits its own folder only, and leaves nothing behind",
  async () => {
    await using model = await startScriptedModel({
      steps: [
        { match: { userText: "What is 2 + 2?", toolResult: false }, answer: { text: "It is 4." } },
        {
          match: { userText: "/Write to (?<path>\\S+)/", toolResult: false },
          answer: { tools: [{ name: "create", arguments: { path: "$<path>", file_text: "made" } }] },
          times: "always",
        },
        { match: { toolResult: true }, answer: { text: "I tried." }, times: "always" },
      ],
    });
    const { home, env } = acpHome("copilot", { model });
    const [inside, outside] = [join(home.path, "work/notes.txt"), join(home.path, "notes.txt")];
    mkdirSync(join(home.path, "work"));
    mkdirSync(join(home.devflowHome, "backends"), { recursive: true });
    writeFileSync(
      join(home.devflowHome, "backends/copilot.yaml"),
      `name: copilot\ncommand: ${JSON.stringify(copilot!.command)}\nenvironment: [COPILOT_*]\ncapabilities: [code_edit]\nprofile: copilot\n`,
    );
    writeFileSync(
      join(home.path, "agents.yaml"),
      `suite: agents
prompts: ["{{question}}"]
providers: [{ id: "agent:copilot", cwd: work, concurrency: 1 }]
cases:
  - { name: sums, question: What is 2 + 2?, expectations: [{ type: response_contains, patterns: ["4"] }] }
  - { name: inside, question: Write to ${inside}, expectations: [{ type: response_contains, patterns: [tried] }] }
  - { name: outside, question: Write to ${outside}, expectations: [{ type: response_contains, patterns: [cancelled] }] }
`,
    );
    const done = await runProcess([...devflowCommand(), "eval", "check", "agents.yaml", "--run", "--json"], {
      env: home.environment(env),
      cwd: home.path,
    });
    expect([done.code, done.stderr]).toEqual([0, "Asks agent:copilot: 3 calls.\n"]);
    expect(JSON.parse(done.stdout)).toMatchObject({ end: "complete", variants: [{ passed: 3, failed: 0, errors: 0 }] });
    expect([readFileSync(inside, "utf8"), existsSync(outside)]).toEqual(["made", false]);
    const shown = (await runCli(["eval", "show", "agents", "inside", "--json"], { home })).stdout;
    expect(shown).toContain('"tool_calls"');
    await expectNoLeaks(10_000);
  },
  120_000,
);

test("a backend that does not exist, or whose program is missing, is told before anything is asked", async () => {
  const home = temporaryHome();
  writeFileSync(
    join(home.path, "cases.yaml"),
    "suite: s\ncases: [{ name: a, prompt: hi, expectations: [{ type: response_contains, patterns: [hi] }] }]\n",
  );
  const check = async (id: string) =>
    outputOf(await runCli(["eval", "check", "cases.yaml", "--provider", id], { home }));
  expect(await check("agent:hal")).toMatchInlineSnapshot(`
    "--- stderr
    agent:hal cannot be asked: there is no backend hal.
    Describe it in ~/.devflow/backends/hal.yaml (docs/agents.md), or use agent:claude or agent:codex
    --- exit code 65"
  `);
  mkdirSync(join(home.devflowHome, "backends"), { recursive: true });
  writeFileSync(
    join(home.devflowHome, "backends/hal.yaml"),
    "name: hal\ncommand: [no-such-agent, --acp]\ncapabilities: [code_edit]\n",
  );
  expect(await check("agent:hal")).toMatchInlineSnapshot(`
    "--- stderr
    agent:hal cannot be asked: no-such-agent is not on your PATH; install it, or change \`command\` in <folder>/.devflow/backends/hal.yaml.
    Describe it in ~/.devflow/backends/hal.yaml (docs/agents.md), or use agent:claude or agent:codex
    --- exit code 65"
  `);
  expect(await check("agent:HAL 9000")).toMatchInlineSnapshot(`
    "--- stderr
    --provider: agent: needs claude, codex or the name of a backend, not "HAL 9000".
    See the usage: devflow eval check --help
    --- exit code 64"
  `);
});
