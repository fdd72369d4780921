import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { killAt, runProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { importedRun, result } from "../../testing/imported-run.ts";
import { storeImpossibleRun } from "../../testing/impossible-run.ts";
import { madeUsage as usage } from "../../testing/made-runs.ts";
import { openStore } from "./open-store.ts";
import type { SinkRecord } from "./sink.ts";

const writer = join(import.meta.dir, "../../testing/programs/push-runs.ts");

test("a run is stored and found again with its summary", async () => {
  const store = await openStore(temporaryFolder());
  const results = [
    result({ name: "a", category: "x", scores: { accuracy: 0.5 }, durationMs: 100 }),
    result({ name: "b", category: "x", status: "fail", failures: [failure("missing 3 of 5")], durationMs: 300 }),
    result({ name: "c", category: "y", status: "fail", failures: [failure("missing 4 of 9")] }),
    result({
      name: "d",
      status: "error",
      error: "timeout",
      usage: [usage("claude-sonnet-4-6"), usage("nobody-knows")],
    }),
  ];
  const { isNew, line, record } = await store.push(importedRun({ runId: "first" }, results));
  expect(isNew).toBe(true);
  expect(line).toMatchObject({
    runId: "first",
    attempt: 1,
    total: 4,
    passed: 1,
    failed: 2,
    errors: 1,
    unpricedCalls: 1,
  });
  expect(record.summary).toMatchObject({
    categories: { x: { total: 2, passed: 1, failed: 1 }, y: { total: 1, failed: 1 } },
    criteria: { accuracy: { count: 1, mean: 0.5 } },
    durations: { p50Ms: 300, sumMs: 400 },
    failures: [
      { message: "missing 3 of 5", count: 2, cases: ["b", "c"] },
      { message: "timeout", count: 1, cases: ["d"] },
    ],
  });
  expect(record.summary.cost.priceVersion).toBe("genai-prices 0.1.8");
  expect(record.summary.cost.estimatedUsd).toBeCloseTo(0.0045, 10);
  expect((await store.run("first")).record).toEqual(record);
  expect(await store.result("first", 3)).toEqual(results[3] as never);
  store.close();
});

test("pushing the same run twice stores it once; different content under its id is refused, or replaces it on request", async () => {
  const store = await openStore(temporaryFolder());
  const one = () => importedRun({ runId: "r" }, [result({ name: "a" })], { contentSha: "1" });
  await store.push(one());
  expect((await store.push(one())).isNew).toBe(false);
  const other = () => importedRun({ runId: "r" }, [result({ name: "b" })], { contentSha: "2" });
  expect(store.push(other())).rejects.toThrow("is already stored with different content");
  expect((await store.push(other(), { replace: true })).isNew).toBe(true);
  expect((await store.results("r")).rows.map(({ name }) => name)).toEqual(["b"]);
  expect(store.list().matching).toBe(1);
  store.close();
});

test("runs of one suite, label, tier and commit are counted as attempts", async () => {
  const store = await openStore(temporaryFolder());
  const attempts: number[] = [];
  for (const runId of ["a", "b", "c"]) attempts.push((await store.push(importedRun({ runId }))).line.attempt);
  expect(attempts).toEqual([1, 2, 3]);
  expect((await store.push(importedRun({ runId: "d", gitSha: "other" }))).line.attempt).toBe(1);
  store.close();
});

test("one run id in two suites is two runs, distinguished by suite/id", async () => {
  const store = await openStore(temporaryFolder());
  await store.push(importedRun({ runId: "7", suite: "a" }));
  await store.push(importedRun({ runId: "7", suite: "b" }));
  expect(store.run("7")).rejects.toThrow("matches several runs: a/7, b/7");
  expect((await store.run("b/7")).line.suite).toBe("b");
  expect(store.run("9")).rejects.toThrow('The eval run "9" was not found');
  store.close();
});

test("a run id is never used as a path, and files are private to the user", async () => {
  const home = temporaryFolder();
  const store = await openStore(home);
  await store.push(importedRun({ runId: "../../../escape", suite: "../x" }));
  const runs = join(home, "evals/runs");
  const names = readdirSync(runs);
  expect(names).toHaveLength(1);
  expect(names[0]).toMatch(/^[0-9a-f]{32}\.eval\.zst$/);
  expect(statSync(join(runs, names[0] as string)).mode & 0o777).toBe(0o600);
  expect(statSync(runs).mode & 0o777).toBe(0o700);
  expect(statSync(join(home, "evals/index.sqlite")).mode & 0o777).toBe(0o600);
  store.close();
});

test("wrong totals are recounted from the results, with a warning", async () => {
  const store = await openStore(temporaryFolder());
  const totals = { total: 9, passed: 9, failed: 0, errors: 0, skipped: 0 };
  const { line, record } = await store.push(importedRun({ totals }, [result({ name: "a" })]));
  expect(line).toMatchObject({ total: 1, passed: 1 });
  expect(record.warnings).toEqual([
    "The run is partial: 1 of 9 results.",
    "The totals in the file (9 results, 9 passed, 0 failed) do not match its results; stored as 1 result, 1 passed, 0 failed.",
  ]);
  store.close();
});

describe("a run that cannot be listed", () => {
  const priced = (costUsd: number) => result({ usage: [{ ...usage("m"), costUsd }] });

  test("costs that add up to more than a number can hold are refused", async () => {
    const store = await openStore(temporaryFolder());
    const results = [priced(1e308), { ...priced(1e308), name: "b" }];
    expect(store.push(importedRun({ runId: "rich" }, results))).rejects.toThrow(
      "The costs of suite (run rich) add up to more than a number can hold.",
    );
    expect(
      store.push(importedRun({ costs: [1e308, 1e308].map((costUsd) => ({ ...usage("m"), costUsd })) })),
    ).rejects.toThrow("add up to more than a number can hold");
    const times = ["a", "b"].map((name) => result({ name, durationMs: 1e308 }));
    expect(store.push(importedRun({}, times))).rejects.toThrow("The durations of suite");
    const scores = ["a", "b"].map((name) => result({ name, scores: { x: 1.5e308 } }));
    expect(store.push(importedRun({}, scores))).rejects.toThrow("The scores of suite");
    expect(store.list().matching).toBe(0);
    await store.push(importedRun());
    expect(store.list().matching).toBe(1);
    store.close();
  });

  test("a stored run with impossible sums is set aside with its reason, and the others stay usable", async () => {
    const home = temporaryFolder();
    await storeImpossibleRun(home, { ...usage("m"), costUsd: 1e308 });
    const store = await openStore(home);
    await store.push(importedRun({ runId: "good" }));
    expect(store.list().runs.map(({ runId }) => runId)).toEqual(["good"]);
    expect(store.setAside()).toEqual([
      {
        file: expect.stringMatching(/^[0-9a-f]{32}\.eval\.zst$/),
        reason: expect.stringContaining("summary.cost.actualUsd"),
      },
    ]);
    store.close();
    const again = await openStore(home);
    expect(again.setAside()).toHaveLength(1);
    expect(again.list().matching).toBe(1);
    again.close();
  });

  test("a file that is no run is set aside; once it is replaced by a good one, it is listed", async () => {
    const home = temporaryFolder();
    const store = await openStore(home);
    await store.push(importedRun({ runId: "one" }));
    const folder = join(home, "evals/runs");
    const [name] = readdirSync(folder);
    const path = join(folder, name as string);
    const whole = readFileSync(path);
    store.close();
    rmSync(join(home, "evals/index.sqlite"));
    writeFileSync(path, "cut short");
    const damaged = await openStore(home);
    expect([damaged.list().matching, damaged.setAside().map(({ reason }) => reason)]).toEqual([
      0,
      ["it is not a complete eval run"],
    ]);
    damaged.close();
    writeFileSync(path, whole);
    const whole2 = await openStore(home);
    expect([whole2.list().matching, whole2.setAside()]).toEqual([1, []]);
    whole2.close();
  });

  test("an unreadable file gives way when its run is pushed again", async () => {
    const home = temporaryFolder();
    const store = await openStore(home);
    await store.push(importedRun({ runId: "one" }));
    const [name] = readdirSync(join(home, "evals/runs"));
    writeFileSync(join(home, "evals/runs", name as string), "cut short");
    expect((await store.push(importedRun({ runId: "one" }))).isNew).toBe(true);
    expect([store.list().matching, store.setAside()]).toEqual([1, []]);
    store.close();
  });

  test("a folder in place of a run is set aside", async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, "evals/runs", `${"1".repeat(32)}.eval.zst`), { recursive: true });
    const store = await openStore(home);
    expect(store.setAside().map(({ reason }) => reason)).toEqual(["it is not a file"]);
    store.close();
  });

  test("a run whose results are damaged later is set aside by the first command that reads it", async () => {
    const home = temporaryFolder();
    const store = await openStore(home);
    await store.push(importedRun({ runId: "one" }));
    const folder = join(home, "evals/runs");
    const [name] = readdirSync(folder);
    await store.push(importedRun({ runId: "two" }));
    const path = join(folder, name as string);
    const bytes = readFileSync(path);
    // The rows are near the end; the table and the run's record stay intact.
    const rowsAt = bytes.indexOf(Buffer.from([0x50, 0x2a, 0x4d, 0x18])) + 8;
    bytes.fill(0xff, rowsAt, rowsAt + 12);
    writeFileSync(path, bytes);
    expect((await store.resultsFor(["one", "two"])).map(({ line }) => line.runId)).toEqual(["two"]);
    expect(store.setAside().map(({ reason }) => reason)).toEqual([
      expect.stringContaining("its results cannot be read"),
    ]);
    expect(store.list().runs.map(({ runId }) => runId)).toEqual(["two"]);
    store.close();
  });
});

test("a run that fails to read halfway leaves nothing behind", async () => {
  const home = temporaryFolder();
  const store = await openStore(home);
  async function* broken() {
    yield result({ name: "a" });
    throw new Error("the file ended");
  }
  expect(store.push({ ...importedRun(), results: broken() })).rejects.toThrow("the file ended");
  await store.push({ ...importedRun(), results: broken() }).catch(() => {});
  expect(readdirSync(join(home, "evals/runs"))).toEqual([]);
  expect(store.list().matching).toBe(0);
  store.close();
});

describe("lists", () => {
  test("are filtered and paged, newest first", async () => {
    const store = await openStore(temporaryFolder());
    for (let at = 0; at < 25; at++) {
      const isBad = at % 5 === 0;
      await store.push(
        importedRun(
          {
            runId: `run-${at}`,
            suite: at % 2 ? "odd" : "even",
            at: new Date(Date.UTC(2026, 0, 1 + at)).toISOString(),
            gitBranch: at < 10 ? "old" : "new",
          },
          [result({ name: "a", status: isBad ? "fail" : "pass" })],
        ),
      );
    }
    const first = store.list({ limit: 10 });
    expect(first.runs[0]?.runId).toBe("run-24");
    expect(first.matching).toBe(25);
    const ids = first.runs.map(({ runId }) => runId);
    for (let next = first.next; next; ) {
      const page = store.list({ limit: 10, after: next });
      ids.push(...page.runs.map(({ runId }) => runId));
      next = page.next;
    }
    expect(new Set(ids).size).toBe(25);
    expect(store.list({ suite: "odd" }).matching).toBe(12);
    expect(store.list({ branch: "old", failed: true }).matching).toBe(2);
    expect(store.list({ since: "2026-01-20T00:00:00.000Z" }).matching).toBe(6);
    store.close();
  });

  test("of a run's results are filtered, sorted and paged", async () => {
    const store = await openStore(temporaryFolder());
    const results = Array.from({ length: 1200 }, (_, at) =>
      result({
        name: `case ${at}`,
        durationMs: (at * 7919) % 1200,
        status: at % 10 === 0 ? "fail" : "pass",
        category: at % 3 === 0 ? "a" : "b",
        output: { response: "x".repeat(2000) },
      }),
    );
    await store.push(importedRun({ runId: "r" }, results));
    const slowest = await store.results("r", { sort: "duration", descending: true, pageSize: 3 });
    expect(slowest.rows.map(({ durationMs }) => durationMs)).toEqual([1199, 1198, 1197]);
    const failed = await store.results("r", { filter: { status: ["fail"], category: "a" }, page: 1, pageSize: 30 });
    expect(failed.matching).toBe(40);
    expect(failed.rows.map(({ ordinal }) => ordinal)).toEqual(Array.from({ length: 10 }, (_, at) => 900 + at * 30));
    expect((await store.results("r", { filter: { name: "CASE 119" } })).matching).toBe(11);
    const [found] = await store.resultsFor(["r"]);
    expect([...(found?.rows ?? [])].map(({ name }) => name)).toEqual(results.map(({ name }) => name));
    expect(found?.read([1199, 3, 5000, 0])).toEqual([results[1199], results[3], results[0]] as never);
    store.close();
  });

  test("fifty rows of very long results are at most 60 kB", async () => {
    const store = await openStore(temporaryFolder());
    const long = "語".repeat(20_000);
    const results = Array.from({ length: 60 }, (_, at) =>
      result({
        name: `${at} ${long}`.slice(0, 2000),
        category: long,
        responsePreview: long,
        error: long,
        scores: Object.fromEntries(
          Array.from({ length: 40 }, (_, n) => [`criterion ${n} ${long.slice(0, 100)}`, 1 / 3]),
        ),
        failures: [failure(long)],
      }),
    );
    await store.push(importedRun({ runId: "r" }, results));
    const page = await store.results("r");
    expect(page.rows).toHaveLength(50);
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(60_000);
    store.close();
  });
});

test("a case has a history over runs, and another input is another case of that name", async () => {
  const store = await openStore(temporaryFolder());
  for (const [at, status] of (["pass", "fail", "pass"] as const).entries()) {
    await store.push(
      importedRun({ runId: `r${at}`, at: `2026-01-0${at + 1}T00:00:00.000Z`, gitSha: `c${at}` }, [
        result({ name: "a", inputSha: "one", status }),
        result({ name: "a", inputSha: "one", status, repeat: 1 }),
        result({ name: "a", inputSha: "two" }),
      ]),
    );
  }
  const all = store.history({ suite: "suite", case: "a" });
  expect(all).toHaveLength(9);
  const one = store.history({ case: all.find(({ inputSha }) => inputSha === "one")?.caseKey ?? "" });
  expect(one.map(({ gitSha, repeat, status }) => [gitSha, repeat, status])).toEqual([
    ["c2", 0, "pass"],
    ["c2", 1, "pass"],
    ["c1", 0, "fail"],
    ["c1", 1, "fail"],
    ["c0", 0, "pass"],
    ["c0", 1, "pass"],
  ]);
  store.close();
});

test("a renamed case has one history: other name, equal input, never in the same run", async () => {
  const store = await openStore(temporaryFolder());
  const one = (name: string, inputSha: string) => result({ name, inputSha });
  await store.push(importedRun({ runId: "1", at: "2026-03-01T00:00:00.000Z" }, [one("old", "x"), one("twin", "y")]));
  await store.push(
    importedRun({ runId: "2", at: "2026-03-02T00:00:00.000Z" }, [one("new", "x"), one("twin", "y"), one("other", "y")]),
  );
  const names = (name: string) => store.history({ case: name, withRenames: true }).map((point) => point.name);
  expect([names("new"), names("old"), names("twin"), names("other")]).toEqual([
    ["new", "old"],
    ["new", "old"],
    ["twin", "twin"],
    ["other"],
  ]);
  store.close();
});

describe("the index", () => {
  const twoRuns = async () => {
    const home = temporaryFolder();
    const store = await openStore(home, { now: clock() });
    await store.push(importedRun({ runId: "a" }));
    await store.push(importedRun({ runId: "b" }));
    const before = store.list();
    store.close();
    return { home, before, path: join(home, "evals/index.sqlite") };
  };

  test.each([
    ["missing", (path: string) => rmSync(path)],
    ["overwritten", (path: string) => writeFileSync(path, "not a database, but long enough to be read".repeat(50))],
    ["truncated", (path: string) => writeFileSync(path, new Uint8Array(100))],
    [
      "of an older version",
      (path: string) => {
        const { DatabaseSync } = require("node:sqlite") as typeof import("node:sqlite");
        const db = new DatabaseSync(path);
        db.exec("drop table results; drop table cases; pragma user_version = 99");
        db.close();
      },
    ],
  ])("%s is rebuilt from the files", async (_what, harm) => {
    const { home, before, path } = await twoRuns();
    for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    harm(path);
    const store = await openStore(home);
    expect(store.list()).toEqual(before);
    expect(store.history({ case: "a case" })).toHaveLength(2);
    store.close();
  });

  test("does not list missing or broken files", async () => {
    const { home } = await twoRuns();
    const runs = join(home, "evals/runs");
    const [first, second] = readdirSync(runs) as [string, string];
    rmSync(join(runs, first));
    writeFileSync(join(runs, `${"0".repeat(32)}.eval.zst`), "half a file");
    const store = await openStore(home);
    expect(store.list().matching).toBe(1);
    expect(existsSync(join(runs, second))).toBe(true);
    store.close();
  });
});

describe("a killed process", () => {
  test.each([
    ["evalRunWritten", 0],
    ["evalRunStored", 1],
  ])("at %s leaves %d complete runs and a working store", async (point, whole) => {
    const home = temporaryHome();
    const killed = await runProcess([process.execPath, writer, home.devflowHome, "killed", "1"], {
      env: home.environment(killAt(point)),
    });
    expect(killed.killedBy).toBe("SIGKILL");
    const store = await openStore(home.devflowHome);
    expect(store.list().matching).toBe(whole);
    if (whole) expect((await store.results("killed-0")).matching).toBe(20);
    expect((await store.push(importedRun({ runId: "later" }))).isNew).toBe(true);
    store.close();
  });
});

test("four processes that push at once lose nothing, and a run pushed by all is stored once", async () => {
  const home = temporaryHome();
  const pushed = await Promise.all(
    [1, 2, 3, 4].map((no) =>
      runProcess([process.execPath, writer, home.devflowHome, `p${no}`, "5", "shared"], { env: home.environment() }),
    ),
  );
  expect(pushed.map(({ code, stderr }) => [code, stderr])).toEqual(pushed.map(() => [0, ""]));
  const store = await openStore(home.devflowHome);
  expect(store.list().matching).toBe(21);
  expect(pushed.map(({ stdout }) => stdout.match(/shared new/g)?.length ?? 0).reduce((a, b) => a + b)).toBe(1);
  const attempts = store.list({ limit: 100 }).runs.map(({ attempt }) => attempt);
  expect(attempts.sort((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, at) => at + 1));
  store.close();
});

test("a sink gets the run first, then all results in order, in chunks of at most 1 MB, with stable ids", async () => {
  const store = await openStore(temporaryFolder());
  const results = Array.from({ length: 500 }, (_, at) => result({ name: `case ${at}`, output: "x".repeat(9000) }));
  results.push(result({ name: "huge", output: "é".repeat(2_000_000), scores: { accuracy: 1 } }));
  await store.push(importedRun({ runId: "r" }, results));
  const feed = async () => {
    const records: SinkRecord[] = [];
    const { chunks } = await store.feed("r", { accept: async (record) => void records.push(record) });
    expect(records).toHaveLength(chunks + 1);
    return records;
  };
  const records = await feed();
  const [header, ...chunks] = records;
  expect(header).toMatchObject({
    kind: "eval_run",
    record: { run: { runId: "r" }, summary: { totals: { total: 501 } } },
  });
  for (const record of records) expect(Buffer.byteLength(JSON.stringify(record))).toBeLessThanOrEqual(1_000_000);
  const fed = chunks.flatMap((chunk) => (chunk.kind === "eval_results" ? chunk.results : []));
  expect(fed.map(({ name }) => name)).toEqual(results.map(({ name }) => name));
  expect(fed.at(-1)).toMatchObject({
    scores: { accuracy: 1 },
    output: null,
    extra: { left_out: { reason: "larger than 1 MB" } },
  });
  expect(chunks.map((chunk) => chunk.kind === "eval_results" && chunk.isLast).indexOf(true)).toBe(chunks.length - 1);
  expect((await feed()).map(({ id }) => id)).toEqual(records.map(({ id }) => id));
  store.close();
});

test("superseded results are stored with the run and not counted", async () => {
  const store = await openStore(temporaryFolder());
  const superseded = [result({ name: "a", status: "fail" })];
  const { line } = await store.push(importedRun({ runId: "r" }, [result({ name: "a" })], { superseded }));
  expect(line.total).toBe(1);
  const kept = [];
  for await (const block of store.superseded("r")) kept.push(...block);
  expect(kept).toEqual(superseded);
  store.close();
});

test("old runs are pruned, but the newest of each suite are kept", async () => {
  const store = await openStore(temporaryFolder());
  for (let day = 1; day <= 6; day++) {
    const at = `2026-01-0${day}T00:00:00.000Z`;
    await store.push(importedRun({ runId: `r${day}`, at, suite: day === 1 ? "rare" : "suite" }));
  }
  const rule = { before: "2026-02-01T00:00:00.000Z", keep: 2 };
  expect((await store.prune({ ...rule, dryRun: true })).map(({ runId }) => runId)).toEqual(["r2", "r3", "r4"]);
  expect(store.list().matching).toBe(6);
  await store.prune(rule);
  expect(store.list().runs.map(({ runId }) => runId)).toEqual(["r6", "r5", "r1"]);
  await store.remove("r1");
  expect(store.list().matching).toBe(2);
  store.close();
});

function failure(message: string) {
  const nothing = { expectationType: null, criterion: null, expected: null, actual: null, details: null, scores: null };
  return { type: "deterministic" as const, message, ...nothing };
}

function clock(): () => number {
  let now = Date.UTC(2026, 0, 1);
  return () => (now += 1000);
}
