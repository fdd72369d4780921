import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  devflowCommand,
  killAt,
  outputOf,
  runCli,
  runProcess,
  type ScenarioInput,
  startProcess,
  startScriptedModel,
  temporaryHome,
} from "@devflow/testkit";

const key = "sk-test-0123456789abcdef";

/** A home with a suite, and a scripted model that its providers ask. */
async function place(suite: string, scenario: ScenarioInput) {
  const home = temporaryHome();
  const model = await startScriptedModel(scenario);
  mkdirSync(join(home.path, "evals"));
  const file = join(home.path, "evals/support.yaml");
  writeFileSync(file, suite);
  const env = {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: key,
    OPENAI_BASE_URL: model.openaiUrl,
    OPENAI_API_KEY: key,
  };
  const cli = (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runCli(words, { home, env: { ...env, ...more } });
  const check = (...words: string[]) => cli(["eval", "check", "evals", "--run", ...words]);
  /** As a process, for what kills it. */
  const argv = (...words: string[]) => [...devflowCommand(), "eval", "check", "evals", "--run", ...words];
  const started = (more: Readonly<Record<string, string>> = {}) => ({
    env: home.environment({ ...env, ...more }),
    cwd: home.path,
  });
  const journals = () => {
    const folder = join(home.devflowHome, "eval-runs/support");
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".jsonl")) : [];
  };
  const asked = () => model.requests.map(({ model: name, lastUserText }) => `${name} ${lastUserText}`);
  const dispose = () => model.close();
  return { home, file, model, cli, check, argv, started, journals, asked, [Symbol.asyncDispose]: dispose };
}

const contains = "[{ type: response_contains, patterns: [yes] }]";
const cases = (count: number, expectations = contains) =>
  Array.from(
    { length: count },
    (_, n) => `  - { name: case ${n}, question: q${n}?, expectations: ${expectations} }`,
  ).join("\n");
const suiteOf = (count: number, expectations = contains, providers = '["anthropic:claude-haiku-4-5"]') =>
  `suite: support\nprompts: ["Answer: {{question}}"]\nproviders: ${providers}\ncases:\n${cases(count, expectations)}\n`;
const always = "always" as const;
const usage = { input: 1000, output: 100 };
const yes = { text: "yes", usage };
const no = { text: "no", usage };
interface Told {
  readonly end: string;
  readonly done: number;
  readonly spent_usd: number;
  readonly stored: readonly string[];
  readonly findings: readonly { readonly verdict: string; readonly side: string; readonly pairs: number }[];
  readonly variants: readonly { readonly passed: number; readonly failed: number; readonly errors: number }[];
}

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

test("every prompt is sent to every provider, and each variant is a stored run of one matrix", async () => {
  await using it = await place(twoByTwo, {
    steps: [
      { match: { userText: "Long: q1", model: "gpt", system: "Be kind." }, times: always, answer: no },
      { times: always, answer: yes },
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
  const { runs } = (await it.cli(["eval", "list", "--json"])).json<{ runs: Record<string, unknown>[] }>();
  expect(runs.map(({ model, provider, variant, total }) => [model, provider, variant, total])).toEqual([
    ["gpt-5.4-mini", "openai", "mini · long", 3],
    ["gpt-5.4-mini", "openai", "mini · short", 3],
    ["claude-haiku-4-5", "anthropic", "long", 3],
    ["claude-haiku-4-5", "anthropic", "short", 3],
  ]);
  expect(new Set(runs.map(({ matrix }) => matrix)).size).toBe(1);
  expect(it.model.requests).toHaveLength(12);
  expect(it.journals()).toEqual([]);
  expect(readdirSync(join(it.home.devflowHome, "eval-partials/support"))).toEqual([]);
  // A second run is a new sample, not a repetition of the first.
  await it.check();
  expect(it.model.requests).toHaveLength(24);
});

test("one variant is reported like any other check; a JSON answer is checked by its members", async () => {
  const suite = `suite: support
prompts: [{ text: "{{question}}", output: json }]
providers: ["openai:gpt-5.4-mini"]
cases:
  - { name: typed, question: q0?, expectations: [{ type: field_is, field: mood, value: good }] }
  - { name: wrong, question: q1?, expectations: [{ type: has_field, field: mood }] }
`;
  await using it = await place(suite, {
    steps: [
      { match: { userText: "q0" }, answer: { text: '```json\n{"mood": "good"}\n```', usage } },
      { match: { userText: "q1" }, answer: { text: "in a good mood", usage } },
    ],
  });
  expect(outputOf(await it.check())).toMatchInlineSnapshot(`
    "support  standard tier, 2 results, <duration>, ~$0.00240
    ███████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  1 passed, 1 failed

      FAIL   wrong
             has_field: output.mood is missing

    Change  no earlier run to compare
    Stored  devflow eval show <id>
    --- stderr
    Asks openai:gpt-5.4-mini: 2 calls.
    --- exit code 1"
  `);
});

test("whatever cannot work is found before anything is asked", async () => {
  await using it = await place(suiteOf(2), { steps: [{ times: always, answer: yes }] });
  const told = async (...words: string[]) => {
    const { code, stderr } = await it.cli(["eval", "check", "evals", ...words]);
    return `${code} ${stderr.trim()}`;
  };
  expect([
    await told("--max-usd", "1"),
    await told("--run", "--until", "decided"),
    await told("--run", "--model", "gpt-5.4"),
    await told("--provider", "gpt-5.4"),
    await told("--provider", "openai:nobody-knows", "--max-usd", "1"),
    await told("--run", "--prompt", "nowhere.txt"),
    await told("--run", "--", "node", "app.js"),
    await told("--run", "--max-usd", "0"),
  ]).toMatchInlineSnapshot(`
    [
      
    "64 --max-usd needs --run, or a --provider.
    See the usage: devflow eval check --help"
    ,
      
    "64 --until decided compares variants, and there is only one. Name an earlier run: --against <run>
    See the usage: devflow eval check --help"
    ,
      
    "64 --model names the model of outputs that exist. To ask a model: --provider anthropic:<model>
    See the usage: devflow eval check --help"
    ,
      
    "64 --provider: "gpt-5.4" is not a provider; use anthropic:<model>, openai:<model>, openai:chat:<model>, exec:<command>, agent:claude, agent:codex or a URL.
    See the usage: devflow eval check --help"
    ,
      
    "65 --max-usd cannot be kept: nobody-knows has no known price.
    Add its price to prices.json in the home (packages/prices/README.md), or omit --max-usd."
    ,
      
    "66 The prompt nowhere.txt was not found.
    See docs/eval-suites.md"
    ,
      
    "64 --run asks providers; to run a command for each case, omit it.
    See the usage: devflow eval check --help"
    ,
      
    "64 --max-usd: Too small: expected number to be >0.
    See: devflow eval check --help"
    ,
    ]
  `);
  const withKeys = await it.cli(["eval", "check", "evals", "--run"], { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "" });
  expect(outputOf(withKeys)).toMatchInlineSnapshot(`
    "--- stderr
    anthropic:claude-haiku-4-5 cannot be asked: ANTHROPIC_API_KEY is not set.
    export ANTHROPIC_API_KEY=…
    --- exit code 65"
  `);
  writeFileSync(it.file, suiteOf(2).replace("question: q1?", "problem: q1?"));
  expect(outputOf(await it.check())).toMatchInlineSnapshot(`
    "--- stderr
    Prompts cannot be filled:
      evals/support.yaml:6 "case 1" has no question, which the prompt needs
    Add the members to the cases.
    --- exit code 65"
  `);
  const ab = "comparison: { type: ab_test }, question: q1?";
  writeFileSync(it.file, suiteOf(2).replace("question: q1?", ab));
  expect(outputOf(await it.check())).toMatchInlineSnapshot(`
    "--- stderr
    "case 1" is an A/B test or a tier chain, which only a command can run.
    Leave it out (--skip-tag, --case), or check it with a command: devflow eval check <cases> -- <command>
    --- exit code 65"
  `);
  writeFileSync(
    it.file,
    suiteOf(2).replace("anthropic:claude-haiku-4-5", "antropic:claude").replace("prompts", "promts"),
  );
  expect(outputOf(await it.check())).toMatchInlineSnapshot(`
    "--- stderr
    There are 2 errors:
      evals/support.yaml:3 providers[0].id: "antropic:claude" is not a provider; use anthropic:<model>, openai:<model>, openai:chat:<model>, exec:<command>, agent:claude, agent:codex or a URL
      evals/support.yaml:2 promts: unknown key "promts"
    Fix them; see docs/eval-suites.md and docs/expectations.md
    --- exit code 65"
  `);
  expect(it.model.requests).toEqual([]);
});

test("the budget stops the run in time; a larger one continues it, and what is there can be stored", async () => {
  // $0.0015 a call; estimated at most $0.0207 until ten were seen.
  await using it = await place(suiteOf(60), { steps: [{ times: always, answer: yes }] });
  const stopped = await it.check("--max-usd", "0.05", "--concurrency", "4");
  expect(outputOf(stopped).replace(/[\d.]+ spent, \d+ of 60 results \([\d.]+ %\)/, "<spent>")).toMatchInlineSnapshot(`
    "support  standard tier, 32 results, <duration>
    ██████████████████████████████  32 passed

    Stopped: the rest of the budget of $0.050 is too small for another call. $<spent>.
    What was answered is kept. To continue: the same command with a larger --max-usd.
    To store what is there: devflow eval push --partials support
    --- stderr
    Asks anthropic:claude-haiku-4-5: 60 calls, at most $0.050.
    --- exit code 5"
  `);
  const calls = it.model.requests.length;
  expect(calls * 0.0015).toBeLessThanOrEqual(0.05);
  expect(calls * 0.0015).toBeGreaterThan(0.04);
  const more = (await it.check("--max-usd", "0.06", "--json")).json<Told>();
  expect([more.end, more.done]).toEqual(["budget", it.model.requests.length]);
  expect(more.spent_usd).toBeCloseTo(it.model.requests.length * 0.0015, 9);
  expect(more.spent_usd).toBeLessThanOrEqual(0.06);
  const pushed = (await it.cli(["eval", "push", "--partials", "support", "--json"])).json<{
    runs: { total: number }[];
  }>();
  expect(pushed.runs.map(({ total }) => total)).toEqual([it.model.requests.length]);
  // Stored as it is, it is not continued: the next is a new run.
  expect(it.journals()).toEqual([]);
});

test("partials of a matrix are stored as one run per variant", async () => {
  await using it = await place(suiteOf(30, contains, '["anthropic:claude-haiku-4-5", "openai:gpt-5.4-mini"]'), {
    steps: [{ times: always, answer: yes }],
  });
  expect((await it.check("--max-usd", "0.055")).code).toBe(5);
  const { runs } = (await it.cli(["eval", "push", "--partials", "support", "--json"])).json<{
    runs: { total: number; model: string; matrix: string }[];
  }>();
  expect(runs.map(({ model }) => model)).toEqual(["claude-haiku-4-5", "gpt-5.4-mini"]);
  expect(runs.reduce((sum, { total }) => sum + total, 0)).toBe(it.model.requests.length);
  expect(new Set(runs.map(({ matrix }) => matrix)).size).toBe(1);
});

test("killed when an answer is on disk: it is not asked for again", async () => {
  await using it = await place(suiteOf(6), { steps: [{ times: always, answer: yes }] });
  const argv = it.argv("--concurrency", "1", "--json");
  const killed = await runProcess(argv, it.started(killAt("afterAnswerOnDisk", 3)));
  expect(killed.killedBy).toBe("SIGKILL");
  const done = await runProcess(argv, it.started());
  expect([done.code, done.stderr.match(/3 answers and \$[\d.]+ spent so far/)?.length]).toEqual([0, 1]);
  expect(done.stderr).not.toContain("had no answer yet");
  expect(it.asked()).toHaveLength(6);
  expect(new Set(it.asked()).size).toBe(6);
});

test("killed between an answer and the disk: nobody knows whether it was charged, so it is told, asked again, and counted twice", async () => {
  await using it = await place(suiteOf(3), { steps: [{ times: always, answer: yes }] });
  const argv = it.argv("--concurrency", "1", "--max-usd", "1", "--json");
  const killed = await runProcess(argv, it.started(killAt("afterAnswerBeforeJournal", 2)));
  expect(killed.killedBy).toBe("SIGKILL");
  const done = await runProcess(argv, it.started());
  expect(done.stderr).toContain(
    "1 call had no answer yet when the run was killed: made again, and possibly charged twice",
  );
  expect(it.asked()).toHaveLength(4);
  const { spent_usd } = done.json<Told>();
  expect(spent_usd).toBeGreaterThan(3 * 0.0015 + 0.0015);
});

test("a wrong key stops the run at once and says so without the key; with the right one it continues", async () => {
  await using it = await place(suiteOf(20), {
    steps: [
      { times: 5, answer: yes },
      { match: { apiKey: key }, times: 1, answer: { error: { status: 401, message: `invalid x-api-key ${key}` } } },
      { times: always, answer: yes },
    ],
  });
  const refused = await it.check("--concurrency", "1");
  expect(outputOf(refused)).toMatchInlineSnapshot(`
    "--- stderr
    Asks anthropic:claude-haiku-4-5: 20 calls.
    A provider cannot be asked: anthropic:claude-haiku-4-5: HTTP 401: invalid x-api-key [redacted].
    Check its key, model and address, then repeat the command: what was answered is kept.
    --- exit code 65"
  `);
  expect(it.model.requests).toHaveLength(6);
  const done = await it.check("--json");
  expect([done.code, done.json<Told>().done, it.model.requests.length]).toEqual([0, 20, 21]);
});

test("a provider that is busy is waited for, one that keeps failing makes errors, and the others go on", async () => {
  await using it = await place(suiteOf(4), {
    steps: [
      { match: { userText: "q0" }, times: 2, answer: { error: { status: 429, headers: { "retry-after-ms": "20" } } } },
      { match: { userText: "q1" }, times: always, answer: { error: { status: 400, message: "too long" } } },
      { times: always, answer: yes },
    ],
  });
  const done = await it.check();
  expect(outputOf(done)).toMatchInlineSnapshot(`
    "support  standard tier, 4 results, <duration>, ~$0.00450
    ██████████████████████░░░░░░░░  3 passed, 1 error

      ERROR  case 1
             anthropic:claude-haiku-4-5: HTTP 400: too long

    Change  no earlier run to compare
    Stored  devflow eval show <id>
    --- stderr
    Asks anthropic:claude-haiku-4-5: 4 calls.
    --- exit code 3"
  `);
});

const scored = (score: number) => ({
  tools: [{ name: "record_scores", arguments: { kindness: { reasoning: "because", score } } }],
  usage: { input: 2000, output: 200 },
});
const judgedSuite = (count: number) => suiteOf(count, "[{ type: quality_check, criteria: { kindness: 0.5 } }]");

test("judges count towards the budget, and what they judged before a crash is not judged again", async () => {
  const isJudge = { system: "You judge the work" };
  await using it = await place(judgedSuite(12), {
    steps: [
      { match: isJudge, times: always, answer: scored(0.8) },
      { times: always, answer: yes },
    ],
  });
  const more = { EVAL_JUDGE_CACHE: "0", EVAL_JUDGE_TIER: "fast" };
  const judged = () => it.model.requests.filter(({ system }) => system.includes("You judge")).length;
  const words = ["--judge", "--concurrency", "1", "--json"];
  const killed = await runProcess(it.argv(...words), it.started({ ...more, ...killAt("afterAnswerOnDisk", 5) }));
  expect([killed.killedBy, judged()]).toEqual(["SIGKILL", 4]);
  // $0.0015 for an answer, $0.003 for a vote.
  const limited = await it.cli(["eval", "check", "evals", "--run", ...words, "--max-usd", "0.06"], more);
  const told = limited.json<Told>();
  expect([limited.code, told.end]).toEqual([5, "budget"]);
  expect(told.spent_usd).toBeLessThanOrEqual(0.06);
  expect(told.spent_usd).toBeCloseTo((it.model.requests.length - judged()) * 0.0015 + judged() * 0.003, 9);
  const done = await it.cli(["eval", "check", "evals", "--run", ...words, "--max-usd", "1"], more);
  expect([done.code, done.json<Told>().done, judged(), it.model.requests.length]).toEqual([0, 12, 12, 24]);
});

test("a case whose expectations were fixed meanwhile is checked again, without asking again", async () => {
  await using it = await place(suiteOf(20), { steps: [{ times: always, answer: { text: "certainly", usage } }] });
  const argv = it.argv("--concurrency", "1", "--json");
  await runProcess(argv, it.started(killAt("afterAnswerOnDisk", 10)));
  writeFileSync(it.file, suiteOf(20, "[{ type: response_contains, patterns: [certainly] }]"));
  const done = await it.check("--json");
  expect([done.code, done.json<Told>().variants[0]?.passed, it.model.requests.length]).toEqual([0, 20, 20]);
});

test("--fresh forgets the unfinished run", async () => {
  await using it = await place(suiteOf(6), { steps: [{ times: always, answer: yes }] });
  await runProcess(it.argv("--concurrency", "1"), it.started(killAt("afterAnswerOnDisk", 3)));
  const done = await it.check("--fresh");
  expect(done.stderr).not.toContain("Continues");
  expect(it.model.requests).toHaveLength(9);
});

test("--cache: an answer to the same question is taken from the cache in the next run", async () => {
  await using it = await place(suiteOf(4), { steps: [{ times: always, answer: yes }] });
  await it.check("--cache");
  const again = await it.check("--cache", "--json");
  expect([it.model.requests.length, again.json<Told>().spent_usd]).toEqual([4, 0]);
  await it.check("--cache", "--repeats", "2");
  expect(it.model.requests).toHaveLength(8);
});

test("Ctrl-C stops the run, and the same command continues it; meanwhile no second one can run beside it", async () => {
  await using it = await place(suiteOf(5), {
    steps: [
      { times: 2, answer: yes },
      { times: 1, answer: { hang: true } },
      { times: always, answer: yes },
    ],
  });
  await using running = startProcess(it.argv("--concurrency", "1"), it.started());
  await it.model.waitFor(({ number }) => number === 3, AbortSignal.timeout(60_000));
  expect(outputOf(await it.check())).toMatchInlineSnapshot(`
    "--- stderr
    support is already being run with these prompts and providers.
    Watch it: devflow eval watch
    --- exit code 75"
  `);
  running.signal("SIGINT");
  const { code, stderr } = await running.ended;
  expect([code, stderr.split("\n").at(-2)]).toEqual([
    130,
    "Stopped before the end. What was answered is kept; to continue, repeat the command.",
  ]);
  const done = await it.check("--json");
  expect([done.json<Told>().done, it.model.requests.length]).toEqual([5, 6]);
});

test("--until decided: repeats until a variant is clearly worse, and then stops asking", async () => {
  const suite = suiteOf(10, contains, '["anthropic:claude-haiku-4-5", "openai:gpt-5.4-mini"]');
  await using it = await place(suite, {
    steps: [
      { match: { model: "gpt", userText: "/q[0-6]/" }, times: always, answer: no },
      { times: always, answer: yes },
    ],
  });
  const done = await it.check("--until", "decided", "--concurrency", "2");
  // How many results there are in the end depends on what was in flight when it was decided; the verdict does not.
  const [verdict] = done.stdout.split("\n").filter((line) => line.startsWith("regression"));
  expect([done.code, verdict]).toMatchInlineSnapshot(`
    [
      1,
      "regression  openai · gpt-5.4-mini: −72.7 points (−100.0 to −5.1), p = 0.0352, 0 better, 8 worse of 11 pairs",
    ]
  `);
  // 400 calls would have been the most.
  expect(it.model.requests.length).toBeLessThan(60);
});

test("--until decided --against: one variant is compared with an earlier run; equal ones exit with 0, undecided with 3", async () => {
  await using it = await place(suiteOf(10), { steps: [{ times: always, answer: yes }] });
  const first = (await it.check("--repeats", "15", "--json")).json<Told>();
  const against = first.stored[0]?.split("/")[1] ?? "";
  const same = await it.check("--until", "decided", "--against", against, "--json");
  expect([same.code, same.json<Told>().end, same.json<Told>().findings[0]?.verdict]).toEqual([
    0,
    "decided",
    "no evidence",
  ]);
  const few = await it.check("--until", "decided", "--against", against, "--repeats", "2", "--json");
  expect([few.code, few.json<Told>().end, few.json<Told>().findings[0]]).toMatchObject([
    3,
    "complete",
    { verdict: "not enough data", pairs: 20 },
  ]);
});

test("eval compare --sequential compares two variants with the test that may be looked at after every run", async () => {
  await using it = await place(suiteOf(12, contains, '["anthropic:claude-haiku-4-5", "openai:gpt-5.4-mini"]'), {
    steps: [
      { match: { model: "gpt" }, times: always, answer: no },
      { times: always, answer: yes },
    ],
  });
  const { stored } = (await it.check("--json")).json<Told>();
  const [a = "", b = ""] = stored;
  const compared = await it.cli(["eval", "compare", a, b, "--sequential", "--json"]);
  const { suites } = compared.json<{ suites: { pass: { method: string; p: number } }[] }>();
  expect([compared.code, suites[0]?.pass.method, suites[0]?.pass.p]).toEqual([
    1,
    "sequential",
    expect.closeTo(13 / 4096, 10),
  ]);
  const shown = await it.cli(["eval", "compare", a, b, "--sequential"]);
  expect(shown.stdout).toContain("95 % interval, valid at any time,");
});

test("an app is asked too: a command gets the input of the case, and its unknown cost is told", async () => {
  await using it = await place("suite: support\ncases:\n".concat(cases(2)), { otherwise: yes });
  writeFileSync(
    join(it.home.path, "app.mjs"),
    `let text = ""; for await (const part of process.stdin) text += part;
     console.log(JSON.stringify({ response: "yes to " + JSON.parse(text).vars.question }));`,
  );
  const provider = `exec:${process.execPath} app.mjs`;
  const done = await it.cli(["eval", "check", "evals", "--provider", provider, "--max-usd", "1"]);
  expect(outputOf(done).replaceAll(/exec:\S+/g, "exec:<bun>")).toMatchInlineSnapshot(`
    "support  standard tier, 2 results, <duration>
    ██████████████████████████████  2 passed

    exec:<bun> app.mjs does not report its cost: it is not counted.
    Change  no earlier run to compare
    Stored  devflow eval show <id>
    --- stderr
    Asks exec:<bun> app.mjs: 2 calls, at most $1.00."
  `);
});

test("the key is in no file of the home, and in no output", async () => {
  await using it = await place(judgedSuite(2), {
    steps: [
      { match: { system: "You judge" }, times: always, answer: scored(0.8) },
      { times: always, answer: { error: { status: 400, message: `what is ${key}?` } } },
    ],
  });
  const done = await it.cli(["eval", "check", "evals", "--run", "--judge"], { EVAL_VERBOSE: "1" });
  expect(done.stdout + done.stderr).not.toContain(key);
  for (const name of readdirSync(it.home.devflowHome, { recursive: true, withFileTypes: true })) {
    if (name.isFile()) expect(readFileSync(join(name.parentPath, name.name)).includes(key)).toBe(false);
  }
});
