/**
 * The functions of schema `api` from the catalogue, read once, and again when a call matches none.
 *
 * - `functions()` the known ones; reads the catalogue on first use.
 * - `refresh()` reads it again, at most once per second: a flood of wrong names costs one query.
 */
import type { Clock } from "@devflow/core/clock";
import type { Database } from "@devflow/db";
import type { ApiFunction } from "./resolve-function.ts";

export interface FunctionCatalogue {
  functions(): Promise<readonly ApiFunction[]>;
  /** True when it was read again. */
  refresh(): Promise<boolean>;
}

const refreshPauseMs = 1000;

export function functionCatalogue(database: Pick<Database, "sql">, clock: Clock): FunctionCatalogue {
  let known: Promise<readonly ApiFunction[]> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  const read = () => {
    readAt = clock.now();
    const reading = readFunctions(database);
    known = reading;
    // A failed read must not be cached; its callers get the error.
    reading.catch(() => {
      if (known === reading) known = undefined;
    });
    return reading;
  };

  return {
    functions: () => known ?? read(),
    async refresh() {
      if (known && clock.now() - readAt < refreshPauseMs) return false;
      await read();
      return true;
    },
  };
}

/**
 * Excluded, because they cannot be called by argument names: triggers, procedures, variadic functions and functions with
 * unnamed arguments. Input arguments are those of mode i and b; the last `pronargdefaults` of them have defaults.
 */
async function readFunctions({ sql }: Pick<Database, "sql">): Promise<readonly ApiFunction[]> {
  const rows = await sql<{ functions: ApiFunction[] }[]>`
    select coalesce(json_agg(json_build_object(
        'name', p.proname,
        'args', coalesce(input.args, '[]'::json),
        'result', case
          when p.prorettype = 'void'::regtype then 'void'
          when t.typtype = 'c' or p.prorettype = 'record'::regtype or p.proargmodes::text[] && '{t,b,o}' then 'row'
          else 'scalar' end,
        'isSet', p.proretset,
        'isReadOnly', p.provolatile <> 'v',
        'roles', (
          select coalesce(json_agg(role), '[]'::json) from unnest(array['anon', 'authenticated']) as role
          where has_function_privilege(role, p.oid, 'execute'))
      ) order by p.proname, p.oid), '[]'::json) as functions
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace and n.nspname = 'api'
    join pg_catalog.pg_type t on t.oid = p.prorettype
    cross join lateral (
      select json_agg(json_build_object(
          'name', a.name,
          'type', pg_catalog.format_type(a.type, null),
          'required', a.place <= p.pronargs - p.pronargdefaults
        ) order by a.place) as args,
        coalesce(bool_and(coalesce(a.name, '') <> ''), true) as all_named
      from (
        select x.name, x.type, row_number() over (order by x.place) as place
        from unnest(
          p.proargnames,
          coalesce(p.proallargtypes, p.proargtypes::oid[]),
          p.proargmodes
        ) with ordinality as x(name, type, mode, place)
        where coalesce(x.mode, 'i') in ('i', 'b')
      ) a
    ) input
    where p.prokind = 'f' and p.provariadic = 0 and p.prorettype <> 'trigger'::regtype and input.all_named`;
  return rows[0]?.functions ?? [];
}
