/**
 * What must be known about a database before changing it.
 *
 * - `inspectServer(sql, database)` version, the role's privileges, the ledger, and other content.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Statement } from "./line.ts";
import { findLedger, type Ledger } from "./migrate.ts";
import { oldestMajor } from "./postgres/binaries.ts";

export interface ServerFacts {
  readonly database: string;
  readonly version: string;
  readonly kind: "embedded" | "system";
  readonly role: { readonly name: string; readonly isPrivileged: boolean; readonly ownsApp: boolean };
  readonly ledger: Ledger | undefined;
  /** True when a pooler is between us and Postgres. */
  readonly isPooled: boolean;
  /** An example of foreign content; undefined when there is none, or when the database is ours. */
  readonly foreign: string | undefined;
  /** False when existing objects have our names, so that the database cannot be shared. */
  readonly mayAdopt: boolean;
}

export async function inspectServer(sql: Statement, database: string): Promise<ServerFacts> {
  const about = sql<
    {
      version: string;
      number: number;
      kind: string | null;
      role: string;
      privileged: boolean;
      owner: boolean | null;
      pid: number;
      isStandby: boolean;
      isReadOnly: boolean;
    }[]
  >`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
           current_setting('devflow.kind', true) as kind, rolname as role,
           rolsuper or rolbypassrls or rolcreaterole as privileged,
           (select nspowner = r.oid from pg_namespace where nspname = 'app') as owner,
           pg_backend_pid() as pid, pg_is_in_recovery() as "isStandby",
           current_setting('transaction_read_only') = 'on' as "isReadOnly"
    from pg_roles r where rolname = current_user`;
  // Sent together with it, and second: a failed login is reported to the first.
  const ledgerSoon = findLedger(sql);
  ledgerSoon.catch(() => {});
  const answer = await about;
  const [row] = answer;
  const version = /^\d+(\.\d+)?/.exec(row?.version ?? "")?.[0] ?? "";
  if ((row?.number ?? 0) < oldestMajor * 10_000) {
    throw new DevflowError("db_too_old", { details: { found: version } });
  }
  if (row?.isStandby || row?.isReadOnly) {
    ledgerSoon.catch(() => {});
    throw readOnly(
      database,
      row.isStandby ? "it is a standby server" : `${row.role} has default_transaction_read_only`,
    );
  }
  const known = await ledgerSoon;
  const seen = known ? undefined : await firstForeign(sql);
  // Another Devflow may have initialized it between the two reads: then the content is its own.
  const ledger = known ?? (seen ? await findLedger(sql) : undefined);
  const foreign = ledger ? undefined : seen;
  return {
    database,
    version,
    kind: row?.kind === "system" ? "system" : "embedded",
    role: { name: row?.role ?? "", isPrivileged: row?.privileged ?? false, ownsApp: row?.owner ?? false },
    ledger,
    // A pooler invents the pid that it announces; Postgres announces its own.
    isPooled: row !== undefined && answer.state.pid !== row.pid,
    foreign: foreign?.sample,
    mayAdopt: !foreign?.isOurName,
  };
}

function readOnly(database: string, reason: string): DevflowError {
  return new DevflowError("db_read_only", { details: { database, reason } });
}

/** Schemas that Supabase fills; only skipped if its administrator role exists. */
const platformSchemas = [
  "auth",
  "extensions",
  "graphql",
  "graphql_public",
  "net",
  "pgbouncer",
  "pgsodium",
  "pgsodium_masks",
  "realtime",
  "_realtime",
  "storage",
  "supabase_functions",
  "supabase_migrations",
  "_analytics",
  "vault",
  "cron",
  "pgmq",
];

async function firstForeign(sql: Statement): Promise<{ sample: string; isOurName: boolean } | undefined> {
  const [row] = await sql<{ sample: string; ours: boolean }[]>`
    with platform as (
      select unnest(string_to_array(${platformSchemas.join(" ")}, ' ')) as name
      from pg_roles where rolname = 'supabase_admin'
    ), schemas as (
      select n.oid, n.nspname from pg_namespace n
      where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and n.nspname not in (select name from platform)
    ), things as (
      select 'schema ' || s.nspname as sample, true as ours from schemas s where s.nspname in ('app', 'api', 'devflow')
      union all
      select s.nspname || '.' || c.relname, false
      from pg_class c join schemas s on s.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
      union all
      select s.nspname || '.' || p.proname || '()', false
      from pg_proc p join schemas s on s.oid = p.pronamespace
      where not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    )
    select sample, ours from things order by ours desc, sample limit 1`;
  return row && { sample: row.sample, isOurName: row.ours };
}
