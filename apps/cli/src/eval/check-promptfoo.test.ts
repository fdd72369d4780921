/** `devflow eval check` with promptfoo suites, and with its assertion types in cases. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  devflowCommand,
  expectNoLeaks,
  killAt,
  outputOf,
  runCli,
  runProcess,
  type TemporaryHome,
  temporaryHome,
} from "@devflow/testkit";

function place(files: Readonly<Record<string, string>>): TemporaryHome {
  const home = temporaryHome();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(home.path, name, ".."), { recursive: true });
    writeFileSync(join(home.path, name), content);
  }
  return home;
}

const greetings = `
description: greetings
prompts: ['Hello {{name}}', 'Dear {{name}}']
providers: [echo]
tests:
  - vars: { name: [Ada, Bo] }
    assert: [{ type: starts-with, value: Hello }, { type: not-contains, value: Bo, metric: names }]
  - description: no one
    vars: { name: '' }
`;

test("a promptfoo suite runs as it is, and every prompt and provider is a run of its own", async () => {
  const home = place({ "promptfooconfig.yaml": greetings });
  expect(outputOf(await runCli(["eval", "check", "promptfooconfig.yaml"], { home }))).toMatchInlineSnapshot(`
    "greetings  standard tier, 6 results, <duration>
    ███████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  3 passed, 3 failed

      FAIL   name=Ada
             starts-with: expected the output to start with "Hello"
      FAIL   name=Bo
             not-contains: expected the output not to contain "Bo"
      FAIL   name=Bo
             starts-with: expected the output to start with "Hello"
             not-contains: expected the output not to contain "Bo"

    Stored  echo · Hello {{name}}  2 passed, 1 failed  no earlier run to compare   devflow eval show '<id>#0'
    Stored  echo · Dear {{name}}  1 passed, 2 failed  no earlier run to compare   devflow eval show '<id>#1'
    File    <folder>/.devflow/eval-results/greetings.promptfoo.json
    --- exit code 1"
  `);
  const { runs } = (await runCli(["eval", "list", "--json"], { home })).json<{
    runs: { suite: string; passed: number; failed: number }[];
  }>();
  expect(runs.map(({ suite, passed, failed }) => [suite, passed, failed]).sort()).toEqual([
    ["greetings", 1, 2],
    ["greetings", 2, 1],
  ]);
});

test("its results are a file that promptfoo and devflow read; with --no-push nothing is stored", async () => {
  const home = place({ "suite/promptfooconfig.yaml": greetings });
  const done = await runCli(["eval", "check", "suite", "--no-push", "-o", "out.json", "--repeats", "2", "--json"], {
    home,
  });
  expect(done.code).toBe(1);
  expect(done.json()).toMatchObject({ suite: "greetings", total: 12, passed: 6, failed: 6, errors: 0, runs: [] });
  const { results } = JSON.parse(readFileSync(join(home.path, "out.json"), "utf8")) as {
    results: { version: number; stats: unknown; results: object[] };
  };
  expect(results.version).toBe(3);
  expect(results.stats).toMatchObject({ successes: 6, failures: 6, errors: 0 });
  expect(results.results).toHaveLength(12);
  const pushed = await runCli(["eval", "push", "out.json", "--json"], { home });
  expect(pushed.code).toBe(0);
});

test("what cannot be run is listed before anything starts", async () => {
  const home = place({
    "promptfooconfig.yaml": `
prompts: ['{{x}}']
providers: [echo, 'bedrock:model', 'exec:touch started']
redteam: { plugins: [all] }
tests:
  - vars: { x: 1 }
    assert:
      - { type: contians, value: x }
      - { type: pi, value: x }
      - { type: llm-rubric, value: nice }
      - { type: similar, value: x }
      - { type: trace-span-count, value: { pattern: '*' } }
      - { type: moderation }
      - type: assert-set
        assert: [{ type: human }, { type: not-classifier }]
`,
  });
  expect(outputOf(await runCli(["eval", "check", "promptfooconfig.yaml"], { home }))).toMatchInlineSnapshot(`
    "--- stderr
    promptfooconfig.yaml cannot be run; nothing was started:
      redteam: red-team suites generate their tests with a hosted service
      unknown assertion "contians"; did you mean contains?
      pi: only the service of Pi Labs scores it
      trace-span-count: needs a trace, which only providers that are scripts can return (trace: { spans })
      moderation: needs a provider of its own, such as file://classify.js
      human: a person grades these in promptfoo's viewer; use devflow eval label
      not-classifier: needs a provider of its own, such as file://classify.js
      bedrock:model: Devflow does not call this provider
      llm-rubric: no judge is configured: run with --judge, or give the assertion a provider
      similar: no embedding provider is configured: set OPENAI_API_KEY, or give options.provider.embedding
    See docs/promptfoo-suites.md
    --- exit code 65"
  `);
  expect(existsSync(join(home.path, "started"))).toBe(false);
});

test.each([
  ["a test file that does not exist", "prompts: [x]\nproviders: [echo]\ntests: none.csv\n"],
  ["an assertion without a type", "prompts: [x]\nproviders: [echo]\ntests: [{ assert: [{ value: 1 }] }]\n"],
  ["a reference that leads nowhere", "prompts: [x]\nproviders: [echo]\ntests: [{ assert: [{ $ref: '#/no' }] }]\n"],
  ["a reference to itself", "prompts: [x]\nproviders: [echo]\na: { $ref: '#/a' }\ntests: []\n"],
  ["tests from the network", "prompts: [x]\nproviders: [echo]\ntests: https://docs.google.com/spreadsheets/d/1\n"],
])("%s is told with where it is", async (_, config) => {
  const home = place({ "promptfooconfig.yaml": config });
  const { code, stderr } = await runCli(["eval", "check", "promptfooconfig.yaml"], { home });
  expect(code).toBe(65);
  expect(stderr).toMatch(/^promptfooconfig\.yaml cannot be read: /);
});

test("code of a suite runs in other processes, and nothing is left of them", async () => {
  const home = place({
    "promptfooconfig.yaml": `
description: code
prompts: [file://prompt.ts]
providers: [file://provider.mjs]
tests:
  - vars: { n: 3 }
    assert:
      - { type: javascript, value: 'output === "3:made"' }
      - { type: javascript, value: 'context.vars.n > 5' }
  - vars: { n: 4 }
    assert: [{ type: javascript, value: 'process.kill(process.pid, "SIGKILL")' }]
  - vars: { n: 5 }
    assert: [{ type: regex, value: '^5:' }]
`,
    "prompt.ts": "export default ({ vars }: { vars: { n: number } }) => vars.n + ':made';\n",
    "provider.mjs":
      "export default class { id() { return 'own'; } async callApi(prompt) { return { output: prompt, cost: 0.5, tokenUsage: { prompt: 2, completion: 3 } }; } }\n",
  });
  const done = await runProcess([...devflowCommand(), "eval", "check", "promptfooconfig.yaml"], {
    env: home.environment({}),
    cwd: home.path,
  });
  expect(outputOf({ ...done, code: done.code ?? -1 })).toMatchInlineSnapshot(`
    "code  standard tier, 3 results, <duration>
    ██████████▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░  1 passed, 1 failed, 1 error

      FAIL   n=3
             javascript: the code returned false
      ERROR  n=4
             its process was killed by SIGKILL

    Stored  devflow eval show <id>   no earlier run to compare
    File    <folder>/.devflow/eval-results/code.promptfoo.json
    --- exit code 1"
  `);
  await expectNoLeaks(10_000);
}, 60_000);

test("cases use promptfoo's assertion types beside Devflow's own", async () => {
  const home = place({
    "cases.yaml": `
suite: mixed
cases:
  - name: greets
    person: Ada
    expectations:
      - { type: not-contains, value: sorry }
      - { type: icontains, value: "{{ person }}" }
      - { type: word_count_range, max: 3 }
      - { type: assert-set, threshold: 0.5, assert: [{ type: regex, value: "^Hello" }, { type: equals, value: no }] }
  - name: rude
    expectations: [{ type: not-contains, value: no }, { type: constructor-like-name-is-not-a-type }]
`,
    "good.yaml": `
suite: mixed
cases:
  - { name: greets, person: Ada, expectations: [{ type: not-contains, value: sorry }, { type: icontains, value: "{{ person }}" }, { type: word_count_range, max: 3 }] }
  - { name: rude, expectations: [{ type: not-contains, value: no }, { type: select-best, value: x }] }
`,
    "fine.yaml": `
suite: mixed
cases:
  - { name: greets, person: Ada, expectations: [{ type: not-contains, value: sorry }, { type: icontains, value: "{{ person }}" }, { type: word_count_range, max: 3 }] }
  - { name: rude, expectations: [{ type: not-contains, value: no }, { type: latency, threshold: 5 }] }
`,
    "out.json": JSON.stringify({ greets: "Hello ADA", rude: "no" }),
  });
  expect(outputOf(await runCli(["eval", "check", "cases.yaml", "out.json"], { home }))).toMatchInlineSnapshot(`
    "--- stderr
    There is 1 error:
      cases.yaml:12 cases[1].expectations[1].type: unknown expectation "constructor-like-name-is-not-a-type"; see docs/expectations.md
    Fix them; see docs/eval-suites.md and docs/expectations.md
    --- exit code 65"
  `);
  expect(outputOf(await runCli(["eval", "check", "good.yaml", "out.json"], { home }))).toMatchInlineSnapshot(`
    "--- stderr
    There is 1 error:
      good.yaml:5 cases[1].expectations[1]: select-best compares several outputs, which only a promptfoo suite has
    Fix them; see docs/eval-suites.md and docs/expectations.md
    --- exit code 65"
  `);
  expect(outputOf(await runCli(["eval", "check", "fine.yaml", "out.json"], { home }))).toMatchInlineSnapshot(`
    "mixed  standard tier, 2 results, <duration>
    ███████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  1 passed, 1 failed

      FAIL   rude
             not-contains: expected the output not to contain "no"

    Change  no earlier run to compare
    File    <folder>/.devflow/eval-results/mixed.json
    Stored  devflow eval show <id>
    --- exit code 1"
  `);
});

/** Writes each question to a file, so that a test sees what was asked. */
const asking = (tests: number) => ({
  "promptfooconfig.yaml": `
description: paid
prompts: ['Q {{n}}', 'Please, {{n}}']
providers: ['exec:sh ask.sh']
evaluateOptions: { maxConcurrency: 1 }
tests:
${Array.from({ length: tests }, (_, n) => `  - { vars: { n: ${n} }, assert: [{ type: contains, value: "${n}" }] }`).join("\n")}
`,
  "ask.sh": 'printf "%s\\n" "$1" >> asked.txt\nprintf "answer to %s" "$1"\n',
});
const askedIn = (home: TemporaryHome): string[] => {
  const path = join(home.path, "asked.txt");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
};
const started = (home: TemporaryHome, more: Record<string, string> = {}) => ({
  env: home.environment(more),
  cwd: home.path,
});
const suiteCommand = (...words: string[]) => [...devflowCommand(), "eval", "check", "promptfooconfig.yaml", ...words];

test("a suite that was killed twice goes on, and no question is asked twice", async () => {
  const home = place(asking(6));
  for (const answers of [3, 4]) {
    const killed = await runProcess(suiteCommand(), started(home, killAt("afterAnswerOnDisk", answers)));
    expect(killed.killedBy).toBe("SIGKILL");
  }
  expect(askedIn(home)).toHaveLength(7);
  const done = await runProcess(suiteCommand("--json"), started(home));
  expect([done.code, done.stderr]).toEqual([0, "Continues the unfinished run: 7 answers so far.\n"]);
  expect(JSON.parse(done.stdout)).toMatchObject({ total: 12, passed: 12, failed: 0, errors: 0 });
  expect(askedIn(home).toSorted()).toEqual([0, 1, 2, 3, 4, 5].flatMap((n) => [`Q ${n}`, `Please, ${n}`]).toSorted());
  const again = await runProcess(suiteCommand("--json"), started(home));
  expect([again.code, again.stderr, askedIn(home).length]).toEqual([0, "", 24]);
  await expectNoLeaks(10_000);
}, 60_000);

test("what a killed suite has finished can be stored as it is; --fresh forgets it", async () => {
  const home = place(asking(4));
  const env = killAt("afterAnswerOnDisk", 5);
  // Slow enough for a partial to be written before it is killed.
  writeFileSync(join(home.path, "ask.sh"), `sleep 0.15; ${asking(0)["ask.sh"]}`);
  await runProcess(suiteCommand(), started(home, env));
  const left = await runCli(["eval", "watch", "paid"], { home });
  expect([left.code, left.stderr]).toEqual([1, expect.stringContaining("devflow eval push --partials paid")]);
  const pushed = await runCli(["eval", "push", "--partials", "paid", "--json"], { home });
  expect(pushed.code).toBe(0);
  const { runs } = (await runCli(["eval", "list", "--json"], { home })).json<{ runs: { total: number }[] }>();
  const stored = runs.reduce((sum, { total }) => sum + total, 0);
  expect(stored).toBeGreaterThan(0);
  expect(stored).toBeLessThanOrEqual(4);
  await runProcess(suiteCommand(), started(home, env));
  const before = askedIn(home).length;
  const fresh = await runProcess(suiteCommand("--fresh"), started(home));
  expect([fresh.code, fresh.stderr, askedIn(home).length - before]).toEqual([0, "", 8]);
}, 60_000);

test("while a suite runs, eval watch shows its results as they arrive, and the run when it has ended", async () => {
  const home = place(asking(5));
  writeFileSync(join(home.path, "ask.sh"), `sleep 0.2; ${asking(0)["ask.sh"]}`);
  const running = runProcess(suiteCommand(), started(home));
  const watched = await runCli(["eval", "watch", "paid"], { home });
  expect((await running).code).toBe(0);
  expect(watched.code).toBe(0);
  expect(watched.stdout.match(/^.*PASS.*$/gm)?.length ?? watched.stdout.split("\n").length).toBeGreaterThanOrEqual(10);
  expect(watched.stdout).toContain("10 passed");
  expect(watched.stderr).toContain("The run ended.");
}, 60_000);

test("a suite that is being run is not run a second time, and options of cases are refused", async () => {
  const home = place(asking(3));
  writeFileSync(join(home.path, "ask.sh"), `sleep 0.3; ${asking(0)["ask.sh"]}`);
  const first = runProcess(suiteCommand(), started(home));
  while (askedIn(home).length === 0) await Bun.sleep(20);
  const second = await runCli(["eval", "check", "promptfooconfig.yaml"], { home });
  expect(second.stderr).toBe(
    "paid is already being run with these prompts and providers.\nWatch it: devflow eval watch\n",
  );
  expect((await first).code).toBe(0);
  const refused = await runCli(["eval", "check", "promptfooconfig.yaml", "--max-usd", "1"], { home });
  expect([refused.code, refused.stderr.split("\n")[0]]).toEqual([
    64,
    "--max-usd cannot be used with a promptfoo suite.",
  ]);
}, 60_000);
