import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  devflowCommand,
  outputOf,
  runCli,
  runProcess,
  startProcess,
  startScriptedModel,
  type TemporaryHome,
  temporaryHome,
} from "@devflow/testkit";

const key = "sk-test-0123456789abcdef";

/** A home with a suite, and a scripted model that its providers ask. */
async function place(suite: string, scenario: Parameters<typeof startScriptedModel>[0]) {
  const home = temporaryHome();
  const model = await startScriptedModel(scenario);
  mkdirSync(join(home.path, "evals"));
  writeFileSync(join(home.path, "evals/support.yaml"), suite);
  const env = {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: key,
    OPENAI_BASE_URL: model.openaiUrl,
    OPENAI_API_KEY: key,
  };
  const cli = (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runCli(words, { home, env: { ...env, ...more } });
  const check = (...words: string[]) => cli(["eval", "check", "evals", "--run", ...words]);
  return { home, model, env, cli, check, [Symbol.asyncDispose]: () => model.close() };
}

const cases = (count: number) =>
  Array.from(
    { length: count },
    (_, n) =>
      `  - { name: case ${n}, question: "q${n}?", expectations: [{ type: response_contains, patterns: [yes] }] }`,
  ).join("\n");

const twoByTwo = `suite: support
prompts:
  - { name: short, text: "Short: {{question}}" }
  - { name: long, text: "Long: {{question}}", system: Be kind. }
providers:
  - anthropic:claude-haiku-4-5
  - { id: "openai:chat:gpt-5.4-mini", name: mini }
cases:
${cases(3)}
`;

const yes = { text: "yes", usage: { input: 1000, output: 100 } };

test("every prompt is sent to every provider, each variant is a stored run of one matrix, and the models are never told the key twice", async () => {
  await using it = await place(twoByTwo, {
    steps: [
      {
        match: { userText: "Long: q1", model: "gpt" },
        times: "always",
        answer: { text: "no", usage: { input: 1000, output: 100 } },
      },
      { times: "always", answer: yes },
    ],
  });
  const done = await it.check();
  expect(outputOf(done)).toMatchInlineSnapshot(`
    "support  standard tier, 12 results, $0.016 spent

    variant                               passed  failed  errors     rate       cost  run
    anthropic · claude-haiku-4-5 · short       3       0       0  100.0 %  ~$0.00450  <id>
    anthropic · claude-haiku-4-5 · long        3       0       0  100.0 %  ~$0.00450  <id>
    openai · gpt-5.4-mini · mini · short       3       0       0  100.0 %  ~$0.00360  <id>
    openai · gpt-5.4-mini · mini · long        2       1       0   66.7 %  ~$0.00360  <id>

      FAIL   case 1 (openai · gpt-5.4-mini · mini · long)  output.response does not contain "yes"

    To see one of them: devflow eval show <run>; side by side: devflow open
    --- stderr
    Asks anthropic:claude-haiku-4-5, openai:chat:gpt-5.4-mini: 12 calls.
    --- exit code 1"
  `);
});
