/** An operator's own Postgres: by URL, with TLS, with different roles, empty or not. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@devflow/core/secret";
import { type PostgresFolder, postgresFolder, quietLog } from "@devflow/testkit";
import { findPostgres, type PostgresCluster, postgresPlaces, startPostgres } from "./embedded-postgres.ts";
import { connectAsAdmin, openDatabase, pendingMigrations } from "./index.ts";
import { migrations } from "./migrations.ts";

/** Our own cluster, but listening on loopback with TLS like an external one. */
let folder: PostgresFolder;
let cluster: PostgresCluster;
let port = 0;
const certificates = mkdtempSync(join(tmpdir(), "devflow-tls-"));
const authority = join(certificates, "ca.crt");
const stranger = join(certificates, "stranger.crt");

beforeAll(async () => {
  makeCertificates();
  folder = await postgresFolder();
  cluster = await startPostgres({ folder: folder.folder, choice: "auto", testing: true, log: quietLog });
  port = await freePort();
  const sql = connectAsAdmin(cluster.admin, "postgres");
  for (const [setting, value] of Object.entries({
    ssl: "on",
    ssl_cert_file: join(certificates, "server.crt"),
    ssl_key_file: join(certificates, "server.key"),
  })) {
    await sql.unsafe(`alter system set ${setting} = '${value}'`);
  }
  await sql.end();
  await restartListening();
});
afterAll(async () => {
  await folder?.remove();
  rmSync(certificates, { recursive: true, force: true });
});

const url = (user: string, password: string, database: string, query = "") =>
  new Secret(`postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}${query}`);

async function asAdmin<T>(
  work: (sql: ReturnType<typeof connectAsAdmin>) => Promise<T>,
  database = "postgres",
): Promise<T> {
  const sql = connectAsAdmin(cluster.admin, database);
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}
const freshDatabase = async (name: string, owner?: string) =>
  asAdmin(async (sql) => {
    await sql.unsafe(`drop database if exists ${name} with (force)`);
    await sql.unsafe(`create database ${name} ${owner ? `owner ${owner}` : ""}`);
  });
const rootUrl = (database: string, query = "") =>
  url(cluster.admin.user, cluster.admin.password.reveal(), database, query);

describe("TLS", () => {
  const trying = async (query: string): Promise<string> => {
    try {
      const database = await openDatabase({ target: rootUrl("tls", query), poolSize: 1, log: quietLog });
      const [row] = await database.sql<{ ssl: boolean }[]>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
      await database.close();
      return row?.ssl ? "encrypted" : "plain";
    } catch (error) {
      return (error as { code?: string }).code ?? String(error);
    }
  };
  beforeAll(() => freshDatabase("tls"));

  test.each([
    ["", "encrypted"],
    ["?sslmode=disable", "plain"],
    ["?sslmode=prefer", "encrypted"],
    ["?sslmode=require", "encrypted"],
    [`?sslmode=require&sslrootcert=${stranger}`, "db_unreachable"],
    [`?sslmode=verify-ca&sslrootcert=${authority}`, "encrypted"],
    [`?sslmode=verify-ca&sslrootcert=${stranger}`, "db_unreachable"],
    ["?sslmode=verify-full", "db_unreachable"],
    // The certificate is for db.example.org, and the address is 127.0.0.1.
    [`?sslmode=verify-full&sslrootcert=${authority}`, "db_unreachable"],
    ["?sslmode=verify-full&sslrootcert=/nowhere.crt", "db_unreachable"],
    ["?sslmode=sometimes", "db_unreachable"],
  ])("with %s is %s", async (query, result) => {
    expect(await trying(query)).toBe(result);
  });

  test("verify-full accepts the name that the certificate is for", async () => {
    await signFor("IP:127.0.0.1");
    await restartListening();
    expect(await trying(`?sslmode=verify-full&sslrootcert=${authority}`)).toBe("encrypted");
  });
});

describe("ownership of the database", () => {
  test("an empty one is used", async () => {
    await freshDatabase("fresh");
    expect(await pendingMigrations({ target: rootUrl("fresh") })).toEqual(migrations.map((one) => one.name));
    const database = await openDatabase({ target: rootUrl("fresh"), poolSize: 1, log: quietLog });
    expect({ kind: database.kind, name: database.name }).toEqual({ kind: "external", name: "fresh" });
    const [row] = await database.sql`select session_user as name`;
    expect(row?.name).toBe("devflow_server");
    await database.close();
  });

  test("one with other tables is refused, unless it may be shared", async () => {
    await freshDatabase("shop");
    await asAdmin((sql) => sql`create table public.orders (id int)`.then(() => {}), "shop");
    await expect(openDatabase({ target: rootUrl("shop"), log: quietLog })).rejects.toMatchObject({
      code: "db_not_ours",
      message: "The database shop is not empty and was not created by Devflow (it contains public.orders).",
      hint: expect.stringContaining("--adopt"),
    });
    const database = await openDatabase({ target: rootUrl("shop"), adopt: true, poolSize: 1, log: quietLog });
    await database.close();
    const again = await openDatabase({ target: rootUrl("shop"), poolSize: 1, log: quietLog });
    await again.close();
  });

  test("one that already has a schema with our name is refused even then", async () => {
    await freshDatabase("taken");
    await asAdmin((sql) => sql`create schema app`.then(() => {}), "taken");
    await expect(openDatabase({ target: rootUrl("taken"), adopt: true, log: quietLog })).rejects.toMatchObject({
      code: "db_not_ours",
      details: { sample: "schema app" },
    });
  });

  test("a missing, unreachable or locked one is named without the password", async () => {
    const wrong = ["nothere", "postgres"].map((name) => url("devflow_admin", "s3cr3t-guess", name));
    const unheard = new Secret("postgres://me:s3cr3t-guess@127.0.0.1:1/x");
    for (const target of [rootUrl("nothere"), ...wrong, unheard, new Secret("postgres://s3cr3t-guess@:x")]) {
      const error = await openDatabase({ target, log: quietLog }).catch((caught) => caught);
      expect(error).toMatchObject({ code: "db_unreachable" });
      expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("s3cr3t-guess");
    }
  });
});

describe("who serves requests", () => {
  test("a role that may create roles migrates, and devflow_server serves", async () => {
    await asAdmin(async (sql) => {
      await sql.unsafe("create role maker login createrole password 'maker-pw'");
      await sql.unsafe(
        "grant anon, authenticated, service_role, devflow_engine, devflow_server to maker with admin option",
      );
    });
    await freshDatabase("made", "maker");
    const database = await openDatabase({ target: url("maker", "maker-pw", "made"), poolSize: 1, log: quietLog });
    const [row] = await database.sql`
      select session_user as name, (select nspowner::regrole::text from pg_namespace where nspname = 'app') as owner`;
    expect({ ...row }).toEqual({ name: "devflow_server", owner: "maker" });
    await database.close();
  });

  test("an unprivileged role that may act as the request roles serves by itself", async () => {
    await asAdmin(async (sql) => {
      await sql.unsafe("create role modest login noinherit password 'modest-pw'");
      await sql.unsafe("grant anon, authenticated, devflow_engine to modest with inherit false, set true");
    });
    const database = await openDatabase({ target: url("modest", "modest-pw", "fresh"), poolSize: 1, log: quietLog });
    const [row] = await database.sql`select session_user as name`;
    expect(row?.name).toBe("modest");
    expect((await database.migrations()).applied).toBe(migrations.length);
    await database.close();
  });

  test("a role that can do neither is refused with the commands for an administrator", async () => {
    await asAdmin((sql) => sql.unsafe("create role nobody_much login password 'n-pw'").then(() => {}));
    await expect(openDatabase({ target: url("nobody_much", "n-pw", "fresh"), log: quietLog })).rejects.toMatchObject({
      code: "db_privileges",
    });
    await freshDatabase("closed");
    await expect(openDatabase({ target: url("nobody_much", "n-pw", "closed"), log: quietLog })).rejects.toMatchObject({
      code: "db_privileges",
      hint: expect.stringContaining("Ask an administrator to run: "),
    });
  });

  test("a role or a database that may only be read is refused in words", async () => {
    await freshDatabase("frozen");
    await asAdmin(async (sql) => {
      await sql.unsafe("create role reader login password 'reader-password'");
      await sql.unsafe("alter role reader set default_transaction_read_only = on");
    });
    const target = url("reader", "reader-password", "frozen");
    await expect(openDatabase({ target, log: quietLog })).rejects.toMatchObject({
      code: "db_read_only",
      message: "The database frozen can only be read: reader has default_transaction_read_only.",
    });
    const opened = await openDatabase({ target: rootUrl("frozen"), poolSize: 1, log: quietLog });
    await opened.close();
    // Members of pg_read_all_data can read everything, and that is all.
    await asAdmin(async (sql) => {
      await sql.unsafe("alter role reader reset default_transaction_read_only");
      await sql.unsafe("grant pg_read_all_data to reader");
    });
    await expect(openDatabase({ target, log: quietLog })).rejects.toMatchObject({
      code: "db_privileges",
      message: expect.stringContaining("it may not act as anon, authenticated, devflow_engine"),
    });
  });

  test("the next server works with an administrator's new password", async () => {
    const next = await openDatabase({ target: url("maker", "maker-pw", "made"), poolSize: 1, log: quietLog });
    await next.close();
    await asAdmin((sql) => sql.unsafe("alter role maker password 'other-pw'").then(() => {}));
    const database = await openDatabase({ target: url("maker", "other-pw", "made"), poolSize: 1, log: quietLog });
    expect((await database.migrations()).applied).toBe(migrations.length);
    await database.close();
  });
});

function openssl(...words: string[]): void {
  execFileSync("openssl", words, { stdio: "pipe", cwd: certificates });
}

function makeCertificates(): void {
  for (const name of ["ca", "stranger"]) {
    openssl(
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "2",
      "-subj",
      `/CN=${name}`,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.crt`,
    );
  }
  openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=db", "-keyout", "server.key", "-out", "server.csr");
  signFor("DNS:db.example.org");
}

function signFor(name: string): void {
  execFileSync(
    "bash",
    [
      "-c",
      `openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out server.crt -extfile <(echo subjectAltName=${name})`,
    ],
    { stdio: "pipe", cwd: certificates },
  );
}

/** Our own start sets address and port on the command line, so the server is started directly here. */
async function restartListening(): Promise<void> {
  const { data } = postgresPlaces(folder.folder);
  const { spawn } = await import("node:child_process");
  const { readFile, stat } = await import("node:fs/promises");
  const owner = await stat(data);
  const isRoot = process.getuid?.() === 0;
  for (const name of ["server.key", "server.crt"])
    if (isRoot) chownSync(join(certificates, name), owner.uid, owner.gid);
  if (isRoot) chownSync(certificates, owner.uid, owner.gid);
  const [program = ""] = (await readFile(join(data, "postmaster.opts"), "utf8")).split(" ");
  await cluster.stop({ evenIfInUse: true });
  const words = [
    "-D",
    data,
    "-k",
    cluster.admin.host,
    "-c",
    "listen_addresses=127.0.0.1",
    "-p",
    String(port),
    "-c",
    "fsync=off",
  ];
  spawn(program.replaceAll('"', ""), words, {
    stdio: "ignore",
    detached: true,
    ...(isRoot ? { uid: owner.uid, gid: owner.gid } : {}),
  }).unref();
  for (const deadline = Date.now() + 20_000; ; ) {
    const found = await findPostgres({ folder: folder.folder, log: quietLog });
    if (found) {
      cluster = found;
      return;
    }
    if (Date.now() > deadline) throw new Error("the server that listens did not start");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
  return await new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
