/**
 * The form of the result that a caller wants: rows, columns, order, limit and JSON format.
 *
 * - `resultShapeOf({ method, headers, parameters })` the shape and, for GET, the arguments found in the query string.
 *   Unsupported options are refused with PGRST100 or PGRST107; nothing in a query string is ever ignored.
 */
import { Refusal } from "./failure.ts";
import { type Filter, parseFilter } from "./result-filter.ts";

export interface SelectedColumn {
  readonly column: string;
  readonly alias: string | undefined;
  readonly cast: string | undefined;
}

export interface SortKey {
  readonly column: string;
  readonly direction: "asc" | "desc";
  readonly nulls: "first" | "last" | undefined;
}

export interface ResultShape {
  readonly select: readonly SelectedColumn[] | undefined;
  readonly filters: readonly Filter[];
  readonly order: readonly SortKey[];
  readonly limit: number | undefined;
  readonly offset: number;
  readonly withTotal: boolean;
  /** Exactly one row, as an object. */
  readonly single: boolean;
  readonly stripNulls: boolean;
  /** `Prefer: return=minimal`: run it, send no body. */
  readonly minimal: boolean;
}

export interface ShapedRequest {
  readonly shape: ResultShape;
  readonly queryArguments: Readonly<Record<string, string>>;
}

/** No legitimate query has more filters, columns or sort keys than this. */
const maxParts = 50;

export function resultShapeOf(request: {
  readonly method: string;
  readonly headers: Headers;
  readonly parameters: URLSearchParams;
}): ShapedRequest {
  const { method, headers, parameters } = request;
  const isRead = method !== "POST";
  const filters: Filter[] = [];
  const queryArguments: Record<string, string> = {};
  for (const [name, value] of parameters) {
    if (reserved.has(name)) continue;
    const filter = parseFilter(name, value);
    if (filter) filters.push(filter);
    else if (isRead && !Object.hasOwn(queryArguments, name)) queryArguments[name] = value;
    else
      throw badQuery(`"${name}=${value}" is neither a filter nor an option`, "Write a filter as column=operator.value");
  }
  if (filters.length > maxParts) throw badQuery(`more than ${maxParts} filters`, null);
  const prefer = preferencesOf(headers.get("prefer"));
  const range = rangeOf(headers.get("range"));
  const limit = whole("limit", parameters.get("limit")) ?? range?.limit;
  const offset = whole("offset", parameters.get("offset")) ?? range?.offset ?? 0;
  return {
    queryArguments,
    shape: {
      select: selectOf(parameters.get("select")),
      filters,
      order: orderOf(parameters.get("order")),
      limit,
      offset,
      withTotal: prefer.get("count") !== undefined,
      minimal: prefer.get("return") === "minimal",
      ...acceptedForm(headers.get("accept")),
    },
  };
}

const reserved = new Set(["select", "order", "limit", "offset"]);

function acceptedForm(accept: string | null): { single: boolean; stripNulls: boolean } {
  const wanted = (accept ?? "*/*").split(",").map((one) => one.trim().toLowerCase());
  for (const one of wanted) {
    const [type = "", ...settings] = one.split(";").map((part) => part.trim());
    const stripNulls = settings.includes("nulls=stripped");
    if (type === "application/vnd.pgrst.object+json" || type === "application/vnd.pgrst.object") {
      return { single: true, stripNulls };
    }
    if (["application/vnd.pgrst.array+json", "application/json", "application/*", "*/*", ""].includes(type)) {
      return { single: false, stripNulls };
    }
  }
  throw new Refusal(406, {
    code: "PGRST107",
    message: `None of these media types are available: ${accept}`,
    hint: "Request application/json.",
  });
}

function preferencesOf(prefer: string | null): Map<string, string> {
  const preferences = new Map<string, string>();
  for (const one of (prefer ?? "").split(",")) {
    const [name = "", value = ""] = one.trim().split("=");
    if (name) preferences.set(name.toLowerCase(), value.toLowerCase());
  }
  const count = preferences.get("count");
  // A query plan cannot estimate a function's rows, so every kind of count is exact.
  if (count !== undefined && !["exact", "planned", "estimated"].includes(count)) preferences.delete("count");
  return preferences;
}

function rangeOf(header: string | null): { offset: number; limit: number | undefined } | undefined {
  const match = /^(?:items=)?(\d{1,15})-(\d{0,15})$/.exec(header ?? "");
  if (!match?.[1]) return undefined;
  const offset = Number(match[1]);
  if (!match[2]) return { offset, limit: undefined };
  const last = Number(match[2]);
  if (last < offset) throw outOfRange(`The lower boundary ${offset} is above the upper one ${last}.`);
  return { offset, limit: last - offset + 1 };
}

function whole(name: string, text: string | null): number | undefined {
  if (text === null) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw badQuery(`${name}=${text} is not a whole number`, null);
  return Number(text);
}

function selectOf(text: string | null): SelectedColumn[] | undefined {
  const list = text?.trim();
  if (!list || list === "*") return undefined;
  return parts(list, "select").map((part) => {
    const match = /^(?:([\p{L}_][\p{L}\p{N}_ ]*):)?([\p{L}_][\p{L}\p{N}_ ]*)(?:::([a-z][a-z0-9_]*(?:\[\])?))?$/u.exec(
      part,
    );
    if (!match?.[2]) {
      throw badQuery(`select cannot read "${part}"`, "Use plain columns: select=column,alias:column,column::type");
    }
    return { column: match[2], alias: match[1], cast: match[3] };
  });
}

function orderOf(text: string | null): SortKey[] {
  if (!text) return [];
  return parts(text, "order").map((part) => {
    const match = /^([\p{L}_][\p{L}\p{N}_ ]*?)(?:\.(asc|desc))?(?:\.nulls(first|last))?$/u.exec(part);
    if (!match?.[1]) {
      throw badQuery(`order cannot read "${part}"`, "Use plain columns: order=column.desc.nullslast");
    }
    return {
      column: match[1],
      direction: match[2] === "desc" ? "desc" : "asc",
      nulls: match[3] as SortKey["nulls"],
    };
  });
}

function parts(text: string, what: string): string[] {
  const found = text.split(",").map((part) => part.trim().replace(/^"(.*)"$/, "$1"));
  if (found.length > maxParts) throw badQuery(`${what} names more than ${maxParts} columns`, null);
  return found;
}

export function outOfRange(details: string): Refusal {
  return new Refusal(416, { code: "PGRST103", message: "Requested range not satisfiable", details });
}

function badQuery(problem: string, hint: string | null): Refusal {
  return new Refusal(400, { code: "PGRST100", message: `The query string cannot be read: ${problem}.`, hint });
}
