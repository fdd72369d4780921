/** The same schema on every supported Postgres, and backups that move between them. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { uuidv7 } from "@devflow/core/ids";
import { canRun, type PostgresFolder, postgresFolder, quietLog, testDatabase } from "@devflow/testkit";
import { otherPostgres } from "../testing/other-postgres.ts";
import { startPostgres } from "./embedded-postgres.ts";
import { backupDatabase, type Claims, type Database, openDatabase, restoreDatabase } from "./index.ts";
import { migrations } from "./migrations.ts";

const folder = mkdtempSync(join(tmpdir(), "devflow-majors-"));
const made: PostgresFolder[] = [];
const ours = await testDatabase();
afterAll(async () => {
  await ours.close();
  await Promise.all(made.map((one) => one.remove()));
  rmSync(folder, { recursive: true, force: true });
});

const ann = uuidv7<"user">();
const claims: Claims = { sub: ann, role: "authenticated" };

async function writeSome(database: Database): Promise<void> {
  await database.asEngine((tx) => tx`select app.ensure_user(${ann}, 'Ann')`);
  await database.withClaims(claims, async (tx) => {
    const [team] = await tx<{ id: string }[]>`select id from api.create_team('Movers')`;
    await tx`select api.register_repo(${team!.id}, 'site')`;
    for (let count = 0; count < 20; count++)
      await tx`select api.ping(${team!.id}, ${tx.json({ count, text: "ä\n☕" })})`;
  });
}
const pingsOf = (database: Database) => database.asEngine((tx) => tx`select * from app.pings order by id`);

describe.each([
  [16, "16.14.0-beta.17"],
  [17, "17.10.0-beta.17"],
])("Postgres %i", async (major, version) => {
  const found = await otherPostgres(version);
  const lack = typeof found === "string" ? found : undefined;
  const isHere = await canRun(`tests on Postgres ${major}`, async () => lack);
  const packed = typeof found === "string" ? undefined : found;

  test.skipIf(!isHere)("accepts every migration, and backups can be moved in both directions", async () => {
    const place = await postgresFolder();
    made.push(place);
    const cluster = await startPostgres({
      folder: place.folder,
      choice: "embedded",
      packed,
      testing: true,
      log: quietLog,
    });
    expect(cluster.version).toStartWith(`${major}.`);
    const database = await openDatabase({ target: cluster.admin, log: quietLog });
    expect((await database.migrations()).applied).toBe(migrations.length);
    await writeSome(database);

    const file = join(folder, `from-${major}`);
    await backupDatabase({ database, file });
    await restoreDatabase({ database: ours.database, file, replace: true });
    expect([...(await pingsOf(ours.database))]).toEqual([...(await pingsOf(database))]);

    const back = join(folder, `to-${major}`);
    await backupDatabase({ database: ours.database, file: back });
    await restoreDatabase({ database, file: back, replace: true });
    expect([...(await pingsOf(database))]).toEqual([...(await pingsOf(ours.database))]);

    await database.close();
    expect(await cluster.stop()).toBe("stopped");

    // The same folder with this Devflow's Postgres: refused, and nothing is changed.
    await expect(
      startPostgres({ folder: place.folder, choice: "embedded", testing: true, log: quietLog }),
    ).rejects.toMatchObject({ code: "db_major_version", details: { found: String(major), ours: 18 } });
    const again = await startPostgres({
      folder: place.folder,
      choice: "embedded",
      packed,
      testing: true,
      log: quietLog,
    });
    expect(await again.stop()).toBe("stopped");
  });
});

describe("Postgres 15", async () => {
  const found = await otherPostgres("15.18.0-beta.17");
  const isHere = await canRun("tests on Postgres 15", async () => (typeof found === "string" ? found : undefined));

  test.skipIf(!isHere)("is refused as too old before anything is changed", async () => {
    const place = await postgresFolder();
    made.push(place);
    const packed = typeof found === "string" ? undefined : found;
    const cluster = await startPostgres({ folder: place.folder, choice: "auto", packed, testing: true, log: quietLog });
    await expect(openDatabase({ target: cluster.admin, database: "postgres", log: quietLog })).rejects.toMatchObject({
      code: "db_too_old",
      message: "Postgres 15.18 is too old; Devflow needs 16 or newer.",
    });
    expect(await cluster.stop()).toBe("stopped");
  });
});
