import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { readAll, refusal, streamOf } from "../../testing/read-all.ts";
import { writeZip, type ZipPart } from "../../testing/write-zip.ts";
import type { EvalTotals } from "../results/result.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "devflow-hostile-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const header = {
  version: 2,
  status: "success",
  eval: { task: "t", run_id: "r", model: "m" },
  results: { total_samples: 1 },
};
const sample = { id: 1, epoch: 1, input: "q", target: "a", scores: { match: { value: "C" } } };
const honest: readonly ZipPart[] = [
  { name: "samples/1_epoch_1.json", data: JSON.stringify(sample) },
  { name: "header.json", data: JSON.stringify(header) },
];
const log = (parts: readonly ZipPart[], options = {}) => streamOf(writeZip(parts, options));
const asLog = { name: "log.eval" };

describe("a .eval archive", () => {
  test.each(["stored", "deflate", "zstd"] as const)("packed as %s is read", async (method) => {
    const [run] = await readAll(log(honest.map((part) => ({ ...part, method }))), asLog);
    expect(run!.run.totals).toEqual({ total: 1, passed: 1, failed: 0, errors: 0, skipped: 0 });
    expect(run!.warnings).toEqual([]);
  });

  test.each(["deflate", "zstd"] as const)("that is a %s bomb is refused before it is unpacked", async (method) => {
    const bomb = { name: "samples/2_epoch_1.json", data: `{"id":2,"input":"${" ".repeat(40_000_000)}"}`, method };
    expect(await refusal(readAll(log([...honest, bomb]), asLog))).toContain("unpacks to more than 250 times its size");
  });

  test("that unpacks to more than the total limit is refused", async () => {
    const parts = [1, 2, 3].map((id) => ({
      name: `samples/${id}_epoch_1.json`,
      data: JSON.stringify({ ...sample, id, input: "x".repeat(600) }),
    }));
    const attempt = readAll(log([...parts, honest[1]!]), { ...asLog, limits: { unpackedBytes: 1500 } });
    expect(await refusal(attempt)).toBe("log.eval was not imported: it unpacks to more than 1500 bytes.");
  });

  test.each(["../../etc/passwd", "/etc/passwd", "samples/../../x.json", "C:\\x.json", "samples\\..\\..\\x"])(
    "with an entry called %s is refused",
    async (name) => {
      expect(await refusal(readAll(log([...honest, { name, data: "{}" }]), asLog))).toContain(
        "points outside the archive",
      );
    },
  );

  test("that is encrypted is refused", async () => {
    expect(await refusal(readAll(log([{ ...honest[0]!, flags: 1 }, honest[1]!]), asLog))).toContain("is encrypted");
  });

  test("whose entries are larger or smaller than declared is refused", async () => {
    const size = honest[0]!.data.length;
    for (const saysUnpacked of [size - 1, size + 1, 0]) {
      const message = await refusal(readAll(log([{ ...honest[0]!, saysUnpacked }, honest[1]!]), asLog));
      expect(message).toMatch(/contains more than the declared \d+ bytes|contains \d+ bytes, but declares/);
    }
  });

  test("with a wrong checksum, a wrong offset or an unknown method is refused", async () => {
    expect(await refusal(readAll(log([{ ...honest[0]!, saysCrc: 1 }, honest[1]!]), asLog))).toContain("checksum");
    expect(await refusal(readAll(log([{ ...honest[0]!, saysOffset: 7 }, honest[1]!]), asLog))).toContain(
      "not where its directory says",
    );
    expect(await refusal(readAll(log([{ ...honest[0]!, method: 12 }, honest[1]!]), asLog))).toContain(
      "uses compression method 12",
    );
  });

  test("whose compressed data is garbage is refused", async () => {
    const zip = writeZip(honest);
    zip.fill(0xff, 55, 75);
    expect(await refusal(readAll(streamOf(zip), asLog))).toContain("cannot be unpacked");
  });

  test("inside another archive is not searched for", async () => {
    const nested = log([{ name: "log.eval", data: writeZip(honest) }]);
    expect(await refusal(readAll(nested, asLog))).toContain("neither header.json nor _journal/start.json");
  });

  test("of a killed run is read from its journal", async () => {
    const summaries = [
      { id: 1, epoch: 1, input: "q", scores: { match: { value: "I" } } },
      { id: 2, epoch: 1, input: "q2", error: "Timeout" },
    ];
    const [run] = await readAll(
      log([
        { name: "_journal/start.json", data: JSON.stringify({ version: 2, eval: header.eval }), method: "zstd" },
        { name: "samples/1_epoch_1.json", data: JSON.stringify(sample), method: "zstd" },
        { name: "_journal/summaries/1.json", data: JSON.stringify(summaries), method: "zstd" },
      ]),
      asLog,
    );
    expect(run!.results.map(({ name, status }) => [name, status])).toEqual([
      ["1", "pass"],
      ["2", "error"],
    ]);
    expect(run!.warnings).toEqual([
      "Inspect did not finish this run (killed): only the finished samples are imported",
      "1 sample(s) have only a summary: inputs may be shortened, outputs are missing",
    ]);
  });

  test("that is truncated gives its complete entries and a warning", async () => {
    const start = { name: "_journal/start.json", data: JSON.stringify({ eval: header.eval }) };
    const zip = writeZip([start, honest[0]!, { name: "samples/2_epoch_1.json", data: "x".repeat(500) }], {
      withoutDirectory: true,
    });
    const [run] = await readAll(streamOf(zip.subarray(0, zip.length - 3)), asLog);
    expect(run!.results).toHaveLength(1);
    expect(run!.warnings[0]).toBe("the archive is truncated; 2 complete entries were read from its start");
  });

  test("with too many entries is refused", async () => {
    expect(await refusal(readAll(log(honest), { ...asLog, limits: { archiveEntries: 1 } }))).toContain(
      "more than 1 entries",
    );
  });
});

describe("XML", () => {
  const suite = (inside: string, before = "") =>
    streamOf(`<?xml version="1.0"?>${before}<testsuite name="s">${inside}</testsuite>`);

  test("with a billion laughs is refused because of its DTD", async () => {
    const laughs = '<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>';
    expect(await refusal(readAll(suite('<testcase name="&b;"/>', laughs)))).toContain("document type definition");
  });

  test("with an external entity is refused", async () => {
    const outside = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>';
    expect(await refusal(readAll(suite('<testcase name="&a;"/>', outside)))).toContain("document type definition");
    expect(await refusal(readAll(suite('<testcase name="&a;"/>')))).toContain("is not valid XML");
  });

  test("that is truncated or too deep is refused", async () => {
    expect(await refusal(readAll(streamOf('<testsuite name="s"><testcase name="a">')))).toContain("is not valid XML");
    expect(await refusal(readAll(suite("<x>".repeat(500) + "</x>".repeat(500))))).toContain(
      "is nested deeper than 400",
    );
  });

  test("in another encoding is read as declared", async () => {
    const latin = Buffer.from(
      '<?xml version="1.0" encoding="ISO-8859-1"?><testsuite name="s"><testcase name="\xe9t\xe9"/></testsuite>',
      "latin1",
    );
    const [run] = await readAll(streamOf(latin));
    expect(run!.results[0]!.name).toBe("été");
    const wrong = Buffer.from('<testsuite name="s"><testcase name="\xe9t\xe9"/></testsuite>', "latin1");
    expect(await refusal(readAll(streamOf(wrong)))).toContain("is not encoded as utf-8, as it declares");
  });
});

describe("JSON", () => {
  const minimal = '{"suite":"s","results":[{"name":"a","passed":true},{"name":"b","passed":false}]}';

  test("that is truncated anywhere is refused, never read in part", async () => {
    for (let length = 12; length < minimal.length; length += 1) {
      const message = await refusal(readAll(streamOf(minimal.slice(0, length)), { format: "devflow" }));
      expect(message).toMatch(/cannot be read: .*(ends in the middle|expected)/);
    }
  }, 60_000);

  test("with a byte order mark, in UTF-16, or with CRLF is read the same", async () => {
    const plain = (await readAll(streamOf(minimal)))[0]!.results;
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(minimal, "utf16le")]);
    for (const variant of [`\uFEFF${minimal}`, minimal.replaceAll(",", ",\r\n"), utf16]) {
      expect((await readAll(streamOf(variant, 7)))[0]!.results).toEqual(plain);
    }
  });

  test("that is not UTF-8 is refused with the position", async () => {
    const bytes = Buffer.from(minimal.replace('"a"', '"\xe9"'), "latin1");
    expect(await refusal(readAll(streamOf(bytes), { name: "r.json" }))).toContain(
      "results[0]: expected UTF-8, found other bytes",
    );
  });

  test("of another tool with NaN and infinities reads them as missing, with a warning, but keeps them in strings", async () => {
    const file =
      '{"evalId":"e","results":{"version":3,"results":[{"vars":{"q":"NaN"},"success":true,"namedScores":{"a":NaN,"b":-Infinity,"c":1}}]}}';
    const [run] = await readAll(streamOf(file));
    expect(run!.results[0]).toMatchObject({ input: { q: "NaN" }, scores: { c: 1 } });
    expect(run!.warnings).toContain("2 value(s) were NaN or infinite and are read as missing");
  });

  test("in Devflow's format with NaN or a duplicate key is refused, and both are reported", async () => {
    const wrong = '{"suite":"old","suite":"new","results":[{"name":"a","passed":true,"judge_scores":{"b":NaN}}]}';
    const message = await refusal(readAll(streamOf(wrong)));
    expect(message).toContain("suite: expected once, found twice");
  });

  test("with members called __proto__ and constructor changes only the record", async () => {
    const file =
      '{"suite":"s","__proto__":{"polluted":1},"results":[{"name":"a","passed":true,"__proto__":{"polluted":1},"constructor":2}]}';
    const [run] = await readAll(streamOf(file));
    expect(run!.results[0]!.status).toBe("pass");
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("that is nested a hundred thousand levels deep is refused", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(await refusal(readAll(streamOf(`{"suite":"s","results":[${deep}]}`)))).toContain(
      "100000 levels deep; at most 200",
    );
    expect(await refusal(readAll(streamOf(`{"name":"a","passed":true}\n${deep}\n`), { name: "r.jsonl" }))).toContain(
      "line 2: it is nested",
    );
  });

  test("with one record beyond the limit is refused with its position", async () => {
    const file = `{"evalId":"e","results":{"version":3,"results":[{"success":true},{"error":"${"x".repeat(5000)}"}]}}`;
    expect(await refusal(readAll(streamOf(file), { limits: { recordBytes: 4096 } }))).toBe(
      "standard input contains a record of more than 4096 bytes at byte 65.",
    );
  });

  test("with huge numbers keeps those that can be represented, and refuses the others", async () => {
    const huge = (total: string) =>
      streamOf(`{"suite":"s","total":${total},"results":[{"name":"a","passed":true,"duration_ms":1e308}]}`);
    expect((await readAll(huge("7")))[0]!.results).toMatchObject([{ durationMs: 1e308 }]);
    expect(await refusal(readAll(huge("1e400")))).toContain("total: expected a number below 1.8e308");
  });

  test("with a hundred thousand results with one name numbers them all", async () => {
    const line = '{"name":"same","passed":true,"input":"q"}\n';
    const [run] = await readAll(streamOf(line.repeat(100_000)), { name: "many.jsonl" });
    expect(run!.results[99_999]!.repeat).toBe(99_999);
  }, 60_000);

  test("unreadable lines are refused with their number, or listed if lenient", async () => {
    const lines = '{"name":"a","passed":true}\nnot json\n{"name":"b","passed":"yes"}\n{"name":"c","pas';
    expect(await refusal(readAll(streamOf(lines), { name: "r.jsonl" }))).toContain("line 2: expected JSON");
    const [run] = await readAll(streamOf(lines), { name: "r.jsonl", lenient: true });
    expect(run!.results.map(({ name }) => name)).toEqual(["a"]);
    expect(run!.warnings.map((warning) => /line \d/.exec(warning)?.[0])).toEqual(["line 2", "line 3", "line 4"]);
  });
});

test("a file of 120 MB is read in less memory than its size", async () => {
  const count = 12_000;
  const path = join(folder, "large.json");
  await writePieces(path, largeJson(count));
  const { totals, results, peakBytes } = await importElsewhere(path);
  expect(totals).toEqual({ total: count, passed: count * 0.9, failed: count * 0.1, errors: 0, skipped: 0 });
  expect(results).toBe(count);
  expect(peakBytes).toBeLessThan(200 * 1024 * 1024);
}, 180_000);

test("a table of 60 MB is read in a fraction of that memory", async () => {
  const count = 6_000;
  const path = join(folder, "large.csv");
  await writePieces(path, largeCsv(count));
  const { totals, results, peakBytes } = await importElsewhere(path);
  expect([totals.passed, results]).toEqual([count, count]);
  expect(peakBytes).toBeLessThan(130 * 1024 * 1024);
}, 180_000);

function* largeJson(count: number): Generator<string> {
  const record = (id: number) => ({
    id: `r${id}`,
    promptIdx: 0,
    testIdx: id,
    success: id % 10 !== 0,
    failureReason: id % 10 === 0 ? 1 : 0,
    vars: { id },
    response: { output: "x".repeat(9_800) },
    provider: "p",
    testCase: { description: `case ${id}` },
  });
  yield '{"evalId":"e","results":{"version":3,"timestamp":"2026-01-01T00:00:00Z","results":[';
  for (let id = 0; id < count; id += 1) yield `${id === 0 ? "" : ","}${JSON.stringify(record(id))}`;
  yield `],"stats":{"successes":${count * 0.9},"failures":${count * 0.1},"errors":0}},"config":{}}`;
}

function* largeCsv(count: number): Generator<string> {
  yield "name,status,output\r\n";
  for (let id = 0; id < count; id += 1) yield `case ${id},pass,"${'said ""so"",\n'.repeat(770)}"\r\n`;
}

async function writePieces(path: string, pieces: Iterable<string>): Promise<void> {
  await pipeline(Readable.from(pieces), createWriteStream(path));
}

/** In a separate process, so that its peak memory is the import's. */
async function importElsewhere(path: string): Promise<{ totals: EvalTotals; results: number; peakBytes: number }> {
  const reader = join(import.meta.dir, "../../testing/programs/measure-import.ts");
  const child = Bun.spawn([process.execPath, reader, path], { stdout: "pipe", stderr: "inherit" });
  const answer = JSON.parse(await new Response(child.stdout).text());
  expect(await child.exited).toBe(0);
  await rm(path);
  return answer;
}

test("cells that a spreadsheet would run as formulas are escaped, and read back unchanged", async () => {
  const { exportRun } = await import("./export/export-run.ts");
  const evil = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "\t=1", "'=1", "''=1", "-0.5", "plain", "＝1"];
  const lines = evil.map((name) => JSON.stringify({ name, passed: true, input: name })).join("\n");
  const [run] = await readAll(streamOf(lines), { name: "evil.jsonl" });
  let written = "";
  for await (const piece of exportRun(run!.run, run!.results, "csv")) written += piece;
  for (const row of written.split("\r\n").slice(1, -1)) expect(row).not.toMatch(/(?:^|,)"?(?:[=+@\t＝]|-(?!0\.5))/);
  const [back] = await readAll(streamOf(written), { name: "evil.csv" });
  expect(back!.results.map(({ name, input }) => [name, input])).toEqual(evil.map((name) => [name, name]));
});

test("an unclosed quote and a row with too many cells are refused with the line", async () => {
  expect(await refusal(readAll(streamOf('name,status\na,pass\n"b,fail\n'), { name: "t.csv" }))).toContain(
    "the row starts on line 3",
  );
  expect(await refusal(readAll(streamOf("name,status\na,pass,extra\n"), { name: "t.csv" }))).toContain(
    "line 2: it has 3 cells",
  );
  const [run] = await readAll(streamOf("name,status\na,pass,extra\nb,maybe\nc,fail\n"), {
    name: "t.csv",
    lenient: true,
  });
  expect([run!.run.totals.total, run!.warnings.length]).toEqual([1, 2]);
});

test("a table may mix CRLF, LF and CR, and errors give the line number that an editor shows", async () => {
  const table = 'name,status,input\r\n\r\na,pass,"two\r\nlines"\nb,fail,"three\nmore\nlines"\rc,maybe,x\n';
  for (const pieceBytes of [1, 7, 4096]) {
    const [run] = await readAll(streamOf(table, pieceBytes), { name: "t.csv", lenient: true });
    expect(run!.results.map(({ name, input }) => [name, input])).toEqual([
      ["a", "two\r\nlines"],
      ["b", "three\nmore\nlines"],
    ]);
    expect(run!.warnings).toEqual(['t.csv, line 8: "maybe" is not a verdict (pass, fail, error, skipped)']);
  }
});

test("a table that is not UTF-8, or with a row beyond the limit, is refused", async () => {
  const latin = Buffer.from("name,status\n\xe9t\xe9,pass\n", "latin1");
  expect(await refusal(readAll(streamOf(latin), { name: "t.csv" }))).toBe("t.csv is not UTF-8.");
  const cut = Buffer.from("name,status\na,pass\nb,é").subarray(0, -1);
  expect(await refusal(readAll(streamOf(cut), { name: "t.csv" }))).toBe("t.csv is not UTF-8.");
  const long = `name,status\na,pass\n"${"x".repeat(9000)}",fail\n`;
  expect(await refusal(readAll(streamOf(long), { name: "t.csv", limits: { recordBytes: 4096 } }))).toBe(
    "t.csv has a row of more than 4096 bytes at line 3.",
  );
});

test("a SQLite file that is not evalite's, or that has a view in place of a table, is refused", async () => {
  const { DatabaseSync } = await import("node:sqlite");
  const path = join(folder, "x.sqlite");
  const database = new DatabaseSync(path);
  database.exec(
    "create table runs(id, runType, created_at); create table results(id); create table scores(id); create table traces(id)",
  );
  database.exec(
    "create view evals as with recursive n(i) as (select 1 union all select i + 1 from n) select i as id, 1 as run_id from n",
  );
  database.close();
  expect(await refusal(readAll(path))).toContain("it has no table evals");
  await writeFile(join(folder, "y.sqlite"), Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(200, 7)]));
  expect(await refusal(readAll(join(folder, "y.sqlite")))).toContain("y.sqlite");
});
