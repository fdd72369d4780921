/**
 * promptfoo's CSV: the vars of each test, then for each prompt and provider its output, status, score, named scores, reason and
 * comment. Each of these groups of columns becomes a separate run.
 */

import { refuse } from "../../results/refuse.ts";
import type { EvalResult, ImportedRun, ResultStatus } from "../../results/result.ts";
import { csvRows, delimiterOf } from "../csv-rows.ts";
import { nameFrom, number, numbers } from "../fields.ts";
import {
  again,
  fileTitle,
  type Importer,
  Losses,
  type Reading,
  Repeats,
  resultOf,
  runIdentity,
  runOf,
  Tally,
} from "../importer.ts";
import { verdictOf } from "../verdict-words.ts";
import { variantsOf } from "./promptfoo-variants.ts";

export const promptfooCsv: Importer = {
  id: "promptfoo-csv",
  title: "promptfoo CSV",
  madeBy: "promptfoo eval -o results.csv",
  carried: [
    "every prompt and provider as a run of its own",
    "verdict, with ERROR distinguished from FAIL; vars as the input, description as the name; output, score, named scores, reason",
  ],
  lost: ["tokens, cost and latency, which the CSV does not have", "comments and red team columns"],
  counts: "the rows times the groups of columns; cells without an output are reported",
  recognises: (head) => head.kind === "text" && groupsOf(titlesIn(head.text)).length > 0,
  read,
};

interface Group {
  readonly provider: string | null;
  readonly prompt: string;
  /** Places of its columns. */
  readonly output: number;
  readonly status: number;
  readonly score: number;
  readonly named: number;
  readonly metrics: readonly { readonly at: number; readonly name: string }[];
  readonly reason: number;
  readonly tally: Tally;
}

/** The title row may contain line breaks inside quotes: a prompt is part of it. */
function titlesIn(text: string): string[] {
  const titles: string[] = [];
  const cell = /\s*(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  for (let found = cell.exec(text); found; found = cell.exec(text)) {
    titles.push((found[1]?.replaceAll('""', '"') ?? found[2] ?? "").trim());
    if (found[3] !== ",") break;
  }
  return titles;
}

function groupsOf(titles: readonly string[]): Group[] {
  return titles.flatMap((title, status) => {
    const isGroup = title === "Status" && titles[status + 1] === "Score" && titles[status + 2] === "Named Scores";
    const reason = isGroup ? titles.indexOf("Grader Reason", status) : -1;
    if (reason === -1) return [];
    const output = titles[status - 1] === "Reasoning" ? status - 2 : status - 1;
    const [, provider = null, prompt = titles[output] ?? ""] =
      /^\[([^\]]+)\] ([\s\S]*)$/.exec(titles[output] ?? "") ?? [];
    const metrics = titles
      .slice(status + 3, reason)
      .map((name, at) => ({ at: status + 3 + at, name: name.replace(/^Metric: /, "") }));
    return [
      { provider, prompt, output, status, score: status + 1, named: status + 2, metrics, reason, tally: new Tally() },
    ];
  });
}

async function* read(reading: Reading): AsyncGenerator<ImportedRun> {
  const { source } = reading;
  const titles = await titleRow(reading);
  const groups = groupsOf(titles);
  const losses = new Losses();
  let empty = 0;
  for await (const cells of bodyRows(reading)) {
    for (const group of groups) {
      const status = statusOf(cells, group);
      if (status === null) empty += 1;
      else group.tally.add(status);
    }
  }
  if (empty > 0) losses.note("cells without a status", empty);
  const vars = titles.slice(0, groups[0]!.output);
  const identity = await runIdentity(reading);
  const variants = variantsOf(groups);
  for (const [at, group] of groups.entries()) {
    const run = await runOf(reading, {
      runId: groups.length === 1 ? identity : `${identity}#${at}`,
      suite: fileTitle(source),
      source: "promptfoo",
      model: group.provider,
      variant: variants[at]!,
      matrix: groups.length === 1 ? null : identity,
      totals: group.tally.totals,
      extra: { prompt: group.prompt },
    });
    const results = again(() => resultsOf(reading, group, vars));
    yield { run, results, losses: losses.sentences, warnings: [] };
  }
}

async function titleRow(reading: Reading): Promise<readonly string[]> {
  for await (const { cells } of csvRows(reading.source, await delimiter(reading), reading.limits)) {
    return cells.map((title) => title.replace(/^\uFEFF/, "").trim());
  }
  throw refuse(`${reading.source.name} has no rows.`, "Export it again: promptfoo export <eval id> -o results.csv");
}

async function* bodyRows(reading: Reading): AsyncGenerator<readonly string[]> {
  let isTitle = true;
  for await (const { cells } of csvRows(reading.source, await delimiter(reading), reading.limits)) {
    if (!isTitle) yield cells;
    isTitle = false;
  }
}

async function delimiter({ source }: Reading): Promise<string> {
  return delimiterOf(new TextDecoder().decode(await source.head()));
}

async function* resultsOf(reading: Reading, group: Group, vars: readonly string[]): AsyncGenerator<EvalResult> {
  const repeats = new Repeats();
  for await (const cells of bodyRows(reading)) {
    const status = statusOf(cells, group);
    if (status !== null) yield resultOfCells(cells, group, vars, status, repeats);
  }
}

function resultOfCells(
  cells: readonly string[],
  group: Group,
  vars: readonly string[],
  status: ResultStatus,
  repeats: Repeats,
): EvalResult {
  const hasDescription = vars[0] === "Description";
  const pairs = vars.map((name, at): [string, string] => [name, cells[at] ?? ""]).slice(hasDescription ? 1 : 0);
  const input = Object.fromEntries(pairs);
  const values = Object.values(input);
  const description = hasDescription ? cells[0] : "";
  const name = description || nameFrom(values.length === 1 ? values[0]! : JSON.stringify(input));
  const reason = cells[group.reason] ?? "";
  const score = number(cells[group.score] ? Number(cells[group.score]) : null);
  const made = resultOf({
    name,
    status,
    input,
    output: cells[group.output] ?? null,
    scores: { ...(score === null ? {} : { score }), ...namedScores(cells, group) },
    error: status === "error" ? reason || cells[group.output] || "promptfoo gave no reason" : null,
    failures: status === "fail" ? [failureOf(reason || "promptfoo gave no reason")] : [],
  });
  return { ...made, repeat: repeats.next(name, made.inputSha) };
}

function namedScores(cells: readonly string[], { named, metrics }: Group): Record<string, number> {
  const columns = metrics.flatMap(({ at, name }) => {
    const value = cells[at] ? number(Number(cells[at])) : null;
    return value === null ? [] : [[name, value] as const];
  });
  try {
    return { ...Object.fromEntries(columns), ...numbers(JSON.parse(cells[named] || "{}")) };
  } catch {
    return Object.fromEntries(columns);
  }
}

function statusOf(cells: readonly string[], { status }: Group): ResultStatus | null {
  return cells[status] ? verdictOf(cells[status]) : null;
}

const failureOf = (message: string) => ({
  ...{ type: "deterministic" as const, expectationType: null, message, criterion: null },
  ...{ expected: null, actual: null, details: null, scores: null },
});
