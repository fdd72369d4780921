import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  canRun,
  devflowCommand,
  lackOfProgram,
  outputOf,
  runCli,
  runProcess,
  startScriptedModel,
  type TemporaryHome,
  temporaryHome,
} from "@devflow/testkit";

const key = "sk-test-0123456789abcdef";
const scores = (given: Readonly<Record<string, number>>) => ({
  tools: [
    {
      name: "record_scores",
      arguments: Object.fromEntries(
        Object.entries(given).map(([name, score]) => [name, { reasoning: "because", score }]),
      ),
    },
  ],
  usage: { input: 1000, output: 100 },
});

/** The output says itself how good it is: `score 0.4` gets 0.4 of every judge, unless it is a strict one. */
const scenario = {
  steps: [
    ...[0.2, 0.4, 0.9].map((score) => ({
      match: { userText: `score ${score}`, system: "/^(?![^]*hard-nosed)/" },
      times: "always" as const,
      answer: scores({ accuracy: score }),
    })),
    { match: { system: "hard-nosed" }, times: "always" as const, answer: scores({ accuracy: 0.5 }) },
  ],
};

const profiles = `
profiles:
  default: { model: claude-haiku-4-5 }
  pair:
    judges: [{ model: claude-haiku-4-5, votes: 2 }, { model: claude-sonnet-4-6 }]
  strict:
    model: claude-opus-4-6
    rubric: Judge as a hard-nosed editor would.
    criteria: { accuracy: { threshold: 0.8 } }
`;
const suiteOf = (profile: string, names: readonly string[]) =>
  `suite: posts\ncases:\n${names.map((name) => `  - { name: ${name}, text: ${name}, expectations: [{ type: response_excludes, patterns: [damn] }, { type: quality_check, criteria: { accuracy: 0.7 }, judge_profile: ${profile} }] }`).join("\n")}\n`;

async function place(
  profile = "default",
  outputs: Readonly<Record<string, string>> = { good: "score 0.9", bad: "score 0.4" },
) {
  const home = temporaryHome();
  const model = await startScriptedModel(scenario);
  mkdirSync(join(home.path, "evals"));
  writeFileSync(join(home.path, "evals/posts.yaml"), suiteOf(profile, Object.keys(outputs)));
  writeFileSync(join(home.path, "evals/judge-profiles.yaml"), profiles);
  writeFileSync(join(home.path, "out.json"), JSON.stringify(outputs));
  const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: key };
  const cli = (words: readonly string[], more: Readonly<Record<string, string>> = {}, stdin?: string) =>
    runCli(words, { home, env: { ...env, ...more }, ...(stdin === undefined ? {} : { stdin }) });
  const check = (...words: string[]) => cli(["eval", "check", "evals", "out.json", "--judge", "--json", ...words]);
  return { home, model, cli, check, [Symbol.asyncDispose]: () => model.close() };
}
const resultsOf = (file: string) => JSON.parse(readFileSync(file, "utf8")).all_results;
const runIn = (home: TemporaryHome) =>
  runCli(["eval", "list", "--json"], { home }).then((listed) => listed.json<{ runs: { runId: string }[] }>().runs);

test("judges found beside the cases are asked once; the second time their votes come from the cache", async () => {
  await using it = await place();
  const first = await it.check();
  expect(first.code).toBe(1);
  const { file } = first.json<{ file: string }>();
  expect(resultsOf(file)).toMatchObject([
    { name: "good", status: "pass", judge_scores: { accuracy: 0.9 }, judge_thresholds: { accuracy: 0.7 } },
    {
      name: "bad",
      status: "fail",
      failures: [{ type: "threshold", criterion: "accuracy", actual: 0.4, expected: 0.7 }],
    },
  ]);
  expect(it.model.requests).toHaveLength(2);
  await it.check();
  expect(it.model.requests).toHaveLength(2);
  const stats = (await it.cli(["eval", "cache", "stats", "--json"])).json<{ judges: unknown }>();
  // Two votes of 1,000 and 100 tokens at $1 and $5 a million.
  expect(stats.judges).toMatchObject({ entries: 2, hits: 2, unpricedHits: 0, savedUsd: expect.closeTo(0.003, 9) });
  await it.cli(["eval", "check", "evals", "out.json", "--judge"], { EVAL_JUDGE_CACHE: "0" });
  expect(it.model.requests).toHaveLength(4);
  expect((await it.cli(["eval", "cache", "clear", "--judges"])).stdout).toBe("2 votes deleted.\n");
  await it.check();
  expect(it.model.requests).toHaveLength(6);
  expect(JSON.stringify(resultsOf(file))).not.toContain(key);
});

test("EVAL_JUDGE_TIER chooses the model where a profile names none, also by its nickname", async () => {
  await using it = await place();
  writeFileSync(join(it.home.path, "evals/judge-profiles.yaml"), "profiles: { default: {} }");
  await it.cli(["eval", "check", "evals", "out.json", "--judge"], { EVAL_JUDGE_TIER: "opus" });
  expect(new Set(it.model.requests.map(({ model }) => model))).toEqual(new Set(["claude-opus-4-6"]));
  const odd = await it.cli(["eval", "check", "evals", "out.json", "--judge"], { EVAL_JUDGE_TIER: "gpt" });
  expect(outputOf(odd)).toMatchInlineSnapshot(`
    "--- stderr
    EVAL_JUDGE_TIER is "gpt", which is not a tier.
    Use one of fast, standard, full, haiku, sonnet or opus.
    --- exit code 65"
  `);
});

test("rejudge: the same outputs under another profile are a run of their own, and compare does not mix the two", async () => {
  await using it = await place();
  const { run_id, file } = (await it.check()).json<{ run_id: string; file: string }>();
  const outputs = resultsOf(file).map((one: { output: unknown }) => one.output);
  const judged = await it.cli([
    "eval",
    "rejudge",
    run_id,
    "--profile",
    "strict",
    "--profiles",
    "evals/judge-profiles.yaml",
    "--json",
  ]);
  expect(judged.code).toBe(1);
  const answer = judged.json<{ run_id: string; file: string; warnings: string[] }>();
  expect(answer.run_id).not.toBe(run_id);
  expect(answer).toMatchObject({
    rejudged_from: run_id,
    failed: 2,
    judges: [{ model: "claude-opus-4-6", threshold: 0.7 }],
  });
  expect(answer.warnings[0]).toBe(`1 verdict of 2 changed since ${run_id.slice(0, 13)}.`);
  expect(resultsOf(answer.file).map((one: { output: unknown }) => one.output)).toEqual(outputs);
  expect(resultsOf(answer.file)).toMatchObject([
    { name: "good", status: "fail", cached: true, failures: [{ expectation_type: "quality_check", actual: 0.5 }] },
    { name: "bad", status: "fail" },
  ]);
  expect(await runIn(it.home)).toHaveLength(2);
  const compared = await it.cli(["eval", "compare", run_id, answer.run_id]);
  expect(`${compared.stdout}${compared.stderr}`).toMatch(/judged by .*claude-haiku-4-5.*claude-opus-4-6/s);
  const wrong = await it.cli([
    "eval",
    "rejudge",
    run_id,
    "--profile",
    "stirct",
    "--profiles",
    "evals/judge-profiles.yaml",
  ]);
  expect(outputOf(wrong)).toMatchInlineSnapshot(`
    "--- stderr
    The judge profile "stirct" was not found.
    Known profiles: default, pair, strict. Profiles are in judge-profiles.yaml, or in the file given by --profiles.
    --- exit code 66"
  `);
});

test("rejudge of a run from elsewhere needs case files or a profile with criteria, and keeps its other failures", async () => {
  await using it = await place();
  const results = [
    { name: "good", input: { text: "good" }, output: "score 0.9", passed: false, failures: [{ message: "too long" }] },
    { name: "crashed", input: { text: "c" }, status: "error", error: "boom" },
  ];
  writeFileSync(join(it.home.path, "r.json"), JSON.stringify({ suite: "posts", run_id: "pushed", results }));
  await it.cli(["eval", "push", "r.json"]);
  const none = await it.cli(["eval", "rejudge", "pushed"]);
  expect(outputOf(none)).toMatchInlineSnapshot(`
    "--- stderr
    posts/pushed does not record what the judges should check.
    Give the case files (--cases 'evals/**/*.yaml'), or a profile with criteria: --profile <name>
    --- exit code 65"
  `);
  const byCases = await it.cli(["eval", "rejudge", "pushed", "--cases", "evals/posts.yaml", "--json"]);
  expect(resultsOf(byCases.json<{ file: string }>().file)).toMatchObject([
    { name: "good", status: "fail", judge_scores: { accuracy: 0.9 }, failures: [{ message: "too long" }] },
    { name: "crashed", status: "error", error: "boom", judge_scores: {} },
  ]);
  const byProfile = [
    "eval",
    "rejudge",
    "pushed",
    "--profile",
    "strict",
    "--profiles",
    "evals/judge-profiles.yaml",
    "--json",
  ];
  expect(resultsOf((await it.cli(byProfile)).json<{ file: string }>().file)[0].failures).toMatchObject([
    { message: "too long" },
    { criterion: "accuracy", expected: 0.8, actual: 0.5 },
  ]);
});

test("labels: a person's word is kept for the output, and the judges are held against it and one another", async () => {
  const outputs = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`case${n}`, `${n} score ${n % 2 === 0 ? 0.9 : 0.2}`]),
  );
  await using it = await place("pair", outputs);
  const { run_id } = (await it.check()).json<{ run_id: string }>();
  const empty = await it.cli(["eval", "label", run_id]);
  expect(outputOf(empty).replace(/case\d+/g, "<case>")).toMatchInlineSnapshot(`
    "40 outputs judged by claude-haiku-4-5, claude-sonnet-4-6: 20 passed, 20 failed

    Between the judges (Krippendorff's alpha)
      criterion  outputs  scores  verdicts  may gate
      accuracy        40    1.00      1.00  yes

    Each judge with itself (Krippendorff's alpha)
      criterion                   outputs  scores  verdicts  may gate
      claude-haiku-4-5, accuracy       40    1.00      1.00  yes

    No output of this run has a label yet.

    Label next: devflow eval label <id> <case> pass|fail   (or with --ask)
      <case>
      <case>
      <case>
      <case>
      <case>
      and 35 more outputs without a label"
  `);
  const suggested = [...empty.stdout.matchAll(/^ {2}case(\d+)$/gm)].map(([, n]) => Number(n) % 2);
  // As many that were failed as that were passed, so that both kinds are known.
  expect(suggested).toEqual([1, 0, 1, 0, 1]);

  const one = await it.cli(["eval", "label", run_id, "case0", "fail", "--note", "invented", "--by", "Ada"]);
  expect(one.stdout).toBe("case0: fail, by Ada.\n");
  // She thinks again; the last word counts. With 20 and 20, and two on which they differ.
  const lines = Object.keys(outputs).map((name, n) =>
    JSON.stringify({ case: name, verdict: n === 3 || n === 5 || n % 2 === 0 ? "pass" : "fail", by: "Ada" }),
  );
  const many = await it.cli(["eval", "label", run_id, "--from", "-"], {}, `${lines.join("\n")}\n`);
  expect(outputOf(many)).toMatchInlineSnapshot(
    `"40 labels stored. See how well the judges agree: devflow eval label <id>"`,
  );
  const told = (await it.cli(["eval", "label", run_id, "--json"])).json<{ people: unknown[]; next: unknown[] }>();
  expect(told.next).toEqual([]);
  expect(told.people).toEqual([
    {
      criterion: null,
      labels: 40,
      table: [
        [20, 0],
        [2, 18],
      ],
      isEnough: true,
      // By hand: observed 38/40; chance (20·22 + 20·18)/1600 = .5; kappa = (.95 − .5)/.5 = .9.
      cohensKappa: expect.closeTo(0.9, 9),
      // AC1: shares of pass (20 + 22)/80 = .525; chance 2 · .525 · .475 = .49875; (.95 − .49875)/(1 − .49875).
      gwetsAc1: expect.closeTo((0.95 - 0.49875) / (1 - 0.49875), 9),
      agreement: expect.closeTo(0.95, 9),
    },
  ]);
  // The labels belong to the outputs: under another judge they are there at once.
  const again = await it.cli([
    "eval",
    "rejudge",
    run_id,
    "--profile",
    "strict",
    "--profiles",
    "evals/judge-profiles.yaml",
    "--json",
  ]);
  const strict = (await it.cli(["eval", "label", again.json<{ run_id: string }>().run_id, "--json"])).json<{
    people: unknown[];
  }>();
  expect(strict.people).toMatchObject([
    {
      labels: 40,
      table: [
        [0, 0],
        [22, 18],
      ],
    },
  ]);
}, 60_000);

test("labels that cannot be kept are refused whole, with what to type", async () => {
  await using it = await place();
  const { run_id } = (await it.check()).json<{ run_id: string }>();
  const told = async (words: readonly string[], stdin = "") =>
    outputOf(await it.cli(["eval", "label", run_id, ...words], {}, stdin));
  expect(await told(["goood", "pass"])).toMatchInlineSnapshot(`
    "--- stderr
    The case "goood" in <id> was not found.
    Did you mean good?
    --- exit code 66"
  `);
  expect(await told(["good"])).toMatchInlineSnapshot(`
    "--- stderr
    The verdict is missing: pass or fail.
    devflow eval label <id> 'good' pass
    --- exit code 64"
  `);
  const lines = '{"case":"good","verdict":"pass"}\n{"case":"good","verdict":"maybe"}\n';
  expect(await told(["--from", "-"], lines)).toMatchInlineSnapshot(`
    "--- stderr
    The input, line 2: ✖ Invalid option: expected one of "pass"|"fail"
      → at verdict
    Nothing was stored. Each line must be like {"case": "its name", "verdict": "pass"}
    --- exit code 65"
  `);
  expect(await told(["--ask"])).toMatchInlineSnapshot(`
    "--- stderr
    --ask needs a terminal.
    Give labels as a file: devflow eval label <id> --from labels.jsonl
    --- exit code 64"
  `);
  expect((await it.cli(["eval", "label", run_id])).stdout).toContain("No output of this run has a label yet.");
});

const hasTmux = await canRun("the test of eval label --ask", () =>
  lackOfProgram("tmux", "-V", "apt-get install tmux, dnf install tmux or brew install tmux"),
);

test.skipIf(!hasTmux)(
  "--ask shows one output after the other on a terminal, and says what the judges said only afterwards",
  async () => {
    await using it = await place();
    const { run_id } = (await it.check()).json<{ run_id: string }>();
    const socket = join(it.home.path, "tmux");
    const env = it.home.environment();
    const tmux = (...words: string[]) => runProcess(["tmux", "-f", "/dev/null", "-S", socket, ...words], { env });
    const screen = async (wanted: RegExp) => {
      for (;;) {
        const { stdout } = await tmux("capture-pane", "-p", "-t", "label");
        if (wanted.test(stdout)) return stdout;
        await Bun.sleep(50);
      }
    };
    const command = [...devflowCommand(), "eval", "label", run_id, "--ask", "--by", "Ada"]
      .map((word) => `'${word}'`)
      .join(" ");
    await tmux("new-session", "-d", "-x", "100", "-y", "40", "-s", "label", `${command}; sleep 600`);
    try {
      expect(await screen(/q quit/)).not.toContain("The judges");
      await tmux("send-keys", "-t", "label", "p", "Enter");
      expect(await screen(/2\/2[\s\S]*q quit/)).toContain("The judges");
      await tmux("send-keys", "-t", "label", "q", "Enter");
      await screen(/1 label stored/);
    } finally {
      await tmux("kill-server");
    }
    const { people } = (await it.cli(["eval", "label", run_id, "--json"])).json<{ people: unknown[] }>();
    expect(people).toMatchObject([{ labels: 1, isEnough: false, cohensKappa: null }]);
  },
  120_000,
);
