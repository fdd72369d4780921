import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandContext } from "@devflow/core/command";
import { inspectConfig, loadConfig } from "@devflow/core/config";
import { processIdentity } from "@devflow/core/process-proof";
import type { SinkRecord } from "@devflow/evals/store";
import {
  devflowCommand,
  outputOf,
  plainText,
  runCli,
  runProcess,
  startProcess,
  type TemporaryHome,
  temporaryHome,
} from "@devflow/testkit";
import { checkWith } from "./check.ts";

const suite = `
suite: news
cases:
  - { name: short, tier: quick, tags: [smoke], text: a, expectations: [{ type: word_count_range, max: 3 }] }
  - { name: polite, text: b, expectations: [{ type: response_excludes, patterns: [damn] }] }
  - { name: deep, tier: full, text: c, expectations: [{ type: response_contains, patterns: [why] }] }
`;

/** A home with a suite of three cases in it, and whatever else a test needs. */
function place(files: Readonly<Record<string, string>> = {}): TemporaryHome {
  const home = temporaryHome();
  for (const [name, content] of Object.entries({ "evals/news.yaml": suite, ...files })) {
    mkdirSync(join(home.path, name, ".."), { recursive: true });
    writeFileSync(join(home.path, name), content);
  }
  return home;
}
const outputs = (given: Readonly<Record<string, unknown>>) => ({ "out.json": JSON.stringify(given) });
const good = outputs({ short: "so it is", polite: "please", deep: "and why" });

/** A program that answers each case by the given body of a function of `asked`. */
const app = (body: string) => ({
  "app.mjs": `let text = ""; for await (const part of process.stdin) text += part;
const asked = JSON.parse(text);
const answer = await (async () => { ${body} })();
if (answer !== undefined) console.log(JSON.stringify(answer));\n`,
});
const node = process.execPath;
const many = (count: number) =>
  `suite: many\ncases:\n${Array.from({ length: count }, (_, n) => `  - { name: case ${n}, n: ${n}, expectations: [{ type: response_contains, patterns: [ok] }] }`).join("\n")}\n`;

test("outputs of a file are checked, kept in a file and stored, and the exit code tells how it went", async () => {
  const home = place(outputs({ short: "this is far too long", polite: "please" }));
  const failed = await runCli(["eval", "check", "evals", "out.json"], { home });
  expect(outputOf(failed)).toMatchInlineSnapshot(`
    "news  standard tier, 2 results, <duration>
    ███████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  1 passed, 1 failed

      FAIL   short
             word_count_range: output.body has 5 words, expected at most 3

    Change  no earlier run to compare
    File    <folder>/.devflow/eval-results/news.json
    Stored  devflow eval show <id>
    --- exit code 1"
  `);
  const listed = await runCli(["eval", "list", "--json"], { home });
  expect(listed.json<{ runs: unknown[] }>().runs).toMatchObject([
    { suite: "news", tier: "standard", passed: 1, failed: 1 },
  ]);

  writeFileSync(join(home.path, "out.json"), good["out.json"]);
  const passed = await runCli(["eval", "check", "evals/*.yaml", "out.json", "--json"], { home });
  expect(passed.code).toBe(0);
  const answer = passed.json<{ file: string; stored: string; run_id: string; total: number }>();
  expect(answer).toMatchObject({ suite: "news", total: 2, failed: 0, problems: [], stored: `news/${answer.run_id}` });
  expect(JSON.parse(readFileSync(answer.file, "utf8"))).toMatchObject({ schema_version: 1, run_id: answer.run_id });
  // Nothing is left over: the partials went when the run was stored.
  expect(readdirSync(join(home.devflowHome, "eval-partials/news"))).toEqual([]);
});

test("a case that could not be checked is no failure: exit code 3", async () => {
  const home = place(outputs({ short: "yes" }));
  expect(outputOf(await runCli(["eval", "check", "evals", "out.json"], { home }))).toMatchInlineSnapshot(`
    "news  standard tier, 2 results, <duration>
    ███████████████░░░░░░░░░░░░░░░  1 passed, 1 error

      ERROR  polite
             no output was found

    Change  no earlier run to compare
    File    <folder>/.devflow/eval-results/news.json
    Stored  devflow eval show <id>
    --- exit code 3"
  `);
});

test("tiers, tags and names choose the cases; choosing none is an error that says how to choose others", async () => {
  const home = place(good);
  const names = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { file } = (await runCli(["eval", "check", "evals", "out.json", "--json", ...words], { home, env })).json<{
      file: string;
    }>();
    return (JSON.parse(readFileSync(file, "utf8")) as { all_results: { name: string }[] }).all_results.map(
      ({ name }) => name,
    );
  };
  expect(await names([])).toEqual(["short", "polite"]);
  expect(await names([], { EVAL_TIER: "quick" })).toEqual(["short"]);
  expect(await names(["--tier", "full"], { EVAL_TIER: "quick" })).toEqual(["short", "polite", "deep"]);
  expect(await names(["--tag", "smoke"])).toEqual(["short"]);
  expect(await names(["--skip-tag", "smoke"])).toEqual(["polite"]);
  expect(await names(["--case", "polite"])).toEqual(["polite"]);
  const none = await runCli(["eval", "check", "evals", "out.json", "--tag", "nobody"], { home });
  expect(outputOf(none)).toMatchInlineSnapshot(`
    "--- stderr
    None of 3 cases matches tier standard, tag nobody.
    Give cases \`tier: quick\` or a tag, or choose another tier with --tier.
    --- exit code 65"
  `);
  const odd = await runCli(["eval", "check", "evals", "out.json"], { home, env: { EVAL_TIER: "huge" } });
  expect(outputOf(odd)).toMatchInlineSnapshot(`
    "--- stderr
    EVAL_TIER is "huge", which is not a tier.
    Use one of: quick, fast, standard, full, e2e, llm-judge
    --- exit code 65"
  `);
});

test("what is wrong with the words or the files is told with what to type", async () => {
  const home = place({ ...good, "bad.yaml": "- { name: x, expectations: [{ type: word_cuont_range, max: 3 }] }\n" });
  const told = async (...words: string[]) => outputOf(await runCli(["eval", "check", ...words], { home }));
  expect(await told("evals")).toMatchInlineSnapshot(`
    "--- stderr
    <outputs> is missing: a file, a folder, or -- and a command; or --run to ask the suite's providers.
    See the usage: devflow eval check --help
    --- exit code 64"
  `);
  expect(await told("evals", "nowhere.json")).toMatchInlineSnapshot(`
    "--- stderr
    The outputs <folder>/nowhere.json was not found.
    Give a JSON file, a folder, or a command after --
    --- exit code 66"
  `);
  expect(await told("nothing/**/*.yaml", "out.json")).toMatchInlineSnapshot(`
    "--- stderr
    A case file for nothing/**/*.yaml was not found.
    Give a .yaml file, a folder or a glob: devflow eval check 'evals/**/*.yaml' outputs.json
    --- exit code 66"
  `);
  expect(await told("bad.yaml", "out.json")).toMatchInlineSnapshot(`
    "--- stderr
    There is 1 error:
      bad.yaml:1 [0].expectations[0].type: unknown expectation "word_cuont_range"; did you mean word_count_range?
    Fix them; see docs/eval-suites.md and docs/expectations.md
    --- exit code 65"
  `);
  expect((await told("evals", node)).replaceAll(plainText(node), "<program>")).toMatchInlineSnapshot(`
    "--- stderr
    <program> is a program, not a file of outputs. To run it for each case: devflow eval check evals -- <program>
    See the usage: devflow eval check --help
    --- exit code 64"
  `);
  expect(await told("evals", "out.json", "--judge")).toMatchInlineSnapshot(`
    "--- stderr
    Judges cannot be called: no API key is set.
    export ANTHROPIC_API_KEY=… (or OPENAI_API_KEY, or the base URL of your own server), or omit --judge.
    --- exit code 65"
  `);
});

test("a command behind -- makes the outputs: its flags are its own, and it sees the case", async () => {
  const home = place(app("return { output: asked.name + ' ' + process.argv.slice(2).join(' '), turns: 2 };"));
  const words = [
    "eval",
    "check",
    "evals",
    "--repeats",
    "2",
    "--no-push",
    "-o",
    "r/result.json",
    "--",
    node,
    "app.mjs",
    "--json",
  ];
  expect(outputOf(await runCli(words, { home }))).toMatchInlineSnapshot(`
    "news  standard tier, 4 results, <duration>
    ██████████████████████████████  4 passed

    File    <folder>/r/result.json
    Not stored. To store it: devflow eval push <folder>/r/result.json"
  `);
  const { all_results } = JSON.parse(readFileSync(join(home.path, "r/result.json"), "utf8"));
  expect(
    all_results.map((one: { name: string; repeat: number; output: string; turns: number }) => [
      one.name,
      one.repeat,
      one.output,
      one.turns,
    ]),
  ).toEqual([
    ["short", 0, "short --json", 2],
    ["short", 1, "short --json", 2],
    ["polite", 0, "polite --json", 2],
    ["polite", 1, "polite --json", 2],
  ]);
  expect(
    await runCli(["eval", "list", "--json"], { home }).then((listed) => listed.json<{ runs: unknown[] }>().runs),
  ).toEqual([]);
});

test("A/B cases run with and without, chains of tiers hand on; both are shown", async () => {
  const home = place({
    "evals/news.yaml": `
suite: ab
cases:
  - name: feature
    text: a
    comparison: { type: ab_test, control: { env: { WITHOUT: "1" } } }
    expectations: [{ type: response_contains, patterns: [new] }]
  - name: worse
    text: b
    comparison: { type: ab_test, treatment: { env: { WITHOUT: "1" } } }
    expectations: [{ type: response_contains, patterns: [new] }]
  - name: refine
    text: c
    tier_chain:
      - { tier: quick, model: small, output_file: draft.json }
      - { tier: full, model: large, input_from: draft.json }
    expectations: [{ type: response_contains, patterns: [new, large] }]
`,
    ...app("return { response: (process.env.WITHOUT ? 'old ' : 'new ') + (asked.model ?? '') };"),
  });
  expect(outputOf(await runCli(["eval", "check", "evals", "--", node, "app.mjs"], { home }))).toMatchInlineSnapshot(`
    "ab  standard tier, 3 results, <duration>
    ████████████████████▒▒▒▒▒▒▒▒▒▒  2 passed, 1 failed

      A/B    feature  expectations_passed 0.00 → 1.00 +1.00
      A/B    worse  expectations_passed 1.00 → 0.00 −1.00
      chain  refine  quick (small) 0.0 % → full (large) 100.0 %

      FAIL   worse
             response_contains: output.response does not contain "new"
             comparison: expectations_passed is 0 with the treatment and 1 without: worse by more than
             0.05

    Change  no earlier run to compare
    File    <folder>/.devflow/eval-results/ab.json
    Stored  devflow eval show <id>
    --- exit code 1"
  `);
});

test("EVAL_WORKERS: several processes of this very program; one killed with -9 is seen by eval watch, and nothing else is lost", async () => {
  const home = place({
    "many.yaml": many(16),
    ...app(
      `if (asked.input.n === 5) { (await import("node:fs")).writeFileSync("victim", String(process.ppid)); await new Promise(() => setInterval(() => {}, 1000)); }
       if (asked.input.n === 15) while (!(await import("node:fs")).existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 20));
       return "ok";`,
    ),
  });
  const env = home.environment({ EVAL_WORKERS: "3" });
  const options = { env, cwd: home.path, timeoutMs: 120_000 };
  await using checking = startProcess(
    [...devflowCommand(), "eval", "check", "many.yaml", "--json", "--", node, "app.mjs"],
    options,
  );
  await using watching = startProcess([...devflowCommand(), "eval", "watch", "many", "--json"], options);
  while (!existsSync(join(home.path, "victim")) || readFileSync(join(home.path, "victim"), "utf8") === "")
    await Bun.sleep(20);
  await watching.waitForOutput(/"running":"case 5"/, 60_000);
  const worker = Number(readFileSync(join(home.path, "victim"), "utf8"));
  process.kill(worker, "SIGKILL");
  await watching.waitForOutput(/"state":"dead"/, 60_000);
  writeFileSync(join(home.path, "go"), "");
  const { code, stdout } = await checking.ended;
  expect(code).toBe(3);
  const answer = JSON.parse(stdout);
  expect(answer).toMatchObject({ total: 16, passed: 15, errors: 1 });
  expect(answer.problems).toEqual([
    {
      name: "case 5",
      repeat: 0,
      status: "error",
      problem: `worker ${worker} was killed by SIGKILL while checking this case`,
    },
  ]);
  const watched = await watching.ended;
  expect(watched.code).toBe(0);
  const news = watched.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(news[0].event).toBe("snapshot");
  const last = news.at(-1).watch;
  expect(last).toMatchObject({ state: "finished", done: 16, expected: 16, tally: { passed: 15, errors: 1 } });
  expect(last.workers.find((one: { pid: number }) => one.pid === worker)).toMatchObject({
    state: "dead",
    running: "case 5",
  });
  expect(last.warnings).toEqual([expect.stringContaining(`Worker ${worker} died after`)]);
}, 180_000);

test("Ctrl-C keeps what was finished, and says how to store it", async () => {
  const home = place({
    "many.yaml": many(6),
    ...app(
      `if (asked.input.n === 2) { (await import("node:fs")).writeFileSync("there", "1"); await new Promise(() => setInterval(() => {}, 1000)); }
       return "ok";`,
    ),
  });
  const options = { env: home.environment(), cwd: home.path, timeoutMs: 120_000 };
  await using checking = startProcess(
    [...devflowCommand(), "eval", "check", "many.yaml", "--", node, "app.mjs"],
    options,
  );
  while (!existsSync(join(home.path, "there"))) await Bun.sleep(20);
  checking.signal("SIGINT");
  const { code, stderr } = await checking.ended;
  expect(code).toBe(130);
  expect(stderr).toContain("devflow eval push --partials many");
  const watch = await runCli(["eval", "watch"], { home });
  expect(watch.code).toBe(1);
  expect(watch.stderr.replace(/Worker \d+/, "Worker <pid>")).toMatchInlineSnapshot(`
    "Worker <pid> died after 2 results on "case 2".
    All workers have ended. To store the finished results: devflow eval push --partials many
    "
  `);
  const pushed = await runCli(["eval", "push", "--partials", "many", "--json"], { home });
  expect(pushed.json<{ runs: unknown[] }>().runs).toMatchObject([{ suite: "many", total: 2, passed: 2 }]);
}, 180_000);

test("--cache: an output is made again only when its prompt, its input or the command changed, or EVAL_CACHE=0", async () => {
  const home = place({
    "prompt.txt": "be kind",
    "evals/news.yaml": `
suite: cached
prompt_source_files: [prompt.txt]
cases:
  - { name: a, text: x, expectations: [{ type: response_contains, patterns: [ok] }] }
`,
    ...app(
      `(await import("node:fs")).appendFileSync("calls", "."); return { output: "ok", usage: [{ model: "claude-haiku-4-5", input_tokens: 1000000 }] };`,
    ),
  });
  const calls = () => readFileSync(join(home.path, "calls"), "utf8").length;
  const check = (env: Readonly<Record<string, string>> = {}) =>
    runCli(["eval", "check", "evals", "--cache", "--json", "--", node, "app.mjs"], { home, env });
  const first = await check();
  const again = await check();
  expect([first.code, again.code, calls()]).toEqual([0, 0, 1]);
  const stats = (await runCli(["eval", "cache", "stats", "--json"], { home })).json<{ suites: unknown[] }>();
  expect(stats.suites).toMatchObject([{ suite: "cached", entries: 1, hits: 1, savedUsd: 1 }]);
  const { file } = again.json<{ file: string }>();
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ costs: [], all_results: [{ cached: true }] });
  await check({ EVAL_CACHE: "0" });
  expect(calls()).toBe(2);
  writeFileSync(join(home.path, "prompt.txt"), "be terse");
  await check();
  expect(calls()).toBe(3);
  await check({ EVAL_CACHE_CLEAR: "1" });
  expect(calls()).toBe(4);
});

test("EVAL_VERBOSE keeps what every case gave, and EVAL_LABEL names the run", async () => {
  const home = place(good);
  const env = { EVAL_VERBOSE: "1", EVAL_LABEL: "nightly/one", EVAL_TIER: "full" };
  const { stdout } = await runCli(["eval", "check", "evals", "out.json", "--json"], { home, env });
  expect(JSON.parse(stdout)).toMatchObject({ label: "nightly_one_full", tier: "full" });
  const logs = readdirSync(join(home.devflowHome, "log/evals"));
  expect(logs.map((name) => name.replace(/^\d{8}-(.*)-[0-9a-f]{8}\.txt$/, "$1")).sort()).toEqual([
    "deep",
    "polite",
    "short",
  ]);
});

test("on a terminal a bar shows how far it is, and goes away at the end", async () => {
  const home = place(good);
  const { stdout } = await runCli(["eval", "check", "evals", "out.json"], { home, isTerminal: true });
  expect(stdout).toMatch(/news.*standard.*\d\/2/);
  const shown = stdout.slice(stdout.lastIndexOf("\u001b[J"));
  expect(shown).not.toContain("/2");
  expect(shown).toContain("\u001b[32m2 passed\u001b[0m");
  const plain = await runCli(["eval", "check", "evals", "out.json"], {
    home,
    isTerminal: true,
    env: { NO_COLOR: "1" },
  });
  expect(plain.stdout.slice(plain.stdout.lastIndexOf("\u001b[J"))).toContain("  2 passed");
});

test("a file with a name that is no word of a shell can be pasted from the hint", async () => {
  const home = place({ ...good, "it's mine.yaml": suite });
  const { stdout } = await runCli(["eval", "check", "it's mine.yaml", "out.json", "--no-push", "-o", "a b.json"], {
    home,
  });
  const command = /devflow eval push (.*)$/m.exec(stdout)?.[1] ?? "";
  const echoed = await runProcess(["sh", "-c", `printf %s ${command}`], { env: home.environment() });
  expect(echoed.stdout).toBe(join(home.path, "a b.json"));
});

test("with a team, a checked run goes to its sink, and the answer says so", async () => {
  const home = place(good);
  const env = home.environment();
  const records: SinkRecord[] = [];
  const told: string[] = [];
  const team = {
    name: "Blue team",
    sink: { accept: async (record: SinkRecord) => void records.push(record) },
    cache: { pulledAt: null, runs: async () => [], results: async () => [] },
  };
  const context: CommandContext = {
    cwd: home.path,
    env,
    config: () => loadConfig({ env }),
    inspectConfig: () => inspectConfig({ env }),
    output: {
      ...{ json: false, isTerminal: false, columns: 100, item: () => {}, note: () => {} },
      result: (_value, text) => void told.push(text),
    },
    signal: new AbortController().signal,
    readStdin: async () => "",
    stdinBytes: async function* () {},
  };
  const input = {
    paths: ["evals", "out.json"],
    tag: [],
    skipTag: [],
    case: [],
    judge: false,
    run: false,
    provider: [],
    prompt: [],
    concurrency: 8,
    fresh: false,
    timeout: 60,
    cache: false,
    push: true,
  };
  expect(await checkWith(async () => ({ evals: team }))(input, context)).toBe(0);
  expect(records.map(({ kind }) => kind)).toEqual(["eval_run", "eval_results"]);
  expect(told[0]).toContain("sent to Blue team");
  expect(told[0]).toContain("Change  no earlier run to compare");
  writeFileSync(join(home.path, "out.json"), JSON.stringify({ short: "far too many words here", polite: "please" }));
  expect(await checkWith(async () => "alone")({ ...input }, context)).toBe(1);
  expect(told[1]).toMatch(/Change {2}1 worse since /);
});

test("kill -9 of the check itself: its workers and their commands end, what died is named, what was finished can be stored", async () => {
  const home = place({
    "many.yaml": many(8),
    ...app(
      `const fs = await import("node:fs");
       if (asked.input.n < 4) return "ok";
       fs.writeFileSync("hangs." + asked.input.n, process.pid + " " + process.ppid + " ");
       await new Promise(() => setInterval(() => {}, 1000));`,
    ),
  });
  const env = home.environment({ EVAL_WORKERS: "2" });
  await using checking = startProcess([...devflowCommand(), "eval", "check", "many.yaml", "--", node, "app.mjs"], {
    env,
    cwd: home.path,
  });
  const hanging = () =>
    readdirSync(home.path)
      .filter((name) => name.startsWith("hangs."))
      .map((name) => readFileSync(join(home.path, name), "utf8"))
      .filter((text) => text.endsWith(" "));
  while (hanging().length < 2) await Bun.sleep(20);
  const pids = hanging().flatMap((text) => text.trim().split(" ").map(Number));
  expect(new Set(pids).size).toBe(4);
  checking.signal("SIGKILL");
  expect((await checking.ended).killedBy).toBe("SIGKILL");
  while (pids.some((pid) => processIdentity(pid) !== undefined)) await Bun.sleep(20);

  const watched = await runCli(["eval", "watch", "many"], { home });
  expect(watched.code).toBe(1);
  expect(watched.stderr).toContain(`The process that started the workers (${checking.pid}) died.`);
  expect(watched.stderr).toMatch(/Worker \d+ died after \d results? on "case \d"/);
  const pushed = await runCli(["eval", "push", "--partials", "many", "--json"], { home });
  expect(pushed.json<{ runs: unknown[] }>().runs).toMatchObject([{ suite: "many", total: 4, passed: 4 }]);
  expect(readdirSync(join(home.devflowHome, "eval-partials/many"))).toEqual([]);
}, 120_000);
