/**
 * Read-only queries of the index; every result is bounded.
 *
 * - `listRuns(index, filter)`, `findRuns(index, id)`, `pageOfResults(index, …)`, `caseHistory(index, …)`.
 */

import type { ModelCost } from "../costs/run-costs.ts";
import { type ResultStatus, resultStatuses } from "../results/result.ts";
import type { EvalIndex } from "./eval-index.ts";
import type { RunLine } from "./run-record.ts";

export interface RunFilter {
  readonly label?: string;
  readonly suite?: string;
  readonly branch?: string;
  readonly tier?: string;
  /** ISO; only runs since then. */
  readonly since?: string;
  /** Only runs with failures or errors. */
  readonly failed?: boolean;
  readonly gitSha?: string;
  readonly limit?: number;
  /** The end of the previous page. */
  readonly after?: string;
}

export interface RunPage {
  readonly runs: readonly RunLine[];
  /** The number of matching runs on all pages. */
  readonly matching: number;
  /** Pass it as `after`; null on the last page. */
  readonly next: string | null;
}

export interface IndexedRun extends RunLine {
  readonly no: number;
  readonly file: string;
  readonly contentSha: string | null;
}

const runColumns = `no, file, run_id as runId, suite, label, tier, at, git_sha as gitSha, git_branch as gitBranch,
  prompt_sha as promptSha, model, provider, variant, matrix, host, judge_key as judgeKey, attempt, total, passed, failed, errors, skipped,
  duration_ms as durationMs, actual_usd as actualUsd, estimated_usd as estimatedUsd, unpriced_calls as unpricedCalls,
  source, content_sha as contentSha, partial as isPartial`;

type Value = string | number | null;

function conditionOf(filter: RunFilter) {
  const where: string[] = [];
  const values: Value[] = [];
  const add = (sql: string, value: Value | undefined) => {
    if (value === undefined) return;
    where.push(sql);
    values.push(value);
  };
  add("runs.label = ?", filter.label);
  add("runs.suite = ?", filter.suite);
  add("git_branch = ?", filter.branch);
  add("tier = ?", filter.tier);
  add("at >= ?", filter.since);
  add("git_sha = ?", filter.gitSha);
  if (filter.failed) where.push("failed + errors > 0");
  return { where, values, condition: where.length > 0 ? `where ${where.join(" and ")}` : "" };
}

export function listRuns({ db }: EvalIndex, filter: RunFilter): RunPage {
  const { where, values, condition } = conditionOf(filter);
  const { matching } = db.prepare(`select count(*) as matching from runs ${condition}`).get(...values) as {
    matching: number;
  };
  const limit = Math.min(Math.max(1, filter.limit ?? 50), 1000);
  const [at, no] = (filter.after ?? "").split("|");
  const paged = at && no ? [...where, "(at, no) < (?, ?)"] : where;
  const pagedValues = at && no ? [...values, at, Number(no)] : values;
  const rows = db
    .prepare(
      `select ${runColumns} from runs ${paged.length > 0 ? `where ${paged.join(" and ")}` : ""}
       order by at desc, no desc limit ?`,
    )
    .all(...pagedValues, limit + 1) as unknown as IndexedRun[];
  const last = rows[limit - 1];
  return {
    runs: rows.slice(0, limit).map(toLine),
    matching,
    next: rows.length > limit && last ? `${last.at}|${last.no}` : null,
  };
}

/** The cost of all matching runs by model; a run may have several. */
export function modelCosts({ db }: EvalIndex, filter: RunFilter): RunModelCost[] {
  const { condition, values } = conditionOf(filter);
  return db
    .prepare(
      `select runs.at as at, model_cost.model as model, calls, input_tokens as inputTokens, output_tokens as outputTokens,
         cache_read_tokens as cacheReadTokens, cache_write_tokens as cacheWriteTokens,
         model_cost.actual_usd as actualUsd, model_cost.estimated_usd as estimatedUsd,
         model_cost.unpriced_calls as unpricedCalls, unpriced_reason as unpricedReason, runs.no as run
       from run_models model_cost join runs on runs.no = model_cost.run ${condition}`,
    )
    .all(...values) as unknown as RunModelCost[];
}

export interface RunModelCost extends ModelCost {
  readonly run: number;
  readonly at: string;
}

/** Runs with that id, an id that starts with it, or `suite/id`. */
export function findRuns({ db }: EvalIndex, id: string): IndexedRun[] {
  const exact = db.prepare(`select ${runColumns} from runs where run_id = ? or suite || '/' || run_id = ? limit 10`);
  const found = exact.all(id, id) as unknown as IndexedRun[];
  if (found.length > 0 || id.length < 4) return found;
  // A range rather than `like`: it uses the index, and no character of the id is special.
  const range = db.prepare(`select ${runColumns} from runs where run_id >= ? and run_id < ? limit 10`);
  return range.all(id, `${id}\u{10ffff}`) as unknown as IndexedRun[];
}

export function toLine({ no: _no, file: _file, contentSha: _sha, ...line }: IndexedRun): RunLine {
  // SQLite has no booleans.
  return { ...line, isPartial: Boolean(line.isPartial) };
}

const resultSorts = ["order", "name", "status", "duration", "cost", "score"] as const;
export type ResultSort = (typeof resultSorts)[number];

const sortColumns: Readonly<Record<ResultSort, string>> = {
  order: "ordinal",
  name: "cases.name",
  status: "status",
  duration: "duration_ms",
  cost: "usd",
  score: "score",
};

export interface ResultFilter {
  readonly status?: readonly ResultStatus[];
  readonly category?: string;
  /** Part of the case's name, case-insensitive. */
  readonly name?: string;
  /** Part of the output, the error or a failure, case-insensitive. */
  readonly text?: string;
  /** Only results whose score of this criterion is below the limit. */
  readonly below?: { readonly criterion: string; readonly limit: number };
  /** A tag, or a member of the result that the tool added: `language` with `de`. */
  readonly metadata?: { readonly key: string; readonly value: string };
}

export interface ResultQuery {
  /** 0-based. */
  readonly page?: number;
  readonly pageSize?: number;
  readonly filter?: ResultFilter;
  readonly sort?: ResultSort;
  readonly descending?: boolean;
  /** Only these, which the file was searched for. */
  readonly ordinals?: readonly number[];
}

export interface IndexedResult {
  readonly ordinal: number;
  readonly caseKey: string;
  readonly usd: number | null;
  readonly score: number | null;
}

export function pageOfResults({ db }: EvalIndex, run: number, query: ResultQuery) {
  const { filter = {}, sort = "order" } = query;
  const where = ["run = ?"];
  const values: Value[] = [run];
  if (filter.status && filter.status.length > 0) {
    where.push(`status in (${filter.status.map(() => "?").join(", ")})`);
    values.push(...filter.status.map((status) => resultStatuses.indexOf(status)));
  }
  if (filter.category !== undefined) {
    where.push("category = ?");
    values.push(filter.category);
  }
  if (filter.name) {
    where.push("instr(lower(cases.name), lower(?)) > 0");
    values.push(filter.name);
  }
  if (query.ordinals) where.push(`ordinal in (${query.ordinals.map(Math.trunc).join(", ")})`);
  const from = `from results join cases on cases.no = results.case_no where ${where.join(" and ")}`;
  const { matching } = db.prepare(`select count(*) as matching ${from}`).get(...values) as { matching: number };
  const pageSize = Math.min(Math.max(1, query.pageSize ?? 50), 500);
  const direction = query.descending ? "desc" : "asc";
  const rows = db
    .prepare(
      `select ordinal, cases.key as caseKey, usd, score ${from}
       order by ${sortColumns[sort]} ${direction} nulls last, ordinal limit ? offset ?`,
    )
    .all(...values, pageSize, (query.page ?? 0) * pageSize) as unknown as IndexedResult[];
  return { rows, matching, pageSize };
}

export interface HistoryPoint
  extends Pick<RunLine, "runId" | "suite" | "at" | "label" | "tier" | "attempt">,
    Pick<RunLine, "gitSha" | "gitBranch" | "promptSha" | "judgeKey" | "model" | "provider" | "variant"> {
  readonly caseKey: string;
  readonly name: string;
  readonly inputSha: string | null;
  readonly ordinal: number;
  readonly repeat: number;
  readonly status: ResultStatus;
  readonly durationMs: number | null;
  readonly usd: number | null;
  readonly score: number | null;
}

export interface HistoryQuery {
  readonly suite?: string;
  /** A case's name, or its key. */
  readonly case: string;
  readonly tier?: string;
  readonly limit?: number;
  /** Also the results under earlier names: cases with the same input that never ran together with it. */
  readonly withRenames?: boolean;
}

/** The case and those it was renamed from or to, as compare pairs them: other name, equal input. */
const renamedCases = `(cases.name = ? or cases.key = ? or cases.no in (
  select other.no from cases own join cases other
    on other.suite = own.suite and other.input_sha = own.input_sha and other.no != own.no
  where (own.name = ? or own.key = ?) and own.input_sha is not null and not exists (
    select 1 from results one join results two on two.run = one.run
    where one.case_no = own.no and two.case_no = other.no
  )
))`;

/** Newest first. */
export function caseHistory({ db }: EvalIndex, query: HistoryQuery): HistoryPoint[] {
  const where = [query.withRenames ? renamedCases : "(cases.name = ? or cases.key = ?)"];
  const values: Value[] = new Array(query.withRenames ? 4 : 2).fill(query.case);
  if (query.suite !== undefined) {
    where.push("cases.suite = ?");
    values.push(query.suite);
  }
  if (query.tier !== undefined) {
    where.push("runs.tier = ?");
    values.push(query.tier);
  }
  const rows = db
    .prepare(
      `select run_id as runId, cases.suite as suite, at, git_sha as gitSha, git_branch as gitBranch, prompt_sha as promptSha,
         judge_key as judgeKey, model, provider, variant, label, tier, attempt, cases.key as caseKey, cases.name as name,
         cases.input_sha as inputSha, ordinal, repeat, status, results.duration_ms as durationMs, usd, score
       from cases join results on results.case_no = cases.no join runs on runs.no = results.run
       where ${where.join(" and ")} order by at desc, runs.no desc, ordinal limit ?`,
    )
    .all(...values, Math.min(query.limit ?? 1000, 100_000)) as unknown as (Omit<HistoryPoint, "status"> & {
    status: number;
  })[];
  return rows.map((row) => ({ ...row, status: resultStatuses[row.status] ?? "error" }));
}
