/** Search parameters of the team's screens. Invalid values are dropped, not reported. */
import { recordChoices } from "@devflow/protocol";

type Raw = Record<string, unknown>;

export interface MetricSearch {
  /** Days back from today. */
  readonly days?: number | undefined;
  readonly suite?: string | undefined;
  readonly branch?: string | undefined;
  readonly model?: string | undefined;
}

/** The records behind a number. */
export interface RecordsSearch {
  readonly kind?: string | undefined;
  readonly by?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly suite?: string | undefined;
  readonly case?: string | undefined;
  readonly model?: string | undefined;
  readonly category?: string | undefined;
  readonly reviewer?: string | undefined;
  readonly url?: string | undefined;
  readonly which?: (typeof recordChoices)[number] | undefined;
}

/** The router parses `?suite=42` as a number; a name is text. */
function text(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value.slice(0, 2000) : undefined;
}
const day = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;

export const spans = [7, 30, 90, 365] as const;

export function metricSearch(raw: Raw): MetricSearch {
  const days = spans.find((one) => one === Number(raw.days));
  return { days, suite: text(raw.suite), branch: text(raw.branch), model: text(raw.model) };
}

export function recordsSearch(raw: Raw): RecordsSearch {
  const by = text(raw.by);
  return {
    kind: text(raw.kind),
    by: by !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(by) ? by : undefined,
    since: day(raw.since),
    until: day(raw.until),
    suite: text(raw.suite),
    case: text(raw.case),
    model: text(raw.model),
    category: text(raw.category),
    reviewer: text(raw.reviewer),
    url: text(raw.url),
    which: recordChoices.find((one) => one === raw.which),
  };
}
