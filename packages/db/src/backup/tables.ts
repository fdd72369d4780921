/**
 * The tables of schema `app` for a backup: in an order in which they can be filled.
 *
 * - `appTables(sql)` each with its stored columns and a row order that is the same on every server.
 * - `appSequences(sql)` the current value of each sequence.
 * - `inDependencyOrder(tables)` pure: a table comes after all tables it references.
 * - `unloggedTables(sql)` the names of those that no backup contains: Postgres itself empties them after a crash.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Transaction } from "../connection-target.ts";

export interface AppTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly orderBy: string;
  readonly refersTo: readonly string[];
  readonly hasTriggers: boolean;
}

export interface AppSequence {
  readonly name: string;
  readonly value: string;
  readonly isCalled: boolean;
}

export async function appTables(tx: Transaction): Promise<AppTable[]> {
  // A reference that is checked at the end of the transaction needs no order: loading is one transaction.
  // Text is compared by its bytes ("C"); with another collation the same rows would have another hash.
  const rows = await tx<AppTable[]>`
    select c.relname as name,
      (select json_agg(quote_ident(a.attname) order by a.attnum) from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      coalesce((select string_agg(quote_ident(a.attname) || case when a.attcollation <> 0 then ' collate "C"' else '' end,
                                  ', ' order by k.place)
                from pg_index i cross join unnest(i.indkey::int2[]) with ordinality as k (attnum, place)
                join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
                where i.indrelid = c.oid and i.indisprimary), 't.*::text collate "C"') as "orderBy",
      coalesce((select json_agg(distinct f.relname) from pg_constraint x join pg_class f on f.oid = x.confrelid
                where x.conrelid = c.oid and x.contype = 'f' and f.oid <> c.oid and not x.condeferred), '[]'::json) as "refersTo",
      exists (select from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal) as "hasTriggers"
    from pg_class c
    where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
    order by c.relname collate "C"`;
  return inDependencyOrder(rows);
}

/** Unlogged tables: what they hold is true for minutes only, so no backup contains it and a restore empties them. */
export async function unloggedTables(tx: Transaction): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'app'::regnamespace and relkind = 'r' and relpersistence = 'u' order by relname collate "C"`;
  return rows.map((row) => row.name);
}

export async function appSequences(tx: Transaction): Promise<AppSequence[]> {
  const names = await tx<{ name: string; quoted: string }[]>`
    select relname as name, oid::regclass::text as quoted from pg_class
    where relnamespace = 'app'::regnamespace and relkind = 'S' order by relname collate "C"`;
  const found: AppSequence[] = [];
  for (const { name, quoted } of names) {
    const [row] = await tx.unsafe<{ value: string; isCalled: boolean }[]>(
      `select last_value::text as value, is_called as "isCalled" from ${quoted}`,
    );
    if (row) found.push({ name, value: row.value, isCalled: row.isCalled });
  }
  return found;
}

export function inDependencyOrder<T extends { readonly name: string; readonly refersTo: readonly string[] }>(
  tables: readonly T[],
): T[] {
  const ordered: T[] = [];
  const waiting = [...tables];
  while (waiting.length > 0) {
    const isFree = (one: T) => !waiting.some((other) => other !== one && one.refersTo.includes(other.name));
    const next = waiting.findIndex(isFree);
    if (next < 0) {
      const names = waiting.map((one) => one.name).join(", ");
      throw new DevflowError("internal_state_corruption", {
        details: { problem: `tables reference each other in a cycle: ${names}` },
      });
    }
    ordered.push(...waiting.splice(next, 1));
  }
  return ordered;
}
