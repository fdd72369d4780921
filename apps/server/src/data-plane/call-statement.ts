/**
 * The SQL statement of a call. Postgres reads the arguments from JSON and writes the JSON of the result, so that Postgres
 * itself converts every type, and nothing is parsed in between.
 *
 * - `callStatement(fn, given, shape, maxRows)` text and values. Its one row is `body`, `rows` and `total`.
 */
import type { ApiFunction } from "./resolve-function.ts";
import { filterSql, quoteName } from "./result-filter.ts";
import type { ResultShape, SelectedColumn, SortKey } from "./result-shape.ts";

export interface CallStatement {
  readonly text: string;
  /** Values after $1, which is the JSON of the arguments. Their types are left to Postgres. */
  readonly values: readonly string[];
}

export interface CallRow {
  readonly body: string;
  readonly rows: number;
  readonly total: number | null;
}

export function callStatement(
  fn: ApiFunction,
  given: readonly string[],
  shape: ResultShape,
  maxRows: number,
): CallStatement {
  const values: string[] = [];
  const bind = (value: string) => `$${values.push(value) + 1}`;
  const call = `select f.* from ${source(fn, given)}`;
  if (fn.result === "void") {
    return {
      text: `with call as materialized (${call}) select '' as body, 0 as rows, null as total from call`,
      values,
    };
  }
  const where = shape.filters.map((filter) => filterSql(filter, bind)).join(" and ");
  const condition = where ? ` where ${where}` : "";
  const page = [
    `select ${selection(fn, shape.select)} from call${condition}`,
    shape.order.length > 0 ? ` order by ${shape.order.map(sortSql).join(", ")}` : "",
    fn.isSet || shape.limit !== undefined ? ` limit ${bind(String(Math.min(shape.limit ?? maxRows, maxRows)))}` : "",
    shape.offset > 0 ? ` offset ${bind(String(shape.offset))}` : "",
  ].join("");
  const total = shape.withTotal ? `(select count(*)::int from call${condition})` : "null::int";
  const text = `with call as materialized (${call}), page as (${page}) select ${body(fn, shape)} as body, count(*)::int as rows, ${total} as total from page`;
  return { text, values };
}

/** Arguments by name, converted from JSON by Postgres; missing ones keep the function's default. */
function source(fn: ApiFunction, given: readonly string[]): string {
  const args = fn.args.filter((arg) => given.includes(arg.name));
  const alias = fn.result === "row" ? "f" : 'f("value")';
  const named = args.map((arg) => `${quoteName(arg.name)} => a.${quoteName(arg.name)}`).join(", ");
  const call = `api.${quoteName(fn.name)}(${named}) as ${alias}`;
  // $1 is used in either case, so that it always has a type.
  if (args.length === 0) return `(select $1::text) as a, lateral ${call}`;
  const columns = args.map((arg) => `${quoteName(arg.name)} ${arg.type}`).join(", ");
  return `json_to_record($1::text::json) as a(${columns}), lateral ${call}`;
}

function selection(fn: ApiFunction, select: readonly SelectedColumn[] | undefined): string {
  if (!select || fn.result !== "row") return "call.*";
  return select
    .map(({ column, alias, cast }) => {
      const value = `call.${quoteName(column)}${cast ? `::${cast}` : ""}`;
      return `${value} as ${quoteName(alias ?? column)}`;
    })
    .join(", ");
}

function body(fn: ApiFunction, shape: ResultShape): string {
  const item = fn.result === "row" ? "page" : 'page."value"';
  const list = shape.stripNulls ? `json_strip_nulls(json_agg(${item}))` : `json_agg(${item})`;
  const isList = fn.isSet && !shape.single;
  return isList ? `coalesce(${list}, '[]')::text` : `coalesce(${list} -> 0, 'null')::text`;
}

function sortSql({ column, direction, nulls }: SortKey): string {
  return `call.${quoteName(column)} ${direction}${nulls ? ` nulls ${nulls}` : ""}`;
}
