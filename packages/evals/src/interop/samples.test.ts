import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { exporters, exportRun } from "./export/export-run.ts";
import { readAll, streamOf } from "./read-all.ts";

const fixtures = join(import.meta.dir, "fixtures");

/** Counts are [total, passed, failed, errors, skipped], one row per run. `says` is where the tool's own number stands. */
const samples: readonly { file: string; format: string; counts: readonly (readonly number[])[]; says: string }[] = [
  {
    file: "promptfoo-v3-sample-export.json",
    format: "promptfoo",
    counts: [
      [2, 0, 2, 0, 0],
      [2, 0, 2, 0, 0],
    ],
    says: "results.stats.failures 4, and testFailCount 2 in each of prompts[].metrics",
  },
  {
    file: "promptfoo-generated.jsonl",
    format: "promptfoo",
    counts: [[10, 8, 2, 0, 0]],
    says: "tests and failures of promptfoo-generated.junit.xml, the same run",
  },
  {
    file: "promptfoo-generated.junit.xml",
    format: "junit",
    counts: [[10, 8, 2, 0, 0]],
    says: 'testsuite tests="10" failures="2" errors="0"',
  },
  {
    file: "promptfoo-0.123-errors-repeats.json",
    format: "promptfoo",
    counts: [[6, 2, 2, 2, 0]],
    says: "results.stats: successes 2, failures 2, errors 2",
  },
  {
    file: "promptfoo-0.123-errors.junit.xml",
    format: "junit",
    counts: [[6, 2, 2, 2, 0]],
    says: 'testsuite tests="6" failures="2" errors="2"',
  },
  { file: "promptfoo-v2.json", format: "promptfoo", counts: [[3, 1, 1, 1, 0]], says: "results.stats: 1, 1, 1" },
  {
    file: "inspect-log_formats.eval",
    format: "inspect",
    counts: [[1, 0, 1, 0, 0]],
    says: "header.json results.total_samples 1, accuracy 0",
  },
  {
    file: "inspect-log_formats.json",
    format: "inspect",
    counts: [[1, 0, 1, 0, 0]],
    says: "results.total_samples 1, accuracy 0",
  },
  {
    file: "inspect-2025-05-12T20-28-13-04-00_popularity.json",
    format: "inspect",
    counts: [[3, 2, 1, 0, 0]],
    says: "results.total_samples 3, accuracy 2/3",
  },
  {
    file: "inspect-zstd-epochs.eval",
    format: "inspect",
    counts: [[9, 3, 3, 3, 0]],
    says: "header.json total_samples 9, completed_samples 6, accuracy 0.5",
  },
  {
    file: "deepeval-test_run_sample.json",
    format: "deepeval",
    counts: [[1, 0, 1, 0, 0]],
    says: "testPassed 0, testFailed 1",
  },
  {
    file: "deepeval-metric-error.json",
    format: "deepeval",
    counts: [[4, 2, 1, 1, 0]],
    says: "testPassed 2, testFailed 2 = failed + errors",
  },
  {
    file: "evalite.json",
    format: "evalite",
    counts: [
      [3, 1, 1, 1, 0],
      [1, 1, 0, 0, 0],
    ],
    says: "results with status fail: 1",
  },
  {
    file: "openai-evals-items.jsonl",
    format: "openai-evals",
    counts: [[2, 1, 1, 0, 0]],
    says: "passes: all true on one line, one false on the other",
  },
  {
    file: "openai-evals-list.json",
    format: "openai-evals",
    counts: [
      [2, 1, 1, 0, 0],
      [1, 0, 0, 1, 0],
    ],
    says: "status pass, fail, error by run_id",
  },
  {
    file: "oaieval.jsonl",
    format: "oaieval",
    counts: [[3, 1, 1, 1, 0]],
    says: "final_report.accuracy 0.5 of 2 match events, 1 error event",
  },
  {
    file: "vitest-json.json",
    format: "vitest",
    counts: [[3, 1, 1, 0, 1]],
    says: "numPassedTests 1, numFailedTests 1, numPendingTests 1",
  },
  {
    file: "vitest-junit.xml",
    format: "junit",
    counts: [[3, 1, 1, 0, 1]],
    says: 'testsuite tests="3" failures="1" skipped="1"',
  },
  {
    file: "jest-unloaded.json",
    format: "vitest",
    counts: [[4, 1, 1, 1, 1]],
    says: "numTotalTests 3 and numRuntimeErrorTestSuites 1",
  },
  {
    file: "pytest.junit.xml",
    format: "junit",
    counts: [[5, 2, 1, 1, 1]],
    says: 'testsuite tests="5" failures="1" errors="1" skipped="1"',
  },
  { file: "otlp-logs.json", format: "otlp", counts: [[3, 1, 1, 1, 0]], says: "three response ids" },
  { file: "otlp-spans.jsonl", format: "otlp", counts: [[2, 1, 1, 0, 0]], says: "two spans" },
  { file: "spreadsheet.csv", format: "csv", counts: [[5, 2, 1, 1, 1]], says: "five rows" },
];

describe.each(samples)("$file", ({ file, format, counts, says }) => {
  test(`has the counts of its own tool (${says})`, async () => {
    const runs = await readAll(join(fixtures, file));
    expect(runs.map(({ run }) => Object.values(run.totals))).toEqual(counts.map((row) => [...row]));
    expect(runs.map(({ run }) => run.source)).toEqual(counts.map(() => format));
    for (const { run, results } of runs) {
      const found = ["pass", "fail", "error", "skipped"].map(
        (status) => results.filter((result) => result.status === status).length,
      );
      expect([results.length, ...found]).toEqual(Object.values(run.totals));
      const keys = results.map(({ name, inputSha, repeat }) => JSON.stringify([name, inputSha, repeat]));
      expect(new Set(keys).size).toBe(results.length);
    }
  });

  test("is the same through a pipe that comes in small pieces", async () => {
    const path = join(fixtures, file);
    const piped = await readAll(streamOf(await Bun.file(path).bytes(), 777), { name: file });
    expect(piped.map(({ results }) => results)).toEqual((await readAll(path)).map(({ results }) => results));
  });

  test.each(exporters.filter(({ id }) => id !== "markdown").map(({ id }) => id))("comes back from %s", async (as) => {
    for (const { run, results } of await readAll(join(fixtures, file))) {
      let written = "";
      for await (const piece of exportRun(run, results, as)) written += piece;
      const back = await readAll(streamOf(written));
      expect(back).toHaveLength(1);
      expect(back[0]!.run.totals).toEqual(run.totals);
      const verdicts = (list: typeof results) =>
        list.map(({ name, status, repeat, inputSha }) => ({ name, status, repeat, inputSha }));
      expect(verdicts(back[0]!.results)).toEqual(verdicts(results));
      if (as === "jsonl") expect(back[0]).toMatchObject({ run, results, losses: [], warnings: [] });
    }
  });
});
