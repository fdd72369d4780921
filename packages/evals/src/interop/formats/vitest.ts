/** The JSON reporters of vitest and jest, which use the same format. vitest-evals adds input, output and scores in `meta.eval`. */
import type { EvalResult, ImportedRun, ResultStatus } from "../../results/result.ts";
import { type Fields, fields, instant, list, number, pick, shaOf, text, texts } from "../fields.ts";
import {
  again,
  fileTitle,
  type Importer,
  Losses,
  notNumbersWarning,
  type Reading,
  Repeats,
  resultOf,
  runOf,
  Tally,
} from "../importer.ts";
import { streamJson } from "../json-stream.ts";

export const vitest: Importer = {
  id: "vitest",
  title: "vitest and jest JSON",
  madeBy: "vitest run --reporter=json --outputFile=results.json, jest --json --outputFile=results.json",
  carried: [
    "every test by its full name, the file as its category, duration, failure messages, tags",
    "scores, input and output from vitest-evals (in meta)",
    "a file that could not be loaded as one ERROR",
  ],
  lost: ["snapshots and coverage", "inputs of plain tests (paired by name)"],
  counts:
    "numTotalTests, numPassedTests, numFailedTests, numPendingTests + numTodoTests; files that did not run are additional errors",
  recognises: (head) =>
    head.members.has("numTotalTests") || (head.members.has("testResults") && head.text.includes('"assertionResults"')),
  read,
};

const statuses: Readonly<Record<string, ResultStatus>> = {
  passed: "pass",
  failed: "fail",
  skipped: "skipped",
  pending: "skipped",
  todo: "skipped",
  disabled: "skipped",
};

async function* read(reading: Reading): AsyncGenerator<ImportedRun> {
  const { source, limits } = reading;
  const plan = { testResults: "stream", coverageMap: "skip" } as const;
  const parts = () => streamJson(source.text(), plan, source.name, limits);
  const tally = new Tally();
  const losses = new Losses();
  const warnings: string[] = [];
  let header: Fields = {};
  const homes = new Homes();
  let unloaded = 0;
  for await (const part of parts()) {
    if (part.kind === "rest") {
      header = fields(part.value);
      warnings.push(...notNumbersWarning(part.notNumbers));
      continue;
    }
    const file = fields(part.value);
    if (neverRan(file)) {
      unloaded += 1;
      tally.add("error");
    }
    for (const test of list(file.assertionResults)) {
      tally.add(statusOf(fields(test), losses));
      homes.add(nameOf(fields(test)), text(file.name) ?? "");
    }
  }
  if (unloaded > 0) warnings.push(`${unloaded} file(s) did not run; each counts as one error`);
  const said = number(header.numTotalTests);
  const { totals } = tally;
  if (said !== null && said !== totals.total - unloaded) {
    warnings.push(`the file claims ${said} tests but contains ${totals.total - unloaded}; those it contains are used`);
  }
  if (header.coverageMap) losses.note("coverageMap");
  if (fields(header.snapshot).total) losses.note("snapshot");
  const began = instant(header.startTime);
  const run = await runOf(reading, {
    suite: fileTitle(source),
    source: "vitest",
    totals,
    ...(began === null ? {} : { at: began }),
    extra: pick(header, ["success", "wasInterrupted"]),
  });
  const results = async function* () {
    const repeats = new Repeats();
    for await (const part of parts()) if (part.kind === "item") yield* resultsOf(fields(part.value), repeats, homes);
  };
  yield { run, results: again(results), losses: losses.sentences, warnings };
}

function neverRan(file: Fields): boolean {
  return file.status === "failed" && list(file.assertionResults).length === 0;
}

function statusOf(test: Fields, losses?: Losses): ResultStatus {
  const status = statuses[String(test.status)];
  if (status === undefined) losses?.note(`status ${JSON.stringify(test.status ?? null)}, read as an error`);
  return status ?? "error";
}

function nameOf(test: Fields): string {
  return text(test.fullName) ?? [...texts(test.ancestorTitles), text(test.title) ?? "unnamed"].join(" ");
}

/** Files move, so a test is identified by its name alone, unless two files have a test of that name. */
class Homes {
  private readonly files = new Map<string, string | null>();

  add(name: string, file: string): void {
    const known = this.files.get(name);
    this.files.set(name, known === undefined || known === file ? file : null);
  }

  isShared(name: string): boolean {
    return this.files.get(name) === null;
  }
}

function* resultsOf(file: Fields, repeats: Repeats, homes: Homes): Generator<EvalResult> {
  const path = text(file.name);
  if (neverRan(file)) {
    const name = path ?? "unnamed file";
    yield resultOf({ name, status: "error", category: path, error: text(file.message) ?? "the file did not run" });
  }
  for (const item of list(file.assertionResults)) {
    const test = fields(item);
    const evaluated = fields(fields(test.meta).eval);
    const input = evaluated.input ?? null;
    const alone = nameOf(test);
    const name = homes.isShared(alone) ? `${path} > ${alone}` : alone;
    const inputSha = shaOf(input);
    const status = statusOf(test);
    const messages = texts(test.failureMessages);
    const { eval: _read, ...meta } = fields(test.meta);
    yield resultOf({
      name,
      status,
      category: path,
      tags: texts(test.tags),
      input,
      inputSha,
      repeat: repeats.next(name, inputSha),
      output: evaluated.output ?? null,
      error: status === "error" ? messages.join("\n") || "unknown status" : null,
      failures: status === "fail" ? messages.map(failureOf) : [],
      scores: scoresOf(evaluated),
      durationMs: number(test.duration),
      extra: {
        ...(Object.keys(meta).length > 0 ? { meta } : {}),
        ...pick(evaluated, ["toolCalls", "expected"]),
        ...(number(test.invocations) === null || test.invocations === 1 ? {} : { invocations: test.invocations }),
      },
    });
  }
}

function scoresOf(evaluated: Fields): Record<string, number> {
  const named = list(evaluated.scores).flatMap((item) => {
    const { name, score } = fields(item);
    return number(score) === null ? [] : [[text(name) ?? "score", number(score)!] as const];
  });
  const average = number(evaluated.avgScore);
  return { ...Object.fromEntries(named), ...(average === null ? {} : { average }) };
}

function failureOf(words: string) {
  const first = words.split("\n", 1)[0] ?? words;
  const compared = /expected (.+?) to (?:be|equal|deeply equal|strictly equal) (.+?)(?: \/\/|$)/.exec(first);
  return {
    type: "deterministic",
    expectationType: text(/^(\w+):/.exec(first)?.[1]),
    message: first,
    criterion: null,
    expected: compared?.[2] ?? null,
    actual: compared?.[1] ?? null,
    details: words,
    scores: null,
  } as const;
}
