/** What is decided before anything is started: programs, folders, and messages for failures. */
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quietLog } from "@devflow/testkit";
import { findBinaries } from "./binaries.ts";
import { nameProblem, problemIn, startError } from "./name-problem.ts";
import { placesFor, preparePlaces } from "./places.ts";
import { serverSettings } from "./postmaster.ts";

const folder = mkdtempSync(join(tmpdir(), "devflow-decisions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("programs", () => {
  /** A program that prints its version, and nothing more. */
  function installed(name: string, version: string): string {
    const bin = join(folder, name);
    mkdirSync(bin, { recursive: true });
    for (const program of ["postgres", "initdb"]) {
      writeFileSync(join(bin, program), `#!/bin/sh\necho "${program} (PostgreSQL) ${version}"\n`);
      chmodSync(join(bin, program), 0o755);
    }
    return bin;
  }

  test("the embedded ones come first, and their links exist without an install script", async () => {
    const found = await findBinaries({ choice: "auto", base: folder, copy: false, log: quietLog, searchIn: [] });
    expect(found).toMatchObject({ kind: "embedded", major: 18 });
    const libraries = readdirSync(join(found.folder, "..", "lib"));
    if (process.platform === "linux") expect(libraries).toContain("libicuuc.so.60");
  });

  test("the system's are used if requested and new enough", async () => {
    const searchIn = [installed("old", "15.18"), installed("new", "17.2")];
    const found = await findBinaries({ choice: "system", base: folder, copy: false, log: quietLog, searchIn });
    expect(found).toEqual({ kind: "system", version: "17.2", major: 17, folder: searchIn[1] ?? "" });
  });

  test("a Postgres that is too old is reported and not used", async () => {
    const searchIn = [installed("old", "15.18")];
    const failure = findBinaries({ choice: "system", base: folder, copy: false, log: quietLog, searchIn });
    await expect(failure).rejects.toMatchObject({
      code: "db_binaries_missing",
      message: expect.stringContaining(`Postgres 15.18 in ${searchIn[0]}, which is too old; 16 or newer is needed`),
    });
  });

  test("packed ones are unpacked once, completely, and readable for the user who runs them", async () => {
    let times = 0;
    const packed = {
      version: "18.9.0",
      async unpack(into: string) {
        times += 1;
        mkdirSync(join(into, "bin"), { mode: 0o700 });
        writeFileSync(join(into, "bin", "postgres"), "#!/bin/sh\n", { mode: 0o600 });
      },
    };
    const base = join(folder, "packed");
    mkdirSync(base);
    const both = await Promise.all(
      [1, 2].map(() => findBinaries({ choice: "auto", packed, base, copy: true, log: quietLog, searchIn: [] })),
    );
    await findBinaries({ choice: "auto", packed, base, copy: true, log: quietLog, searchIn: [] });
    expect(both[0]).toEqual({
      kind: "embedded",
      version: "18.9",
      major: 18,
      folder: join(base, "postgres-18.9.0", "bin"),
    });
    expect(times).toBeLessThanOrEqual(2);
    expect(readdirSync(base)).toEqual(["postgres-18.9.0"]);
    expect(statSync(join(both[0]!.folder, "postgres")).mode & 0o777).toBe(0o755);
  });

  test("a failed unpacking leaves nothing and reports why", async () => {
    const packed = {
      version: "18.8.0",
      async unpack(): Promise<void> {
        throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC", path: "/x" });
      },
    };
    const base = join(folder, "full");
    mkdirSync(base);
    const failure = findBinaries({ choice: "auto", packed, base, copy: true, log: quietLog, searchIn: [] });
    expect(nameProblem(await failure.catch((error) => error), base)).toMatchObject({ code: "disk_full" });
    expect(readdirSync(base)).toEqual([]);
  });
});

describe("folders", () => {
  test("are under the home, or as root where the other user can reach them", () => {
    expect(placesFor("/home/ann/.devflow/pg", false)).toEqual({
      base: "/home/ann/.devflow/pg",
      data: "/home/ann/.devflow/pg/data",
      socket: "/home/ann/.devflow/pg/run",
      log: "/home/ann/.devflow/pg/postgres.log",
    });
    expect(placesFor("/root/.devflow/pg", true).base).toMatch(/^\/var\/lib\/devflow-[0-9a-f]{12}$/);
    expect(placesFor("/root/.devflow/pg", true).base).not.toBe(placesFor("/tmp/x/pg", true).base);
  });

  test("a path too long for a socket is replaced by a short one", () => {
    const places = placesFor(`/home/${"long/".repeat(30)}pg`, false);
    expect(places.socket).toMatch(/^\/tmp\/devflow-\d+-[0-9a-f]{12}$/);
    expect(places.data).toStartWith("/home/long/");
  });

  test("a link at the base path is not followed", async () => {
    const place = join(folder, "linked");
    const { base } = placesFor(join(place, "pg"));
    mkdirSync(place);
    symlinkSync(folder, base);
    try {
      await expect(preparePlaces(join(place, "pg"))).rejects.toMatchObject({ code: "home_unusable" });
    } finally {
      rmSync(base);
    }
  });
});

test("a home that is a file is refused, and named", async () => {
  const file = join(folder, "home-file");
  writeFileSync(file, "");
  await expect(preparePlaces(join(file, "pg"))).rejects.toMatchObject({
    code: "home_unusable",
    details: { path: file },
  });
});

describe("failures of the server", () => {
  test.each([
    ['FATAL:  lock file "postmaster.pid" already exists', "another server"],
    ['FATAL:  lock file "postmaster.pid" is empty', "another server"],
    ["FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use", "orphans"],
    ["FATAL:  could not write to file: No space left on device", "disk full"],
    ['FATAL:  data directory "/x" has wrong ownership', "permission"],
    ["FATAL:  could not open file: Permission denied", "permission"],
    ["FATAL:  unrecognized configuration parameter", "other"],
  ] as const)("%s is %s", (text, problem) => expect(problemIn(text)).toBe(problem));

  test("a full disk and a missing permission have their own errors, the rest quotes the server", () => {
    expect(startError("PANIC:  could not write: No space left on device", "/x")).toMatchObject({ code: "disk_full" });
    expect(startError("initdb: error: could not access: Permission denied", "/x")).toMatchObject({
      code: "permission_denied",
    });
    expect(
      startError("LOG:  starting\nFATAL:  the stars are wrong\nLOG:  database system is shut down", "/x"),
    ).toMatchObject({
      code: "db_start_failed",
      details: { reason: "the stars are wrong" },
    });
  });
});

test("only tests turn off fsync and full_page_writes, and nothing turns off synchronous_commit or opens a port", () => {
  const pick = (testing: boolean) => {
    const all = serverSettings({ kind: "embedded", major: 18 }, "/run", testing);
    return [all.fsync, all.full_page_writes, all.synchronous_commit, all.listen_addresses];
  };
  expect([pick(false), pick(true)]).toEqual([
    ["on", "on", "on", ""],
    ["off", "off", "on", ""],
  ]);
});
