import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Secret } from "@devflow/core/secret";
import { startScriptedModel, temporaryFolder } from "@devflow/testkit";
import { parseCaseFile } from "../cases/parse-cases.ts";
import { parseJudgeProfiles } from "../judges/index.ts";
import { readResults } from "../results/read-results.ts";
import { type CheckProgress, type CheckSuiteOptions, checkSuite } from "./index.ts";

const bun = process.execPath;
const workerCommand = [bun, join(import.meta.dir, "../../testing/programs/check-worker.ts")];
const facts = { label: "main", gitSha: "abc", gitBranch: "main", host: "here" };
const env = { PATH: process.env.PATH, HOME: process.env.HOME, DEVFLOW_TEST_TAG: process.env.DEVFLOW_TEST_TAG };

const casesOf = (yaml: string) => {
  const { cases, faults } = parseCaseFile(new TextEncoder().encode(yaml), "s.yaml", { root: "/nowhere" });
  expect(faults).toEqual([]);
  return cases;
};
const many = (count: number) =>
  casesOf(
    Array.from(
      { length: count },
      (_, index) =>
        `- { name: case ${index}, n: ${index}, expectations: [{ type: response_contains, patterns: [ok] }] }`,
    ).join("\n"),
  );

/** A program that answers each case with the given function body, which can use `asked`. */
function program(folder: string, body: string) {
  const path = join(folder, "app.ts");
  writeFileSync(
    path,
    `const asked = JSON.parse(await Bun.stdin.text());\nconst answer = await (async () => {${body}})();\nconsole.log(JSON.stringify(answer));\n`,
  );
  return { kind: "command", command: { argv: [bun, path], cwd: folder, timeoutMs: 20_000, env } } as const;
}

async function check(
  folder: string,
  options: Omit<CheckSuiteOptions, "suite" | "tier" | "facts" | "partialsFolder"> & Partial<CheckSuiteOptions>,
) {
  const checked = await checkSuite({
    suite: "news",
    tier: "standard",
    facts,
    partialsFolder: join(folder, "partials"),
    workerEnv: env,
    workerCommand,
    ...options,
  });
  // Until the run is stored, every result is in a partial.
  const partials = readdirSync(join(folder, "partials")).map((name) =>
    JSON.parse(readFileSync(join(folder, "partials", name), "utf8")),
  );
  const ofRun = partials.filter(({ run_id }) => run_id === checked.run.run_id);
  expect(ofRun.flatMap(({ all_results }) => all_results)).toHaveLength(checked.run.total);
  await checked.removePartials();
  return checked;
}

/** A killed orphan may stay as a zombie if nothing reaps it; a zombie counts as dead. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) [ZX] /.test(readFileSync(stat, "utf8"));
}

const statuses = (results: readonly { name: string; status: string }[]) =>
  Object.fromEntries(results.map(({ name, status }) => [name, status]));

test("outputs from a file give a result file with passes, failures and their places, and errors for missing outputs", async () => {
  const folder = temporaryFolder();
  const cases = casesOf(`
- { name: good, category: posts, expectations: [{ type: body_contains, patterns: [rent] }] }
- { name: bad, category: posts, expectations: [{ type: body_excludes, patterns: [rent] }, { type: title_changed }] }
- { name: unsure, title_: x, expectations: [{ type: title_changed }] }
- { name: absent, expectations: [worthy] }
- { name: crashed, expectations: [{ type: body_excludes, patterns: [x] }] }
`);
  writeFileSync(
    join(folder, "outputs.json"),
    JSON.stringify([
      {
        name: "good",
        output: { body: "the rent" },
        usage: [{ model: "m", input_tokens: 5, output_tokens: 2, cost_usd: 0.5 }],
        turns: 3,
      },
      { name: "good", output: { body: "no" } },
      { name: "bad", output: { body: "a\nrent", title: "x" } },
      { name: "unsure", output: { title: "x" } },
      { name: "crashed", output: null, error: "boom" },
      { name: "unknown", output: "?" },
    ]),
  );
  const { run, warnings } = await check(folder, {
    cases,
    outputs: { kind: "path", path: join(folder, "outputs.json") },
  });
  expect(run).toMatchObject({
    schema_version: 1,
    suite: "news",
    total: 6,
    passed: 1,
    failed: 2,
    errors: 3,
    git_sha: "abc",
    tier: "standard",
  });
  expect(run.all_results.map(({ name, repeat, status }) => `${name} ${repeat} ${status}`)).toEqual([
    "good 0 pass",
    "good 1 fail",
    "bad 0 fail",
    "unsure 0 error",
    "absent 0 error",
    "crashed 0 error",
  ]);
  expect(run.by_category.posts).toEqual({ passed: 1, total: 3 });
  expect(run.all_results[2]).toMatchObject({
    failures: [{ type: "deterministic", expectation_type: "body_excludes", place: "output.body line 2" }],
    check_errors: [{ expectation_type: "title_changed" }],
  });
  expect(run.all_results[4]?.error).toBe("no output was found");
  expect(run.all_results[5]?.error).toBe("boom");
  expect(run.costs).toEqual([
    {
      model: "m",
      calls: 1,
      input_tokens: 5,
      output_tokens: 2,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      cost_usd: 0.5,
    },
  ]);
  expect(warnings[0]).toContain("unknown");
  expect(readdirSync(join(folder, "partials"))).toEqual([]);
});

test("outputs are read from a folder, from JSON lines, and from an object keyed by name", async () => {
  const folder = temporaryFolder();
  const cases = many(2);
  mkdirSync(join(folder, "outs"));
  writeFileSync(join(folder, "outs/case_0.txt"), "ok");
  writeFileSync(join(folder, "outs/case 1.json"), JSON.stringify({ response: "ok" }));
  writeFileSync(join(folder, "outs/case 1.2.json"), JSON.stringify({ response: "no" }));
  const inFolder = await check(folder, { cases, outputs: { kind: "path", path: join(folder, "outs") } });
  expect(inFolder.run.all_results.map(({ name, repeat, status }) => `${name} ${repeat} ${status}`)).toEqual([
    "case 0 0 pass",
    "case 1 0 pass",
  ]);
  writeFileSync(
    join(folder, "o.jsonl"),
    '\uFEFF{"name":"case 0","output":"ok"}\r\n\r\n{"name":"case 1","output":"no"}\r\n',
  );
  expect(
    statuses(
      (await check(folder, { cases, outputs: { kind: "path", path: join(folder, "o.jsonl") } })).run.all_results,
    ),
  ).toEqual({ "case 0": "pass", "case 1": "fail" });
  writeFileSync(join(folder, "o.json"), '{"case 0": "ok", "case 1": {"response": "ok"}}');
  expect((await check(folder, { cases, outputs: { kind: "path", path: join(folder, "o.json") } })).run.passed).toBe(2);
  writeFileSync(join(folder, "cut.jsonl"), '{"name":"case 0","output":"ok"}\n{"name":"ca');
  await expect(check(folder, { cases, outputs: { kind: "path", path: join(folder, "cut.jsonl") } })).rejects.toThrow(
    "cut.jsonl:2 is not valid JSON",
  );
});

test("cases with the same name are distinguished by input_sha, never guessed", async () => {
  const folder = temporaryFolder();
  const cases = casesOf(
    "- { name: a, n: 1, expectations: [{ type: response_contains, patterns: [one] }] }\n- { name: a, n: 2, expectations: [{ type: response_contains, patterns: [two] }] }",
  );
  const path = join(folder, "o.json");
  writeFileSync(
    path,
    JSON.stringify([
      { name: "a", input_sha: cases[1]?.inputSha, output: "two" },
      { name: "a", input_sha: cases[0]?.inputSha, output: "one" },
    ]),
  );
  expect((await check(folder, { cases, outputs: { kind: "path", path } })).run.passed).toBe(2);
  writeFileSync(path, JSON.stringify([{ name: "a", output: "one" }]));
  const { run } = await check(folder, { cases, outputs: { kind: "path", path } });
  expect(run.all_results.map(({ error }) => error)).toEqual(
    Array(2).fill('2 cases have the name "a"; give the outputs an input_sha'),
  );
});

test("a command runs once per case, and its failures become the case's error", async () => {
  const folder = temporaryFolder();
  const cases = casesOf(
    ["ok", "exit", "hang", "noise", "flood", "child"]
      .map((name) => `- { name: ${name}, expectations: [{ type: response_contains, patterns: [ok] }] }`)
      .join("\n"),
  );
  const outputs = program(
    folder,
    `if (asked.name === "exit") { console.error("no key"); process.exit(3); }
     if (asked.name === "hang") await new Promise(() => setInterval(() => {}, 1000));
     if (asked.name === "noise") { console.log("not json"); }
     if (asked.name === "flood") { process.stdout.write("x".repeat(17 * 1024 * 1024)); await new Promise(() => setInterval(() => {}, 1000)); }
     if (asked.name === "child") Bun.spawn(["sleep", "600"], { stdout: "inherit" }).unref();
     return { response: "ok " + asked.name };`,
  );
  const { run } = await check(folder, {
    cases,
    outputs: { ...outputs, command: { ...outputs.command, timeoutMs: 3_000 } },
  });
  expect(statuses(run.all_results)).toEqual({
    ok: "pass",
    exit: "error",
    hang: "error",
    noise: "error",
    flood: "error",
    child: "pass",
  });
  const told = Object.fromEntries(run.all_results.map(({ name, error }) => [name, error]));
  expect(told.exit).toContain("exited with 3: no key");
  expect(told.hang).toContain("longer than 3000 ms");
  expect(told.noise).toContain("did not print valid JSON");
  expect(told.flood).toContain("printed more than");
}, 30_000);

test("an A/B case runs both sides with their variables and fails beyond the tolerance", async () => {
  const folder = temporaryFolder();
  const cases = casesOf(`
name: ab
expectations:
  - { type: response_contains, patterns: [one] }
  - { type: response_contains, patterns: [two] }
comparison: { type: ab_test, control: { env: { FEATURE: "off" } }, treatment: { env: { FEATURE: "on" } } }
`);
  const { run } = await check(folder, {
    cases,
    outputs: program(folder, `return { response: process.env.FEATURE === "on" ? "one" : "one two" };`),
  });
  expect(run.all_results[0]).toMatchObject({
    status: "fail",
    comparison: {
      type: "ab_test",
      control_scores: { expectations_passed: 1 },
      treatment_scores: { expectations_passed: 0.5 },
      tolerance: 0.05,
    },
  });
  expect(run.all_results[0]?.failures.at(-1)).toMatchObject({
    type: "threshold",
    expectation_type: "comparison",
    expected: 0.95,
    actual: 0.5,
  });
});

test("each step of a tier chain gets the output of the previous step", async () => {
  const folder = temporaryFolder();
  const cases = casesOf(`
name: chain
expectations: [{ type: response_contains, patterns: ["full(opus) of quick(sonnet)"] }]
tier_chain:
  - { tier: quick, model: sonnet, output_file: quick.json }
  - { tier: full, model: opus, input_from: quick.json }
`);
  const body = `const file = process.env.EVAL_INPUT_FILE;
    const before = file ? " of " + JSON.parse(await Bun.file(file).text()).response : "";
    if (file && asked.previous.response !== "quick(sonnet)") throw new Error("no previous");
    return { response: asked.tier + "(" + process.env.EVAL_MODEL + ")" + before };`;
  const { run } = await check(folder, { cases, outputs: program(folder, body) });
  expect(run.all_results[0]).toMatchObject({
    status: "pass",
    comparison: {
      type: "tier_chain",
      steps: [
        { tier: "quick", expectations_passed: 0 },
        { tier: "full", expectations_passed: 1 },
      ],
    },
  });
});

test("four workers give the same results as one, in order, with progress", async () => {
  const folder = temporaryFolder();
  const cases = many(40);
  writeFileSync(
    join(folder, "o.json"),
    JSON.stringify(cases.map(({ name }, index) => ({ name, output: index % 5 === 0 ? "no" : "ok" }))),
  );
  const outputs = { kind: "path", path: join(folder, "o.json") } as const;
  const seen: CheckProgress[] = [];
  const alone = await check(folder, { cases, outputs });
  const together = await check(folder, { cases, outputs, workers: 4, onProgress: (progress) => seen.push(progress) });
  expect(together.run.all_results).toEqual(alone.run.all_results);
  expect(together.run).toMatchObject({ total: 40, passed: 32, failed: 8 });
  expect(seen.at(-1)).toMatchObject({ done: 40, total: 40, passed: 32, failed: 8, errors: 0, running: [] });
}, 30_000);

test("a worker killed with -9 loses no finished result: its case is an error, its command ends, the others continue", async () => {
  const folder = temporaryFolder();
  const cases = many(12);
  const outputs = program(
    folder,
    `if (asked.name === "case 5") { await Bun.write(${JSON.stringify(join(folder, "victim"))}, process.pid + " " + process.ppid); await new Promise(() => setInterval(() => {}, 1000)); }
     return { response: "ok" };`,
  );
  const checking = check(folder, { cases, outputs, workers: 3 });
  while (!existsSync(join(folder, "victim")) || !readFileSync(join(folder, "victim"), "utf8").includes(" "))
    await Bun.sleep(20);
  const [command = 0, worker = 0] = readFileSync(join(folder, "victim"), "utf8").split(" ").map(Number);
  const partial = JSON.parse(readFileSync(join(folder, "partials", `worker_${worker}.json`), "utf8"));
  expect(partial).toMatchObject({
    schema_version: 1,
    partial: true,
    suite: "news",
    planned: 12,
    worker: { pid: worker, running: "case 5" },
  });
  process.kill(worker, "SIGKILL");
  const { run } = await checking;
  expect(run).toMatchObject({ total: 12, passed: 11, errors: 1 });
  expect(run.all_results[5]).toMatchObject({
    name: "case 5",
    status: "error",
    error: `worker ${worker} was killed by SIGKILL while checking this case`,
  });
  expect(isAlive(command)).toBe(false);
}, 60_000);

test("workers that cannot start give an error and are not restarted forever", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "o.json"), "{}");
  const options = { cases: many(3), outputs: program(folder, "return 1;"), workers: 2 };
  await expect(check(folder, { ...options, workerCommand: ["/no/such/program"] })).rejects.toThrow(
    "workers cannot be started",
  );
  await expect(check(folder, { ...options, workerCommand: [bun, "-e", "process.exit(9)"] })).rejects.toThrow(
    "exited with 9",
  );
}, 30_000);

test("stopping ends the workers and their commands", async () => {
  const folder = temporaryFolder();
  const stop = new AbortController();
  const outputs = program(folder, "await new Promise(() => setInterval(() => {}, 1000));");
  const onProgress = ({ running }: CheckProgress) =>
    void (running.length === 2 && setTimeout(() => stop.abort(new Error("enough")), 300));
  await expect(check(folder, { cases: many(4), outputs, workers: 2, signal: stop.signal, onProgress })).rejects.toThrow(
    "enough",
  );
}, 30_000);

test("workers call judges too; votes, usage and logs are stored, keys are not", async () => {
  const folder = temporaryFolder();
  const key = "sk-test-worker-0123456789";
  const answer = { tools: [{ name: "record_scores", arguments: { tone: { reasoning: "fine", score: 0.4 } } }] };
  await using model = await startScriptedModel({ steps: [{ times: "always", answer }] });
  const target = { baseUrl: model.url, key: new Secret(key) };
  const judge = {
    profiles: parseJudgeProfiles(new TextEncoder().encode("profiles: { default: { model: claude-x } }"), "p.yaml"),
    tier: "standard",
    isFullRun: false,
    providers: { anthropic: target, openai: target },
    cacheFolder: join(folder, "judge-cache"),
  } as const;
  const cases = casesOf(
    [1, 2, 3]
      .map((n) => `- { name: "c/${n}", n: ${n}, expectations: [{ type: quality_check, criteria: { tone: 0.5 } }] }`)
      .join("\n"),
  );
  writeFileSync(join(folder, "o.json"), JSON.stringify(cases.map(({ name }) => ({ name, output: "text" }))));
  const options = {
    cases,
    outputs: { kind: "path", path: join(folder, "o.json") } as const,
    judge,
    verboseFolder: join(folder, "log"),
  };
  const { run } = await check(folder, { ...options, workers: 2 });
  expect(run).toMatchObject({
    failed: 3,
    judges: [{ model: "claude-x", threshold: 0.5 }],
    costs: [{ model: "claude-x", calls: 3 }],
  });
  expect(run.all_results[0]).toMatchObject({
    judge_scores: { tone: 0.4 },
    judge_votes: [{ model: "claude-x", scores: { tone: 0.4 }, reasons: { tone: "fine" } }],
    failures: [
      {
        type: "threshold",
        expectation_type: "quality_check",
        criterion: "tone",
        expected: 0.5,
        actual: 0.4,
        scores: { tone: 0.4 },
      },
    ],
  });
  expect((await check(folder, options)).run.costs).toEqual([]);
  const written = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name), "utf8"));
  expect(written.join("\n")).not.toContain(key);
  expect(JSON.stringify(run)).not.toContain(key);
  const logs = readdirSync(join(folder, "log"));
  expect(logs).toHaveLength(6);
  expect(logs[0]).toMatch(/^\d{8}-c-\d-[0-9a-f]{8}\.txt$/);
  expect(written.filter((text) => text.includes("### Answer") && text.includes('"score":0.4'))).toHaveLength(3);
}, 30_000);

test("without a judge, judged expectations are errors, not passes", async () => {
  const folder = temporaryFolder();
  const cases = casesOf("- { name: a, expectations: [{ type: quality_check, criteria: { tone: 0.5 } }] }");
  writeFileSync(join(folder, "o.json"), '{"a": "text"}');
  const { run } = await check(folder, { cases, outputs: { kind: "path", path: join(folder, "o.json") } });
  expect(run.all_results[0]).toMatchObject({
    status: "error",
    error: "quality_check: no judge was called: run with --judge",
  });
});

test("cache tokens that an app includes in its input tokens are not counted twice", async () => {
  const folder = temporaryFolder();
  const cases = casesOf("- { name: a, expectations: [{ type: response_contains, patterns: [x] }] }");
  const usage = (model: string) => ({ model, input_tokens: 120, output_tokens: 9, cache_read_tokens: 100 });
  const outputs = [{ name: "a", output: "x", usage: [usage("gpt-5.4"), usage("claude-sonnet-4-6"), { model: 5 }] }];
  writeFileSync(join(folder, "o.json"), JSON.stringify(outputs));
  const { run } = await check(folder, { cases, outputs: { kind: "path", path: join(folder, "o.json") } });
  expect(
    run.costs.map(({ model, input_tokens, cache_read_tokens }) => [model, input_tokens, cache_read_tokens]),
  ).toEqual([
    ["gpt-5.4", 20, 100],
    ["claude-sonnet-4-6", 120, 100],
    ["unknown", 0, 0],
  ]);
  writeFileSync(join(folder, "r.json"), JSON.stringify(run));
  const { run: read } = await readResults(join(folder, "r.json"), { defaults: { nowMs: 0 } });
  expect(read.costs.map(({ model, inputTokens, cacheReadTokens }) => [model, inputTokens, cacheReadTokens])).toEqual([
    ["gpt-5.4", 20, 100],
    ["claude-sonnet-4-6", 120, 100],
    ["unknown", 0, 0],
  ]);
});
