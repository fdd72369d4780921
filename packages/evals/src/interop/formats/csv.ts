/** CSV and TSV with a title row. Columns are found by title, or mapped: `columns: { name: "Question", status: "Verdict" }`. */

import { askLenient, refuse } from "../../results/refuse.ts";
import type { EvalResult, ImportedRun, ResultStatus } from "../../results/result.ts";
import { csvRows, delimiterOf } from "../csv-rows.ts";
import { fields, number, numbers, shaOf } from "../fields.ts";
import { undefused } from "../formula.ts";
import type { Head } from "../head.ts";
import { again, fileTitle, type Importer, Losses, type Reading, Repeats, resultOf, runOf, Tally } from "../importer.ts";
import { verdictOf } from "../verdict-words.ts";

/** The known columns and their titles. */
const csvColumns = {
  name: ["name", "test", "test_name", "case", "case_name", "title", "id", "description"],
  status: ["status", "result", "outcome", "verdict", "passed", "pass", "success", "correct"],
  score: ["score"],
  scores: ["scores"],
  category: ["category", "group", "topic"],
  tags: ["tags"],
  repeat: ["repeat", "trial", "sample"],
  epoch: ["epoch", "attempt"],
  input: ["input", "question", "prompt", "query"],
  input_sha: ["input_sha"],
  output: ["output", "actual", "actual_output", "response", "answer", "completion"],
  expected: ["expected", "expected_output", "target", "ideal", "reference"],
  error: ["error", "error_message"],
  message: ["failures", "failure", "message", "reason", "comment"],
  duration_ms: ["duration_ms", "latency_ms", "latencyms"],
  duration_seconds: ["duration_seconds", "duration", "time", "seconds"],
  turns: ["turns"],
  model: ["model"],
  cost_usd: ["cost_usd", "cost"],
  input_tokens: ["input_tokens", "prompt_tokens"],
  output_tokens: ["output_tokens", "completion_tokens"],
} as const satisfies Record<string, readonly string[]>;

type Role = keyof typeof csvColumns;

export const csv: Importer = {
  id: "csv",
  title: "CSV and TSV",
  madeBy: "any spreadsheet, any script",
  carried: [
    "name, verdict, score and score:<criterion> columns, category, input, output, expected, error, message, duration, repeat, model, cost, tokens",
    "unknown columns, as extra members",
  ],
  lost: ["the run's id and time, which CSV does not have"],
  counts: "the rows, by the words in the verdict column",
  recognises,
  read,
};

interface Layout {
  readonly delimiter: string;
  readonly titles: readonly string[];
  readonly roles: ReadonlyMap<number, Role>;
  /** Titles of verdict, score and output columns after the first of their kind, which are not read. */
  readonly repeated: readonly string[];
  /** The file was written by Devflow: cells that look like a formula start with an apostrophe. */
  readonly isOurs: boolean;
}

function recognises(head: Head): boolean {
  if (head.kind !== "text") return false;
  if (/\.(?:csv|tsv)$/i.test(head.name)) return true;
  const line = head.text.split(/\r?\n/, 1)[0] ?? "";
  const titles = line.split(delimiterOf(line)).map(titleKey);
  const roles = new Set(titles.map(roleOf));
  return titles.length > 1 && roles.has("name") && (roles.has("status") || roles.has("score"));
}

async function* read(reading: Reading): AsyncGenerator<ImportedRun> {
  const layout = await layoutOf(reading);
  const tally = new Tally();
  const losses = new Losses();
  const warnings: string[] = [];
  const models = new Set<string>();
  for await (const { status, byRole } of rows(reading, layout, warnings)) {
    tally.add(status);
    for (const { model } of usageOf(byRole)) models.add(model);
  }
  for (const title of layout.repeated) losses.note(`a second column for the same thing, "${title.slice(0, 60)}"`);
  const run = await runOf(reading, {
    suite: fileTitle(reading.source),
    source: "csv",
    totals: tally.totals,
    model: models.size === 1 ? [...models][0]! : null,
  });
  yield { run, results: again(() => results(reading, layout)), losses: losses.sentences, warnings };
}

async function* results(reading: Reading, layout: Layout): AsyncGenerator<EvalResult> {
  const repeats = new Repeats();
  for await (const row of rows(reading, layout, null)) yield resultOfRow(row, layout, repeats);
}

async function layoutOf(reading: Reading): Promise<Layout> {
  const { source, options } = reading;
  const head = new TextDecoder().decode(await source.head()).replace(/^\uFEFF/, "");
  const delimiter = /\.tsv$/i.test(source.name) ? "\t" : delimiterOf(head);
  for await (const { cells } of csvRows(source, delimiter, reading.limits)) {
    const titles = cells.map((title) => title.replace(/^\uFEFF/, "").trim());
    const roles = new Map<number, Role>();
    for (const [role, title] of Object.entries(options.columns ?? {})) {
      const index = titles.indexOf(title);
      if (index === -1 || !(role in csvColumns))
        throw noColumn(reading, titles, `it has no column ${JSON.stringify(title)} for ${role}`);
      roles.set(index, role as Role);
    }
    const taken = new Set(roles.values());
    const repeated: string[] = [];
    for (const [index, title] of titles.entries()) {
      const role = roleOf(titleKey(title));
      if (role !== null && taken.has(role) && titles.indexOf(title) < index) repeated.push(title);
      if (role === null || taken.has(role) || roles.has(index)) continue;
      roles.set(index, role);
      taken.add(role);
    }
    if (!taken.has("name") && !taken.has("input")) throw noColumn(reading, titles, "no column names the case");
    if (!taken.has("status") && !taken.has("score"))
      throw noColumn(reading, titles, "no column holds a verdict or a score");
    return {
      delimiter,
      titles,
      roles,
      repeated,
      isOurs: titles.includes("input_sha") && titles.includes("expectations_sha"),
    };
  }
  throw refuse(`${source.name} has no rows.`, "The first line must contain the column titles: name,status");
}

async function* rows(reading: Reading, layout: Layout, warnings: string[] | null): AsyncGenerator<Row> {
  let isTitle = true;
  for await (const { line, cells } of csvRows(reading.source, layout.delimiter, reading.limits)) {
    if (isTitle) {
      isTitle = false;
      continue;
    }
    const read =
      cells.length > layout.titles.length
        ? `it has ${cells.length} cells, but there are ${layout.titles.length} titles`
        : readRow(cells, layout, reading.passAt);
    if (typeof read !== "string") yield read;
    else {
      const fault = `${reading.source.name}, line ${line}: ${read}`;
      if (!reading.lenient) throw refuse(`${fault}.`, askLenient);
      warnings?.push(fault);
    }
  }
}

interface Row {
  readonly name: string;
  readonly status: ResultStatus;
  readonly byRole: Partial<Record<Role, string>>;
  readonly scores: Readonly<Record<string, number>>;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The parsed row, or what is wrong with it. */
function readRow(cells: readonly string[], layout: Layout, passAt: number): Row | string {
  const byRole: Partial<Record<Role, string>> = {};
  const scores: Record<string, number> = {};
  const extra: Record<string, unknown> = {};
  // If semicolons separate the cells, the decimal separator is a comma.
  const decimal = (cell: string) => Number(layout.delimiter === ";" ? cell.replace(",", ".") : cell);
  for (const [index, raw] of cells.entries()) {
    const cell = layout.isOurs ? undefused(raw) : raw;
    const role = layout.roles.get(index);
    const title = layout.titles[index]!;
    const criterion = /^scores?[:._](.+)$/i.exec(title)?.[1];
    if (cell === "") continue;
    if (role !== undefined) byRole[role] = cell;
    else if (criterion !== undefined && Number.isFinite(decimal(cell))) scores[criterion] = decimal(cell);
    else if (title !== "") extra[title] = cell;
  }
  if (byRole.score !== undefined && Number.isFinite(decimal(byRole.score))) scores.score = decimal(byRole.score);
  if (byRole.scores !== undefined) Object.assign(scores, numbers(structured(byRole.scores)));
  const status = statusOf(byRole, scores, passAt);
  if (status === null)
    return `${JSON.stringify(byRole.status ?? byRole.score ?? "")} is not a verdict (pass, fail, error, skipped)`;
  const name = byRole.name ?? byRole.input?.slice(0, 100) ?? "";
  return name === "" ? "it does not name a case" : { name, status, byRole, scores, extra };
}

function resultOfRow({ name, status, byRole, scores, extra }: Row, layout: Layout, repeats: Repeats): EvalResult {
  const input = byRole.input === undefined ? null : layout.isOurs ? structured(byRole.input) : byRole.input;
  const inputSha = byRole.input_sha ?? shaOf(input);
  const counted = repeats.next(name, inputSha);
  const epoch = byRole.epoch === undefined ? null : number(Number(byRole.epoch));
  const seconds = byRole.duration_seconds === undefined ? null : number(Number(byRole.duration_seconds));
  const given = byRole.repeat === undefined ? null : number(Number(byRole.repeat));
  const whole = given !== null && Number.isInteger(given) && given >= 0 ? given : null;
  return resultOf({
    name,
    status,
    input,
    inputSha,
    // Two rows of one case are two repeats, even if a column that looks like a repeat number says otherwise.
    repeat: layout.isOurs ? (whole ?? counted) : Math.max(counted, whole ?? (epoch === null ? 0 : epoch - 1)),
    category: byRole.category ?? null,
    tags: byRole.tags?.split(/\s*[,;|]\s*/).filter((tag) => tag !== "") ?? [],
    output: byRole.output === undefined ? null : layout.isOurs ? structured(byRole.output) : byRole.output,
    expectationsSha: typeof extra.expectations_sha === "string" ? extra.expectations_sha : null,
    error: status === "error" || status === "skipped" ? (byRole.error ?? byRole.message ?? null) : null,
    failures: status === "fail" ? [failureOf(byRole)] : [],
    scores,
    durationMs:
      byRole.duration_ms === undefined
        ? seconds === null
          ? null
          : seconds * 1000
        : number(Number(byRole.duration_ms)),
    turns: byRole.turns === undefined ? null : number(Number(byRole.turns)),
    usage: usageOf(byRole),
    extra: Object.fromEntries(Object.entries(extra).filter(([title]) => title !== "expectations_sha")),
  });
}

function statusOf(
  byRole: Partial<Record<Role, string>>,
  scores: Readonly<Record<string, number>>,
  passAt: number,
): ResultStatus | null {
  if (byRole.status !== undefined) return verdictOf(byRole.status);
  if (byRole.error !== undefined) return "error";
  return scores.score === undefined ? null : scores.score >= passAt ? "pass" : "fail";
}

function failureOf(byRole: Partial<Record<Role, string>>) {
  const message = byRole.message ?? byRole.error ?? "failed";
  const base = { type: "deterministic", expectationType: null, criterion: null, details: null, scores: null } as const;
  return { ...base, message, expected: byRole.expected ?? null, actual: byRole.output ?? null };
}

function usageOf(byRole: Partial<Record<Role, string>>) {
  const read = (role: Role) => Math.max(0, number(Number(byRole[role] ?? 0)) ?? 0);
  const inputTokens = read("input_tokens");
  const outputTokens = read("output_tokens");
  const costUsd = byRole.cost_usd === undefined ? null : number(Number(byRole.cost_usd.replace(/^\$/, "")));
  if (inputTokens + outputTokens === 0 && costUsd === null) return [];
  const model = byRole.model ?? "unknown";
  return [{ model, calls: 1, inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd }];
}

/** The exporter writes strings as they are and everything else as JSON. */
function structured(cell: string): unknown {
  if (!/^[[{]/.test(cell)) return cell;
  try {
    const value: unknown = JSON.parse(cell);
    return Array.isArray(value) ? value : fields(value);
  } catch {
    return cell;
  }
}

function titleKey(title: string): string {
  return title
    .replace(/^\uFEFF/, "")
    .replace(/^"|"$/g, "")
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
}

function roleOf(title: string): Role | null {
  for (const [role, titles] of Object.entries(csvColumns))
    if ((titles as readonly string[]).includes(title)) return role as Role;
  return null;
}

function noColumn({ source }: Reading, titles: readonly string[], why: string) {
  const shown = titles
    .slice(0, 20)
    .map((title) => JSON.stringify(title.slice(0, 40)))
    .join(", ");
  return refuse(
    `${source.name} cannot be read: ${why}. Its columns are ${shown}.`,
    "Rename the columns: name for the case, and status or score for the verdict.",
  );
}
