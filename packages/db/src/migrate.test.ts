/** Migrations in the situations of an operator: concurrent, repeated, changed, newer, incomplete. */
import { afterAll, describe, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { hashBytes } from "@devflow/core/hash";
import { postgresFolder, quietLog, testClone } from "@devflow/testkit";
import { startPostgres } from "./embedded-postgres.ts";
import { connectAsAdmin, openDatabase, pendingMigrations } from "./index.ts";
import { openLine } from "./line.ts";
import { applyMigrations, planMigrations, readLedger } from "./migrate.ts";
import { type Migration, migrations } from "./migrations.ts";

// Keeps the cluster for the whole file.
const keep = await testClone();
afterAll(() => keep.drop());

const folder = new URL("../migrations/", import.meta.url);
const extra = (number: number, sql: string): Migration => ({
  number,
  name: `${String(number).padStart(4, "0")}_later`,
  sql,
});

async function onEmpty(work: (target: Awaited<ReturnType<typeof testClone>>) => Promise<void>): Promise<void> {
  const clone = await testClone({ migrated: false });
  try {
    await work(clone);
  } finally {
    await clone.drop();
  }
}

/** A migration that this Devflow does not have. */
const next = (migrations.at(-1)?.number ?? 0) + 1;
const nextName = `${String(next).padStart(4, "0")}_later`;

describe("the list of migrations", () => {
  test("matches the folder, each with the number of its file", async () => {
    const files = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
    expect(migrations.map((one) => `${one.name}.sql`)).toEqual(files);
    expect(migrations.map((one) => one.number)).toEqual(files.map((name) => Number.parseInt(name, 10)));
    for (const { name, number, sql } of migrations) {
      expect(name).toStartWith(String(number).padStart(4, "0"));
      expect(sql).toBe(await readFile(new URL(`${name}.sql`, folder), "utf8"));
    }
  });

  test("needs no extension that a platform may lack", () => {
    const made = migrations.flatMap(({ sql }) => [...sql.matchAll(/create extension[^;]*/gi)].map(([text]) => text));
    expect(made.filter((text) => !/pgcrypto|pg_trgm/.test(text))).toEqual([]);
  });
});

describe("concurrent migrations", () => {
  test("eight processes that open an empty database at once migrate it once", async () => {
    await onEmpty(async ({ target, name }) => {
      expect(await pendingMigrations({ target, database: name })).toEqual(migrations.map((one) => one.name));
      const opened = await Promise.all(
        Array.from({ length: 8 }, () => openDatabase({ target, database: name, poolSize: 1, log: quietLog })),
      );
      expect(await opened[0]?.migrations()).toEqual({
        applied: migrations.length,
        latest: migrations.at(-1)?.name ?? "",
      });
      expect(await pendingMigrations({ target, database: name })).toEqual([]);
      await Promise.all(opened.map((one) => one.close()));
    });
  });

  test("databases of a fresh cluster that are migrated at once do not conflict over shared roles", async () => {
    const { folder, remove } = await postgresFolder();
    const cluster = await startPostgres({ folder, choice: "auto", testing: true, log: quietLog });
    try {
      const opened = await Promise.all(
        ["a", "b", "c", "d", "a"].map((database) =>
          openDatabase({ target: cluster.admin, database, poolSize: 1, log: quietLog }),
        ),
      );
      expect(await Promise.all(opened.map(async (one) => (await one.migrations()).applied))).toEqual(
        Array(5).fill(migrations.length),
      );
      await Promise.all(opened.map((one) => one.close()));
    } finally {
      await cluster.stop({ evenIfInUse: true });
      await remove();
    }
  });
});

describe("refused", () => {
  test("a database whose migrations another Devflow applied later", async () => {
    await onEmpty(async ({ target, name }) => {
      const line = openLine(target, { database: name });
      await applyMigrations(line, quietLog, [...migrations, extra(next, "create table app.later (id int)")]);
      await line.end();
      await expect(openDatabase({ target, database: name, log: quietLog })).rejects.toMatchObject({
        code: "schema_newer",
        message: `The database is at migration ${nextName}; this Devflow supports only up to ${migrations.at(-1)?.name}.`,
        hint: "Upgrade this executable: devflow upgrade",
      });
    });
  });

  test("a migration whose content changed after it was applied", async () => {
    await onEmpty(async ({ target, name }) => {
      const line = openLine(target, { database: name });
      await applyMigrations(line, quietLog, migrations);
      await line.statement`update devflow.migrations set hash = ${hashBytes("something else")}`;
      await line.end();
      await expect(openDatabase({ target, database: name, log: quietLog })).rejects.toMatchObject({
        code: "migration_changed",
        details: { name: "0001_foundation" },
      });
    });
  });

  test("a database that is behind, when migrating was not requested", async () => {
    await onEmpty(async ({ target, name }) => {
      await expect(openDatabase({ target, database: name, migrate: false, log: quietLog })).rejects.toMatchObject({
        code: "migration_pending",
        details: { count: migrations.length },
      });
    });
  });
});

test("a failed migration leaves nothing and can be retried", async () => {
  await onEmpty(async ({ target, name }) => {
    const line = openLine(target, { database: name });
    const broken = [...migrations, extra(next, "create table app.half (id int); select 1/0")];
    await expect(applyMigrations(line, quietLog, broken)).rejects.toThrow("division by zero");
    expect((await readLedger(line.statement))?.applied).toHaveLength(migrations.length);
    const [left] = await line.statement`select to_regclass('app.half') as half`;
    expect(left?.half).toBeNull();
    const fixed = [...migrations, extra(next, "create table app.half (id int)")];
    expect(await applyMigrations(line, quietLog, fixed)).toEqual([nextName]);
    expect(planMigrations(await readLedger(line.statement), fixed)).toEqual([]);
    await line.end();
  });
});

test("a missing database is created by the first process", async () => {
  const { target, name, drop } = await testClone({ migrated: false });
  const other = `${name}_made`;
  const opened = await Promise.all(
    Array.from({ length: 3 }, () => openDatabase({ target, database: other, poolSize: 1, log: quietLog })),
  );
  await Promise.all(opened.map((one) => one.close()));
  const sql = connectAsAdmin(target, "postgres");
  await sql.unsafe(`drop database ${other} with (force)`);
  await sql.end();
  await drop();
});
