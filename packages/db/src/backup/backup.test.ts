/** Backup and restore on real rows, and on damaged files. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { uuidv7 } from "@devflow/core/ids";
import { quietLog, type TestDatabase, testClone, testDatabase } from "@devflow/testkit";
import { backupDatabase, type Claims, connectAsAdmin, type Database, openDatabase, restoreDatabase } from "../index.ts";
import { migrations } from "../migrations.ts";
import { readBackup } from "./format.ts";
import { inDependencyOrder } from "./tables.ts";

const folder = mkdtempSync(join(tmpdir(), "devflow-backup-"));
const file = join(folder, "all.devflow-backup");
const source = await testDatabase();
let empty: TestDatabase;
afterAll(async () => {
  await empty?.close();
  await source.close();
  rmSync(folder, { recursive: true, force: true });
});

const ann = uuidv7<"user">();
const claims: Claims = { sub: ann, role: "authenticated" };
/** Everything that COPY has to escape, and some characters that it does not. */
const awkward = {
  text: 'tab\there, newline\nhere, back\\slash, \\. alone, "quotes", ☕ 😀',
  dot: "\\.",
  none: null,
  n: 1.5e-7,
};
let team = "";

beforeAll(async () => {
  await source.database.asEngine((tx) => tx`select app.ensure_user(${ann}, ${"Ann\n\\."}, null)`);
  await source.database.withClaims(claims, async (tx) => {
    const [made] = await tx<{ id: string }[]>`select id from api.create_team('Ann''s team')`;
    team = made?.id ?? "";
    await tx`select api.register_repo(${team}, 'site', path_hint => ${"/home/ann\tsite\\."})`;
    for (let count = 0; count < 300; count++) await tx`select api.ping(${team}, ${tx.json({ ...awkward, count })})`;
  });
  empty = await testDatabase();
});

async function everything({ admin, name }: Database): Promise<Record<string, unknown>> {
  const sql = connectAsAdmin(admin, name);
  try {
    const [row] = await sql<{ all: Record<string, unknown> }[]>`
      select json_build_object(
        'users', (select json_agg(t order by id) from app.users t),
        'teams', (select json_agg(t order by id) from app.teams t),
        'members', (select json_agg(t order by team_id, user_id) from app.team_members t),
        'counters', (select json_agg(to_jsonb(t) - 'epoch' order by team_id) from app.team_counters t),
        'changes', (select json_agg(t order by team_id, seq) from app.changes t),
        'repos', (select json_agg(t order by id) from app.repos t),
        'pings', (select json_agg(t order by id) from app.pings t)) as all`;
    return row?.all ?? {};
  } finally {
    await sql.end();
  }
}

/** Another one after a restore, so that no client goes on with a cursor from before it. */
const epochOf = async (database: Database) =>
  (await database.withClaims(claims, (tx) => tx`select epoch from app.team_counters where team_id = ${team}`))[0]
    ?.epoch;

async function tableCount({ admin, name }: Database): Promise<number> {
  const sql = connectAsAdmin(admin, name);
  const rows =
    await sql`select from pg_class where relnamespace = 'app'::regnamespace and relkind = 'r' and relpersistence = 'p'`;
  await sql.end();
  return rows.length;
}

describe("a backup", () => {
  test("is one private file, and no partial file stays beside it", async () => {
    const report = await backupDatabase({ database: source.database, file });
    expect(report).toMatchObject({ tables: await tableCount(source.database), rows: 1 + 1 + 1 + 1 + 302 + 1 + 300 });
    expect(report.bytes).toBe(statSync(file).size);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["all.devflow-backup"]);
  });

  test("restores everything into an empty database, and sequences continue", async () => {
    expect(await restoreDatabase({ database: empty.database, file })).toEqual({
      tables: await tableCount(source.database),
      rows: 607,
      files: 0,
    });
    expect(await everything(empty.database)).toEqual(await everything(source.database));
    expect(await epochOf(empty.database)).not.toBe(await epochOf(source.database));
    await empty.database.withClaims(claims, (tx) => tx`select api.ping(${team})`);
    const [last] = await empty.database.withClaims(claims, (tx) => tx`select seq from api.changes(${team}, 302)`);
    expect(last?.seq).toBe(303);
  });

  test("is refused by a database with rows, unless they may be replaced", async () => {
    const before = await everything(empty.database);
    await expect(restoreDatabase({ database: empty.database, file })).rejects.toMatchObject({
      code: "conflict",
      hint: expect.stringContaining("--replace"),
    });
    expect(await everything(empty.database)).toEqual(before);
    await restoreDatabase({ database: empty.database, file, replace: true });
    expect(await everything(empty.database)).toEqual(await everything(source.database));
  });

  test("is consistent while others write", async () => {
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await source.database.withClaims(claims, (tx) => tx`select api.ping(${team})`);
    })();
    const during = join(folder, "during");
    await backupDatabase({ database: source.database, file: during });
    isOver = true;
    await writing;
    await restoreDatabase({ database: empty.database, file: during, replace: true });
    const rows = (await everything(empty.database)) as {
      changes: { seq: number }[];
      pings: unknown[];
      counters: { seq: number }[];
    };
    expect(rows.changes.map((one) => one.seq)).toEqual(rows.changes.map((_, index) => index + 1));
    expect(rows.counters[0]?.seq).toBe(rows.changes.length);
    expect(rows.pings.length).toBe(rows.changes.length - 2);
  });

  test("of an older schema is loaded and then migrated forward", async () => {
    const later = {
      number: 9999,
      name: "9999_later",
      sql: "alter table app.pings add column mood text not null default 'calm'; alter table app.repos drop column path_hint;",
    };
    const clone = await testClone();
    const database = await openDatabase({ target: clone.target, database: clone.name, log: quietLog });
    await restoreDatabase({ database, file, known: [...migrations, later] });
    const sql = connectAsAdmin(clone.target, clone.name);
    const [row] = await sql`
      select (select count(*)::int from app.pings where mood = 'calm') as calm,
             (select array_agg(name order by number) from devflow.migrations) as names`;
    expect({ ...row }).toEqual({ calm: 300, names: [...migrations.map((one) => one.name), "9999_later"] });
    await sql.end();
    await database.close();
    await clone.drop();
  });

  test("of a newer schema is refused", async () => {
    const text = gunzipSync(readFileSync(file)).toString();
    const header = JSON.parse(text.slice(0, text.indexOf("\n")));
    header.migrations.push({ number: 99, name: "0099_future", hash: "0" });
    const path = await rewritten("newer", `${JSON.stringify(header)}\n${text.slice(text.indexOf("\n") + 1)}`);
    await expect(restoreDatabase({ database: empty.database, file: path, replace: true })).rejects.toMatchObject({
      code: "schema_newer",
    });
  });
});

describe("a damaged file is refused, and nothing changes", () => {
  const spoilt: Record<string, () => Buffer> = {
    "cut in the middle": () => readFileSync(file).subarray(0, statSync(file).size / 2),
    "without its last bytes": () => readFileSync(file).subarray(0, -12),
    "with one byte changed": () => {
      const bytes = readFileSync(file);
      const middle = Math.floor(bytes.length / 2);
      bytes[middle] = (bytes[middle] ?? 0) ^ 0x20;
      return bytes;
    },
    "with one row changed and packed again": () => repack((text) => text.replace('"count": 7', '"count": 8')),
    "with one row left out": () => repack((text) => text.replace(/^.*"count": 7.*\n/m, "")),
    "without its end": () => repack((text) => text.replace(/\{"end".*\n$/, "")),
    "with something behind its end": () => repack((text) => `${text}more\n`),
    "of a later format": () => repack((text) => text.replace('"devflowBackup":2', '"devflowBackup":3')),
    "that is something else": () => Buffer.from("hello"),
    "that is something else, packed": () => gzipSync("hello\n"),
    "that is empty": () => Buffer.alloc(0),
  };
  test.each(Object.entries(spoilt))("%s", async (what, spoil) => {
    const path = join(folder, `spoilt-${what.replaceAll(" ", "-")}`);
    writeFileSync(path, spoil());
    const before = await everything(empty.database);
    await expect(restoreDatabase({ database: empty.database, file: path, replace: true })).rejects.toMatchObject({
      code: "backup_invalid",
    });
    expect(await everything(empty.database)).toEqual(before);
  });

  test("that does not exist", async () => {
    await expect(restoreDatabase({ database: empty.database, file: join(folder, "none") })).rejects.toMatchObject({
      code: "backup_invalid",
      message: expect.stringContaining("there is no such file"),
    });
  });
});

test("a backup into a missing folder leaves nothing", async () => {
  const path = join(folder, "nowhere", "file");
  await expect(backupDatabase({ database: source.database, file: path })).rejects.toThrow();
});

test("rows larger than a chunk, and chunks that end anywhere, are read completely", async () => {
  const sizes = await Array.fromAsync(readBackup(file), (part) => (part.is === "rows" ? part.bytes.length : 0));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(30_000);
  const wide = await testDatabase();
  await wide.database.asEngine((tx) => tx`select app.ensure_user(${ann}, 'Ann')`);
  const note = { wide: "w".repeat(60_000), end: "\n\\.\n" };
  await wide.database.withClaims(claims, async (tx) => {
    const [made] = await tx<{ id: string }[]>`select id from api.create_team('Wide')`;
    for (let count = 0; count < 5; count++) await tx`select api.ping(${made!.id}, ${tx.json(note)})`;
  });
  const path = join(folder, "wide");
  await backupDatabase({ database: wide.database, file: path });
  await restoreDatabase({ database: wide.database, file: path, replace: true });
  const rows = (await everything(wide.database)) as { pings: { note: unknown }[] };
  expect(rows.pings.map((one) => one.note)).toEqual(Array(5).fill(note));
  await wide.close();
});

test("a table comes after all tables it references, and a cycle is reported", () => {
  const table = (name: string, ...refersTo: string[]) => ({ name, refersTo });
  const ordered = inDependencyOrder([table("a", "c"), table("b", "a", "b"), table("c")]);
  expect(ordered.map((one) => one.name)).toEqual(["c", "a", "b"]);
  expect(() => inDependencyOrder([table("a", "b"), table("b", "a")])).toThrow(
    "tables reference each other in a cycle: a, b",
  );
});

const repack = (change: (text: string) => string): Buffer => {
  const text = gunzipSync(readFileSync(file)).toString();
  const changed = change(text);
  if (changed === text) throw new Error("nothing was changed");
  return gzipSync(changed);
};

/** With hashes that match the new content, as a newer Devflow would write them. */
async function rewritten(name: string, text: string): Promise<string> {
  const { createHash } = await import("node:crypto");
  const lines = text.split("\n");
  const end = JSON.parse(lines.at(-2) ?? "");
  const body = `${lines.slice(0, -2).join("\n")}\n`;
  end.sha256 = createHash("sha256").update(body).digest("hex");
  const path = join(folder, name);
  writeFileSync(path, gzipSync(`${body}${JSON.stringify(end)}\n`));
  return path;
}
