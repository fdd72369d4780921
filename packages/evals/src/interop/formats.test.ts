import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { hash } from "@devflow/core/hash";
import { readAll, streamOf } from "../../testing/read-all.ts";
import { samplePath } from "../../testing/samples.ts";
import { blankResult, type EvalResult } from "../results/result.ts";
import { exportRun } from "./export/export-run.ts";

const first = async (name: string) => (await readAll(samplePath(name)))[0]!;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "devflow-formats-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("promptfoo", () => {
  test("each provider becomes a separate run, with failed assertions and expected values", async () => {
    const runs = await readAll(samplePath("promptfoo-v3-sample-export.json"));
    expect(runs.map(({ run }) => [run.runId, run.model, run.at])).toEqual([
      ["eval-WJi-2025-10-01T20:08:11#0", "openai:gpt-5", "2025-10-01T20:08:11.168Z"],
      ["eval-WJi-2025-10-01T20:08:11#1", "openai:gpt-5-mini", "2025-10-01T20:08:11.168Z"],
    ]);
    const [result] = runs[0]!.results;
    expect(
      result!.failures.map(({ expectationType, expected, message }) => [expectationType, expected, message]),
    ).toEqual([
      ["cost", 0.002, "Cost 0.0021 is greater than threshold 0.002"],
      ["latency", 3000, "Latency 6197ms is greater than threshold 3000ms"],
    ]);
    expect(result!.inputSha).toBe(hash(result!.input));
    expect(result!.error).toBeNull();
    expect(result!.usage).toEqual([
      {
        model: "openai:gpt-5",
        calls: 1,
        inputTokens: 37,
        outputTokens: 204,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        costUsd: 0.00208625,
      },
    ]);
    expect(runs[0]!.losses).toContain("config");
  });

  test("--repeat gives repeats of one case, and an error is not a failure", async () => {
    const { results } = await first("promptfoo-0.123-errors-repeats.json");
    expect(results.map(({ name, repeat, status, error }) => [name, repeat, status, error])).toEqual([
      ["france", 0, "pass", null],
      ["france", 1, "pass", null],
      ["germany", 0, "fail", null],
      ["germany", 1, "fail", null],
      ["crash", 0, "error", "upstream 500"],
      ["crash", 1, "error", "upstream 500"],
    ]);
  });

  test("a judge that did not answer is an error, and the difference from promptfoo's count is reported", async () => {
    const record = {
      success: false,
      failureReason: 1,
      promptIdx: 0,
      vars: { q: 1 },
      testCase: { description: "a" },
      gradingResult: {
        pass: false,
        componentResults: [{ pass: false, metadata: { graderError: true }, assertion: { type: "not-llm-rubric" } }],
      },
    };
    const [run] = await readAll(streamOf(`${JSON.stringify(record)}\n`), { name: "r.jsonl" });
    expect(run!.run.totals).toMatchObject({ failed: 0, errors: 1 });
    expect(run!.warnings).toEqual([
      "1 result(s) that promptfoo counts as failures are errors here, because the judge did not answer",
    ]);
  });

  test("stats that disagree with the results give a warning, and the results count", async () => {
    const file = {
      evalId: "e",
      results: {
        version: 3,
        results: [{ success: true, promptIdx: 0, vars: { a: 1 } }],
        stats: { successes: 5, failures: 0, errors: 0 },
      },
    };
    const [run] = await readAll(streamOf(JSON.stringify(file)));
    expect(run!.warnings).toEqual([
      "the file's stats say that 5 of 5 passed, its results 1 of 1; the results are used",
    ]);
  });
});

describe("Inspect", () => {
  test("epochs become repeats, scorers become scores, and cache tokens are separate", async () => {
    const { run, results } = await first("inspect-zstd-epochs.eval");
    const germany = results.filter(({ name }) => name === "de");
    expect(germany.map(({ repeat, status, scores }) => [repeat, status, scores])).toEqual([
      [0, "fail", { match: 0, includes: 0 }],
      [1, "pass", { match: 1, includes: 1 }],
      [2, "fail", { match: 0, includes: 0 }],
    ]);
    expect(germany[0]!.failures[0]).toMatchObject({ expectationType: "match", expected: "Berlin", actual: "Rome" });
    expect(germany[0]!.category).toBe("europe");
    expect(germany[0]!.turns).toBe(1);
    expect(run.costs[0]).toMatchObject({
      model: "mockllm/model",
      inputTokens: 60,
      cacheReadTokens: 18,
      outputTokens: 12,
    });
  });

  test("the same log as .eval and as .json gives the same cases, commit and run", async () => {
    const archive = await first("inspect-log_formats.eval");
    const json = await first("inspect-log_formats.json");
    expect(archive.run).toEqual(json.run);
    expect(archive.results).toEqual(json.results);
    expect(json.run).toMatchObject({ gitSha: "02526f4c", model: "ollama/llama3.1", suite: "popularity" });
  });

  test("a cancelled run gives a warning", async () => {
    const { warnings } = await first("inspect-2025-05-12T20-28-13-04-00_popularity.json");
    expect(warnings).toEqual(["Inspect did not finish this run (cancelled): only the finished samples are imported"]);
  });

  test("partial credit does not pass, numbers pass from the threshold, no score is skipped", async () => {
    const values = ["C", "P", "I", "N", 0.5, 0.49, true, { a: 1, b: 0 }, null];
    const samples = values.map((value, id) => ({
      id,
      epoch: 1,
      input: `q${id}`,
      scores: value === null ? {} : { s: { value } },
    }));
    const [run] = await readAll(
      streamOf(JSON.stringify({ version: 2, status: "success", eval: { task: "t" }, samples })),
    );
    expect(run!.results.map(({ status }) => status)).toEqual([
      "pass",
      "fail",
      "fail",
      "fail",
      "pass",
      "fail",
      "pass",
      "fail",
      "skipped",
    ]);
    const [strict] = await readAll(
      streamOf(JSON.stringify({ version: 2, status: "success", eval: { task: "t" }, samples })),
      { passAt: 0.9 },
    );
    expect(strict!.results[4]!.status).toBe("fail");
  });

  test("message ids, which are new in each run, are not part of the input", async () => {
    const log = (id: string) => ({
      version: 2,
      status: "success",
      eval: { task: "t" },
      samples: [{ id: 1, epoch: 1, input: [{ id, role: "user", content: "hi" }], scores: { s: { value: "C" } } }],
    });
    const [a] = await readAll(streamOf(JSON.stringify(log("x"))));
    const [b] = await readAll(streamOf(JSON.stringify(log("y"))));
    expect(a!.results[0]!.inputSha).toBe(b!.results[0]!.inputSha);
  });
});

test("DeepEval: judges have thresholds, and a metric's error is distinguished from a low score", async () => {
  const { run, results } = await first("deepeval-metric-error.json");
  expect(run.judges).toEqual([{ model: "gpt-5.4", rubricSha: hash("Relevancy"), threshold: 0.5 }]);
  expect(results.map(({ name, status, error }) => [name, status, error])).toEqual([
    ["ok", "pass", null],
    ["low", "fail", null],
    ["judge down", "error", "RateLimitError"],
    ["chat", "pass", null],
  ]);
  expect(results[1]!.failures).toMatchObject([
    { type: "threshold", message: "off topic", expected: "e2", actual: 0.1 },
  ]);
});

test("evalite's store gives the same results as its export", async () => {
  const path = join(folder, "cache.sqlite");
  const database = new DatabaseSync(path);
  database.exec(`
    create table runs(id integer primary key, runType text, created_at text);
    create table evals(id integer primary key, run_id, name, filepath, duration, status, variant_name, variant_group);
    create table results(id integer primary key, eval_id, duration, input, output, expected, col_order, status, rendered_columns, trial_index);
    create table scores(id integer primary key, result_id, name, score, description, metadata);
    create table traces(id integer primary key, result_id, input, output, start_time, end_time, input_tokens, output_tokens, col_order);
    insert into runs values (3, 'full', '2026-03-01 10:00:00');
    insert into evals values (1, 3, 'Capitals', '/repo/capitals.eval.ts', 50, 'fail', null, null), (2, 3, 'Capitals', '/repo/capitals.eval.ts', 5, 'success', 'gpt-5', null);
    insert into results values (1, 1, 10, '"France"', '"Paris"', '"Paris"', 0, 'success', null, null), (2, 1, 11, '"France"', '"Rome"', '"Paris"', 1, 'success', null, null),
      (3, 1, 1, '"Spain"', '{"name":"Error","message":"no route"}', null, 2, 'fail', null, null), (4, 2, 9, '{"q":"Italy"}', '"Rome"', null, 0, 'success', null, null);
    insert into scores values (1, 1, 'Levenshtein', 1, null, null), (2, 2, 'Levenshtein', 0.2, 'far', null), (3, 4, 'Levenshtein', 1, null, null);
    insert into traces values (1, 1, '"x"', '"y"', 1, 2, 5, 2, 0)`);
  database.close();
  const stored = await readAll(path);
  const exported = await readAll(samplePath("evalite.json"));
  expect(stored.map(({ results }) => results)).toEqual(exported.map(({ results }) => results));
  expect(stored.map(({ run }) => [run.suite, run.totals])).toEqual(exported.map(({ run }) => [run.suite, run.totals]));
  expect(exported[0]!.results.map(({ repeat, error }) => [repeat, error])).toEqual([
    [0, null],
    [1, null],
    [0, "no route"],
  ]);
});

test("OpenAI: one list can hold several runs, cached tokens are separate, errors keep their message", async () => {
  const runs = await readAll(samplePath("openai-evals-list.json"));
  expect(runs.map(({ run }) => run.runId)).toEqual(["evalrun_1", "evalrun_2"]);
  expect(runs[0]!.results[0]!.usage[0]).toMatchObject({ inputTokens: 223, cacheReadTokens: 100, outputTokens: 2 });
  expect(runs[0]!.results[1]!.failures[0]).toMatchObject({ expected: "Madrid", actual: "Rome" });
  expect(runs[1]!.results[0]!.error).toBe("slow down");
});

test("oaieval: interleaved events are joined by sample", async () => {
  const { run, results } = await first("oaieval.jsonl");
  expect(run).toMatchObject({ runId: "2304250000ABCDEF", model: "gpt-4", at: "2023-04-25T10:00:00.000Z" });
  expect(results[1]).toMatchObject({
    name: "capitals.dev.1",
    output: "Rome",
    failures: [{ expected: "Madrid", actual: "Rome" }],
  });
});

describe("JUnit", () => {
  test("properties, output and repeats are read, and errors are distinguished from failures", async () => {
    const { run, results, losses } = await first("pytest.junit.xml");
    expect(run).toMatchObject({
      suite: "pytest tests",
      host: "ci",
      durationMs: 1_034_500,
      at: "2026-11-15T05:02:25.591Z",
    });
    expect(results.map(({ name, repeat, status }) => [name, repeat, status])).toEqual([
      ["tests.test_a > test_ok[1]", 0, "pass"],
      ["tests.test_a > test_ok[1]", 1, "pass"],
      ["tests.test_a > test_bad", 0, "fail"],
      ["tests.test_b > test_setup", 0, "error"],
      ["tests.test_b > test_later", 0, "skipped"],
    ]);
    expect(results[0]).toMatchObject({ output: "answer <b>&amp;", scores: { accuracy: 0.85 }, durationMs: 500 });
    expect(results[3]!.error).toBe('failed on setup with "KeyError"\ntrace');
    expect(losses).toEqual(["system-err"]);
  });

  test("nested suites are read, and a case with a failure and an error is a failure", async () => {
    const xml =
      '<testsuites><testsuite name="a" tests="1"><testsuite name="b" tests="1"><testcase name="x"><failure/><error/></testcase></testsuite></testsuite></testsuites>';
    const [run] = await readAll(streamOf(xml));
    expect(run!.results.map(({ category, status }) => [category, status])).toEqual([["b", "fail"]]);
    expect(run!.warnings).toEqual(["1 case(s) have a failure and an error; they count as failures"]);
  });

  test("an export contains expected and actual values, and any text survives", async () => {
    const nasty = 'a <b> & "c" \' ]]> \n\t\u0007é';
    const record = {
      name: nasty,
      status: "fail",
      output: "out & <x>",
      failures: [{ message: nasty, expected: { a: 1 }, actual: "b<" }],
    };
    const [run] = await readAll(streamOf(JSON.stringify(record)), { name: "r.jsonl" });
    let xml = "";
    const totals = { total: 1, passed: 0, failed: 1, errors: 0, skipped: 0 };
    for await (const piece of exportRun({ ...run!.run, totals }, run!.results, "junit")) xml += piece;
    expect(xml).toContain('tests="1" failures="1" errors="0" skipped="0"');
    expect(xml).toContain("expected: {&quot;a&quot;:1}\nactual: b&lt;");
    const [back] = await readAll(streamOf(xml));
    expect(back!.results[0]!.name).toBe(nasty.replace("\u0007", "\ufffd"));
    expect(back!.results[0]).toMatchObject({ output: "out & <x>", failures: [{ expected: '{"a":1}', actual: "b<" }] });
  });
});

describe("vitest and jest", () => {
  test("a file that did not run is one error, and scores of vitest-evals are read", async () => {
    const { results } = await first("jest-unloaded.json");
    expect(results.map(({ name, status }) => [name, status])).toEqual([
      ["chat answers", "pass"],
      ["chat refuses", "fail"],
      ["chat later", "skipped"],
      ["/repo/b.test.js", "error"],
    ]);
    expect(results[0]).toMatchObject({ input: "hi", output: "hello", scores: { Factuality: 0.8, average: 0.8 } });
    expect(results[1]!.failures[0]).toMatchObject({ expected: "'no'", actual: "'yes'" });
  });

  test("tests with one name in two files are two cases, not repeats", async () => {
    const file = (name: string) => ({
      name,
      status: "passed",
      assertionResults: [{ fullName: "works", status: "passed" }],
    });
    const [run] = await readAll(
      streamOf(JSON.stringify({ numTotalTests: 2, testResults: [file("a.ts"), file("b.ts")] })),
    );
    expect(run!.results.map(({ name, repeat }) => [name, repeat])).toEqual([
      ["a.ts > works", 0],
      ["b.ts > works", 0],
    ]);
  });
});

test("OTLP: evaluations of one response become one result", async () => {
  const { run, results } = await first("otlp-logs.json");
  expect(run.suite).toBe("support-bot");
  expect(results.map(({ name, status, scores, error }) => ({ name, status, scores, error }))).toEqual([
    { name: "r1", status: "pass", scores: { Relevance: 0.9, Tone: 1 }, error: null },
    { name: "r2", status: "fail", scores: { Relevance: 0.1 }, error: null },
    { name: "r3", status: "error", scores: {}, error: "timeout" },
  ]);
});

describe("CSV", () => {
  test("semicolons, quotes, line breaks in cells, a byte order mark and two rows of one case are read", async () => {
    const { results } = await first("spreadsheet.csv");
    expect(results.map(({ name, repeat, status, scores }) => [name, repeat, status, scores])).toEqual([
      ['a "quoted" one', 0, "pass", { tone: 0.5 }],
      ["b", 0, "fail", { tone: 0.25 }],
      ["b", 1, "pass", { tone: 0.75 }],
      ["c", 0, "error", {}],
      ["d", 0, "skipped", {}],
    ]);
    expect(results[0]!.input).toBe("two\nlines");
    expect(results[0]!.extra).toEqual({ "Latency (s)": "1" });
  });

  test("columns can be mapped, and without a verdict column the error lists the titles", async () => {
    const table = "Frage,Urteil\nwas,pass\n";
    await expect(readAll(streamOf(table), { name: "t.csv" })).rejects.toThrow('Its columns are "Frage", "Urteil".');
    const [run] = await readAll(streamOf(table), { name: "t.csv", columns: { name: "Frage", status: "Urteil" } });
    expect(run!.results.map(({ name, status }) => [name, status])).toEqual([["was", "pass"]]);
  });
});

test("exported Markdown cannot mention, link or break its table", async () => {
  const record = {
    name: "a|b @team <img src=x> [x](http://y)",
    status: "fail",
    failures: [{ message: "`x`\n| y |", expected: 1, actual: 2 }],
  };
  const [run] = await readAll(streamOf(JSON.stringify(record)), { name: "r.jsonl" });
  let written = "";
  for await (const piece of exportRun(run!.run, run!.results, "markdown")) written += piece;
  const row = written.split("\n").find((line) => line.startsWith("| FAIL"))!;
  expect(row.split("|")).toHaveLength(7);
  expect(row).not.toMatch(/[@<[`]/);
});

test("suite, label, tier and commit of the run can be overridden", async () => {
  const options = { suite: "s", label: "l", tier: "full", gitSha: "abc", gitBranch: "b" } as const;
  const [run] = await readAll(samplePath("vitest-json.json"), options);
  expect(run!.run).toMatchObject(options);
});

test("one file pushed twice is one run, and the same bytes piped twice are two", async () => {
  const id = async (input: Parameters<typeof readAll>[0]) => (await readAll(input))[0]!.run.runId;
  const file = samplePath("vitest-json.json");
  expect(await id(file)).toBe(await id(file));
  const content = await Bun.file(file).text();
  expect(await id(streamOf(content))).not.toBe(await id(streamOf(content)));
});

test("a run exported to Inspect's log comes back as it was, whatever its criteria are called", async () => {
  const names = ["constructor", "__proto__", "toString"];
  const scores = Object.fromEntries(names.map((name, index) => [name, index / 4]));
  const base = { ...blankResult, input: { q: "?" }, output: "text", scores, durationMs: 1_500 };
  const results: EvalResult[] = [
    { ...base, name: "good", status: "pass" },
    { ...base, name: "bad", status: "fail", repeat: 1, category: "hard" },
    { ...base, name: "broken", status: "error", error: "no answer", scores: {} },
  ];
  const { run } = await first("promptfoo-v3-sample-export.json");
  let written = "";
  for await (const piece of exportRun({ ...run, model: "openai/gpt-5", gitSha: "a".repeat(40) }, results, "inspect"))
    written += piece;
  const file = join(folder, "inspect-log.json");
  await writeFile(file, written);
  const [back] = await readAll(file);
  expect(back!.run).toMatchObject({ suite: run.suite, model: "openai/gpt-5", gitSha: "a".repeat(40) });
  expect(
    back!.results.map(({ name, status, repeat, category, error }) => ({ name, status, repeat, category, error })),
  ).toEqual([
    { name: "good", status: "pass", repeat: 0, category: null, error: null },
    { name: "bad", status: "fail", repeat: 1, category: "hard", error: null },
    { name: "broken", status: "error", repeat: 0, category: null, error: "no answer" },
  ]);
  expect(Object.keys(JSON.parse(written).samples[0].scores)).toEqual(["devflow", ...names]);
  expect(Object.entries(back!.results[0]?.scores ?? {})).toContainEqual(["constructor", 0]);
});
