/**
 * promptfoo's JSON (v2 and v3) and JSONL. A file is a matrix of prompts and providers. Each column becomes a separate run, because two
 * models on one test are not two repeats of one case.
 */

import { refuse } from "../../results/refuse.ts";
import type { EvalTotals, ImportedRun } from "../../results/result.ts";
import { type Fields, fields, instant, isFields, number, pick, text } from "../fields.ts";
import {
  again,
  fileTitle,
  type Importer,
  Losses,
  notNumbersWarning,
  type Reading,
  Repeats,
  runIdentity,
  runOf,
  Tally,
} from "../importer.ts";
import { jsonLines } from "../json-lines.ts";
import { streamJson } from "../json-stream.ts";
import { judgeFailed, noteLosses, promptfooResult, promptfooStatus, providerOf } from "./promptfoo-result.ts";
import { variantsOf } from "./promptfoo-variants.ts";

const carried = [
  "verdict, with ERROR distinguished from FAIL",
  "vars as the input, description as the name",
  "every assertion with its reason and score; the expected value of failed ones",
  "named scores, latency, tokens, cost, cached, output, metadata",
];
const lost = [
  "the configuration (it may contain keys)",
  "raw provider responses and traces",
  "the judge's model, if the assertion does not name it",
];

export const promptfooJson: Importer = {
  id: "promptfoo",
  title: "promptfoo JSON v2 and v3",
  madeBy: "promptfoo eval -o results.json",
  carried,
  lost,
  counts: "results.stats: successes, failures and errors, and prompts[].metrics for each column",
  recognises: (head) =>
    ["results.stats", "results.results", "results.table"].some((path) => head.members.has(path)) ||
    (head.members.has("results.version") && (head.members.has("evalId") || head.members.has("results.timestamp"))),
  read: (reading) =>
    readColumns(reading, () =>
      streamJson(
        reading.source.text(),
        { results: { results: "stream", table: { body: "skip" } }, config: configPlan, traces: "skip" },
        reading.source.name,
        reading.limits,
      ),
    ),
};

/** Tests can be most of the file, and each result contains its test anyway. */
const configPlan = { tests: "skip", scenarios: "skip", defaultTest: "skip", env: "skip", providers: "skip" } as const;

export const promptfooLines: Importer = {
  id: "promptfoo-jsonl",
  title: "promptfoo JSONL",
  madeBy: "promptfoo eval -o results.jsonl",
  carried,
  lost: [...lost, "the run's id and time (JSONL has none; content and file time are used instead)"],
  counts: "none in the file; equal to the failures and tests of the JUnit file of the same run",
  recognises: (head) =>
    head.members.has("success") &&
    ["gradingResult", "testCase", "promptIdx", "promptId"].some((path) => head.members.has(path)),
  read: (reading) => readColumns(reading, () => linesAsParts(reading)),
};

type Part =
  | { readonly kind: "item"; readonly value: unknown; readonly index: number }
  | {
      readonly kind: "rest";
      readonly value: unknown;
      readonly notNumbers: number;
      readonly repeatedKeys: readonly string[];
    }
  | { readonly kind: "fault"; readonly fault: string };

async function* linesAsParts(reading: Reading): AsyncGenerator<Part> {
  let notNumbers = 0;
  let index = 0;
  for await (const line of jsonLines(reading.source, reading)) {
    if ("fault" in line) yield { kind: "fault", fault: line.fault };
    else {
      notNumbers += line.notNumbers;
      yield { kind: "item", value: line.value, index };
      index += 1;
    }
  }
  yield { kind: "rest", value: {}, notNumbers, repeatedKeys: [] };
}

interface Column {
  readonly key: string;
  readonly index: number;
  readonly provider: string | null;
  readonly prompt: string | null;
  readonly raw: string | null;
  readonly promptId: string | null;
  readonly tally: Tally;
}

async function* readColumns(reading: Reading, parts: () => AsyncGenerator<Part>): AsyncGenerator<ImportedRun> {
  const { source } = reading;
  const columns = new Map<string, Column>();
  const losses = new Losses();
  const warnings: string[] = [];
  let header: Fields = {};
  let judgesFailed = 0;
  for await (const part of parts()) {
    if (part.kind === "fault") warnings.push(part.fault);
    else if (part.kind === "rest") {
      header = fields(part.value);
      warnings.push(...notNumbersWarning(part.notNumbers));
      for (const key of part.repeatedKeys) warnings.push(`duplicate key "${key}"; the last one is used`);
    } else {
      const record = recordOf(part.value, source.name, part.index);
      const column = columnOf(record, columns);
      column.tally.add(promptfooStatus(record));
      if (judgeFailed(record)) judgesFailed += 1;
      noteLosses(record, losses);
    }
  }
  if (judgesFailed > 0) {
    warnings.push(
      `${judgesFailed} result(s) that promptfoo counts as failures are errors here, because the judge did not answer`,
    );
  }
  const results = fields(header.results);
  warnings.push(...disagreement(fields(results.stats), [...columns.values()]));
  if ("config" in header) losses.note("config");
  for (const member of ["traces", "vars", "runtimeOptions", "shareableUrl"]) if (header[member]) losses.note(member);
  const ordered = [...columns.values()].sort((a, b) => a.index - b.index);
  const identity = text(header.evalId) ?? (await runIdentity(reading));
  const suite = text(fields(header.config).description) ?? fileTitle(source);
  const devflow = fields(fields(header.metadata).devflow);
  const variants = variantsOf(ordered);
  for (const [at, column] of (ordered.length > 0 ? ordered : [emptyColumn]).entries()) {
    const alone = ordered.length <= 1;
    const label = alone ? (text(devflow.label) ?? undefined) : columnLabel(column);
    const run = await runOf(reading, {
      runId: alone ? identity : `${identity}#${column.index}`,
      suite: text(devflow.suite) ?? suite,
      ...(label === undefined ? {} : { label }),
      source: "promptfoo",
      model: column.provider,
      variant: variants[at] ?? null,
      matrix: alone ? null : identity,
      promptSha: column.promptId,
      totals: column.tally.totals,
      durationMs: number(fields(results.stats).durationMs),
      ...(instant(results.timestamp) === null ? {} : { at: instant(results.timestamp)! }),
      gitSha: text(devflow.git_sha),
      gitBranch: text(devflow.git_branch),
      extra: {
        ...pick(fields(header.metadata), ["promptfooVersion", "author"]),
        ...(column.prompt === null ? {} : { prompt: column.prompt }),
      },
    });
    yield {
      run,
      results: again(async function* () {
        const repeats = new Repeats();
        for await (const part of parts()) {
          if (part.kind !== "item" || keyOf(fields(part.value)) !== column.key) continue;
          yield promptfooResult(fields(part.value), repeats);
        }
      }),
      losses: losses.sentences,
      warnings,
    };
  }
}

const emptyColumn: Column = {
  key: "",
  index: 0,
  provider: null,
  prompt: null,
  raw: null,
  promptId: null,
  tally: new Tally(),
};

function recordOf(value: unknown, name: string, index: number): Fields {
  if (isFields(value)) return value;
  throw refuse(
    `${name}, result ${index + 1} is not an object.`,
    "Export the file again: promptfoo export <eval id> -o results.json",
  );
}

function columnOf(record: Fields, columns: Map<string, Column>): Column {
  const key = keyOf(record);
  const known = columns.get(key);
  if (known !== undefined) return known;
  const prompt = fields(record.prompt);
  const column: Column = {
    key,
    index: number(record.promptIdx) ?? columns.size,
    provider: providerOf(record),
    prompt: text(prompt.label) ?? text(prompt.raw),
    raw: text(prompt.raw),
    promptId: text(record.promptId),
    tally: new Tally(),
  };
  columns.set(key, column);
  return column;
}

/** v2 files have no promptIdx; columns are identified by provider and prompt template. */
function keyOf(record: Fields): string {
  const index = number(record.promptIdx);
  return index === null ? JSON.stringify([providerOf(record), text(fields(record.prompt).label)]) : `#${index}`;
}

function columnLabel(column: Column): string {
  const prompt = (column.prompt ?? "").replace(/\s+/g, " ").trim().slice(0, 60).toWellFormed();
  return (
    [column.provider, prompt].filter((part) => part !== null && part !== "").join(" · ") || `column ${column.index + 1}`
  );
}

function disagreement(stats: Fields, columns: readonly Column[]): string[] {
  if (number(stats.successes) === null) return [];
  const sum = (of: keyof EvalTotals) => columns.reduce((total, column) => total + column.tally.totals[of], 0);
  const said = (number(stats.successes) ?? 0) + (number(stats.failures) ?? 0) + (number(stats.errors) ?? 0);
  const found = sum("total");
  if (said === found && number(stats.successes) === sum("passed")) return [];
  return [
    `the file's stats say that ${stats.successes} of ${said} passed, its results ${sum("passed")} of ${found}; the results are used`,
  ];
}
