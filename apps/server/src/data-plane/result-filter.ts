/**
 * Filters on a result, `column=operator.value`, and their SQL.
 *
 * - `parseFilter(name, text)` the filter; undefined when the text has no operator; an unsupported operator is refused,
 *   because an ignored filter would return rows that were not requested.
 * - `filterSql(filter, bind)` the condition; values go through `bind` and never into the text.
 */
import { Refusal } from "./failure.ts";

const comparisons = {
  eq: "=",
  neq: "<>",
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<=",
  like: "like",
  ilike: "ilike",
} as const;
type Comparison = keyof typeof comparisons;

const truths = { null: "null", not_null: "not null", true: "true", false: "false", unknown: "unknown" } as const;
type Truth = keyof typeof truths;

export interface Filter {
  readonly column: string;
  readonly negated: boolean;
  readonly test:
    | { readonly operator: Comparison; readonly value: string }
    | { readonly operator: "is"; readonly value: Truth }
    | { readonly operator: "in"; readonly values: readonly string[] };
}

/** PostgREST's other operators, so that a call with one is refused and not taken for an argument. */
const unsupported = new Set("match imatch fts plfts phfts wfts cs cd ov sl sr nxr nxl adj isdistinct".split(" "));

export function parseFilter(column: string, text: string): Filter | undefined {
  if (column === "and" || column === "or" || column === "not.and" || column === "not.or") {
    throw refused(`the logical filter "${column}"`);
  }
  const match = /^(not\.)?([a-z]+)(?:\((?:any|all|[a-z_]+)\))?\.([\s\S]*)$/.exec(text);
  const operator = match?.[2];
  if (!match || operator === undefined) return undefined;
  if (unsupported.has(operator)) throw refused(`the filter operator "${operator}"`);
  const known = Object.hasOwn(comparisons, operator) || operator === "is" || operator === "in";
  if (!known) return undefined;
  if (text.slice((match[1] ?? "").length + operator.length).startsWith("(")) {
    throw refused(`the filter "${text}"`);
  }
  if (!/^[\p{L}_][\p{L}\p{N}_ ]*$/u.test(column)) throw refused(`a filter on "${column}"`);
  return { column, negated: match[1] !== undefined, test: testOf(operator, match[3] ?? "") };
}

function testOf(operator: string, value: string): Filter["test"] {
  if (operator === "is") {
    const truth = value.toLowerCase();
    if (!Object.hasOwn(truths, truth)) throw refused(`"is.${value}"`);
    return { operator, value: truth as Truth };
  }
  if (operator === "in") return { operator, values: listOf(value) };
  // `*` means `%`, which would have to be escaped in a URL.
  const isPattern = operator === "like" || operator === "ilike";
  return { operator: operator as Comparison, value: isPattern ? value.replaceAll("*", "%") : value };
}

/** `(a,"b,c",d)`; a quoted value may contain commas, parentheses and, escaped, quotes. */
function listOf(text: string): string[] {
  if (!text.startsWith("(") || !text.endsWith(")")) throw refused(`"in.${text}", which needs parentheses,`);
  const inner = text.slice(1, -1);
  if (inner === "") return [];
  const values: string[] = [];
  const item = /(?:"((?:[^"\\]|\\.)*)"|([^,"]*))(,|$)/gy;
  let end = false;
  while (!end) {
    const match = item.exec(inner);
    if (!match) throw refused(`"in.${text}"`);
    values.push(match[1] === undefined ? (match[2] ?? "") : match[1].replace(/\\(.)/g, "$1"));
    end = match[3] === "";
  }
  if (values.length > 1000) throw refused("a list of more than 1000 values");
  return values;
}

export function filterSql(filter: Filter, bind: (value: string) => string): string {
  const column = `call.${quoteName(filter.column)}`;
  const { test } = filter;
  const condition =
    test.operator === "is"
      ? `${column} is ${truths[test.value]}`
      : test.operator === "in"
        ? `${column} = any (${bind(arrayLiteral(test.values))})`
        : `${column} ${comparisons[test.operator]} ${bind(test.value)}`;
  return filter.negated ? `not (${condition})` : condition;
}

function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/[\\"]/g, "\\$&")}"`).join(",")}}`;
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function refused(what: string): Refusal {
  return new Refusal(400, {
    code: "PGRST100",
    message: `This server does not support ${what} on the result of a function.`,
    hint: "Supported: eq, neq, gt, gte, lt, lte, like, ilike, is, in, each with not.",
  });
}
