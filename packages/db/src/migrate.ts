/**
 * Brings a database to this program's schema: forward only, each migration in its own transaction.
 *
 * - `readLedger(sql)`, `findLedger(sql)` what has been applied; undefined if Devflow has never used the database.
 * - `planMigrations(ledger, known)` what is missing; throws `schema_newer` or `migration_changed`.
 * - `applyMigrations(line, log)` applies what is missing. Any number of processes may do so at once.
 *
 * The ledger is in schema `devflow`, separate from the product's tables.
 */
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import type { Log } from "@devflow/core/log";
import { retryClusterRace } from "./cluster-race.ts";
import type { Transaction } from "./connection-target.ts";
import type { Line, Statement } from "./line.ts";
import { ledgerSql, type Migration, migrations, platform } from "./migrations.ts";

export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly hash: string;
}
export interface Ledger {
  readonly applied: readonly AppliedMigration[];
  readonly platformHash: string | undefined;
}

/** Guards the ledger; a transaction lock, so that it also works behind a pooler. */
const lockKey = "devflow.migrations";

export async function applyMigrations(
  line: Line,
  log: Log,
  known: readonly Migration[] = migrations,
): Promise<string[]> {
  const applied: string[] = [];
  await retryClusterRace(() => line.transaction((tx) => preparePlatform(tx)));
  for (;;) {
    const name = await line.transaction((tx) => applyNext(tx, known));
    if (name === undefined) return applied;
    applied.push(name);
    log.info({ migration: name }, "migration applied");
  }
}

export function planMigrations(ledger: Ledger | undefined, known: readonly Migration[] = migrations): Migration[] {
  const applied = new Map((ledger?.applied ?? []).map((one) => [one.number, one]));
  const newest = known.at(-1);
  const unknown = [...applied.values()].filter((one) => one.number > (newest?.number ?? 0)).at(-1);
  if (unknown) {
    throw new DevflowError("schema_newer", { details: { found: unknown.name, ours: newest?.name ?? "none" } });
  }
  for (const migration of known) {
    const before = applied.get(migration.number);
    if (before && before.hash !== hashBytes(migration.sql)) {
      throw new DevflowError("migration_changed", { details: { name: migration.name } });
    }
  }
  return known.filter((migration) => !applied.has(migration.number));
}

export async function readLedger(sql: Statement): Promise<Ledger | undefined> {
  const [there] = await sql`select to_regclass('devflow.migrations') is not null as there`;
  return there?.there ? await ledgerRow(sql) : undefined;
}

/** The same in one round trip. Not inside a transaction, because the statement fails if there is no ledger. */
export async function findLedger(sql: Statement): Promise<Ledger | undefined> {
  try {
    return await ledgerRow(sql);
  } catch (error) {
    if ((error as { code?: string }).code === "42P01") return undefined;
    throw error;
  }
}

async function ledgerRow(sql: Statement): Promise<Ledger> {
  const [row] = await sql<{ applied: AppliedMigration[] | null; platform: string | null }[]>`
    select (select json_agg(json_build_object('number', m.number, 'name', m.name, 'hash', m.hash) order by m.number)
            from devflow.migrations m) as applied,
           (select p.hash from devflow.platform p) as platform`;
  return { applied: row?.applied ?? [], platformHash: row?.platform ?? undefined };
}

const platformHash = hashBytes(platform);

/** Changes whenever the schema of this program changes. */
export const schemaHash = hashBytes([platform, ...migrations.map((one) => one.sql)].join("\0"));

export function isUpToDate(ledger: Ledger | undefined): boolean {
  return planMigrations(ledger).length === 0 && ledger?.platformHash === platformHash;
}

async function preparePlatform(tx: Transaction): Promise<void> {
  await lock(tx);
  const ledger = await readLedger(tx);
  planMigrations(ledger);
  if (ledger?.platformHash === platformHash) return;
  await tx.unsafe(platform);
  await tx.unsafe(ledgerSql);
  await tx`
    insert into devflow.platform (hash) values (${platformHash})
    on conflict (only_row) do update set hash = excluded.hash`;
}

async function applyNext(tx: Transaction, known: readonly Migration[]): Promise<string | undefined> {
  await lock(tx);
  const [next] = planMigrations(await readLedger(tx), known);
  if (!next) return undefined;
  await tx.unsafe(next.sql);
  await tx`
    insert into devflow.migrations (number, name, hash) values (${next.number}, ${next.name}, ${hashBytes(next.sql)})`;
  return next.name;
}

async function lock(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${lockKey}, 0))`;
}
