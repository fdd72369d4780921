/** Search parameters of the eval screens. Invalid values are dropped, not reported. */
import { type EvalResultSort, evalResultSorts, evalStatuses } from "@devflow/protocol";

type Raw = Record<string, unknown>;

/** The router parses `?label=42` as a number; a name is text. */
function text(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value.slice(0, 2000) : undefined;
}
const flag = (value: unknown): true | undefined =>
  value === true || value === "true" || value === 1 ? true : undefined;

export interface EvalFilter {
  readonly suite?: string | undefined;
  readonly tier?: string | undefined;
  readonly branch?: string | undefined;
  readonly label?: string | undefined;
  readonly sha?: string | undefined;
  readonly failed?: true | undefined;
}

export function evalsSearch(raw: Raw): EvalFilter {
  return {
    suite: text(raw.suite),
    tier: text(raw.tier),
    branch: text(raw.branch),
    label: text(raw.label),
    sha: text(raw.sha),
    failed: flag(raw.failed),
  };
}

export interface ResultsSearch {
  /** Joined by commas. */
  readonly status?: string | undefined;
  readonly category?: string | undefined;
  readonly q?: string | undefined;
  /** In outputs and problems. */
  readonly text?: string | undefined;
  /** `key=value`, or `tag=…`. */
  readonly metadata?: string | undefined;
  /** Only results whose score of this criterion is below `below`. */
  readonly criterion?: string | undefined;
  readonly below?: number | undefined;
  /** `duration` or `-duration`. */
  readonly sort?: string | undefined;
  /** 0-based. */
  readonly page?: number | undefined;
}

export function resultsSearch(raw: Raw): ResultsSearch {
  const status = text(raw.status)
    ?.split(",")
    .filter((word) => (evalStatuses as readonly string[]).includes(word))
    .join(",");
  const sort = text(raw.sort);
  const isSort = evalResultSorts.includes((sort ?? "").replace(/^-/, "") as EvalResultSort);
  const page = Number(raw.page);
  return {
    status: status || undefined,
    category: text(raw.category),
    q: text(raw.q),
    text: text(raw.text),
    metadata: text(raw.metadata)?.includes("=") ? text(raw.metadata) : undefined,
    criterion: text(raw.criterion),
    below: Number.isFinite(Number(raw.below)) && raw.below !== undefined ? Number(raw.below) : undefined,
    sort: isSort ? sort : undefined,
    page: Number.isInteger(page) && page > 0 ? page : undefined,
  };
}

/** One result: its run and its position in the run. */
export interface Place {
  readonly run: string;
  readonly ordinal: number;
}

/** `<ordinal>@<ref>`: the number comes first, since a run's name may contain `@`. */
export const placeText = ({ run, ordinal }: Place): string => `${ordinal}@${run}`;

export function parsePlace(given: string | undefined): Place | undefined {
  const [, ordinal, run] = /^(\d{1,9})@(.+)$/s.exec(given ?? "") ?? [];
  return run === undefined ? undefined : { run, ordinal: Number(ordinal) };
}

export interface CaseSearch {
  readonly tier?: string | undefined;
  readonly a?: string | undefined;
  readonly b?: string | undefined;
}

export function caseSearch(raw: Raw): CaseSearch {
  return { tier: text(raw.tier), a: text(raw.a), b: text(raw.b) };
}

export interface CompareSearch {
  readonly suite?: string | undefined;
  readonly tier?: string | undefined;
  /** `commit:<sha>` or a run's ref. */
  readonly a?: string | undefined;
  readonly b?: string | undefined;
  readonly mixJudges?: true | undefined;
}

export function compareSearch(raw: Raw): CompareSearch {
  return { ...suiteSearch(raw), a: text(raw.a), b: text(raw.b), mixJudges: flag(raw.mixJudges) };
}

export function suiteSearch(raw: Raw): { suite?: string | undefined; tier?: string | undefined } {
  return { suite: text(raw.suite), tier: text(raw.tier) };
}

export interface TrendSearch {
  readonly suite?: string | undefined;
  readonly tier?: string | undefined;
  /** The model and prompt variant. */
  readonly variant?: string | undefined;
}

export function trendSearch(raw: Raw): TrendSearch {
  return { ...suiteSearch(raw), variant: text(raw.variant) };
}

export interface CostSearch {
  readonly suite?: string | undefined;
  readonly tier?: string | undefined;
  /** Days back from today. */
  readonly days?: number | undefined;
}

export function costSearch(raw: Raw): CostSearch {
  const days = Number(raw.days);
  return { ...suiteSearch(raw), days: Number.isInteger(days) && days > 0 && days <= 3650 ? days : undefined };
}
