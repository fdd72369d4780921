import { describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { temporaryFolder } from "@devflow/testkit";
import { streamOf } from "../../testing/read-all.ts";
import { readResults } from "./read-results.ts";
import type { EvalResult } from "./result.ts";

const defaults = { nowMs: Date.UTC(2026, 2, 15) };

async function read(content: string | Uint8Array, { name = "suite-a.json", lenient = false } = {}) {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const imported = await readResults(streamOf(bytes), { name, defaults, lenient });
  const results: EvalResult[] = [];
  for await (const result of imported.results) results.push(result);
  return { ...imported, results };
}

async function faultsIn(content: string | Uint8Array, name?: string): Promise<string> {
  try {
    await read(content, name ? { name } : {});
  } catch (error) {
    if (error instanceof DevflowError) return error.message;
    throw error;
  }
  throw new Error("the file was accepted");
}

const seedFile = {
  schema_version: 1,
  label: "dev_fix-terseness_standard",
  timestamp: "2026-03-15T10:30:00Z",
  git_sha: "abc123",
  git_branch: "dev/fix-terseness",
  prompt_sha: "a08ff469",
  hostname: "dev-machine",
  tier: "standard",
  total: 1,
  passed: 1,
  failed: 0,
  duration_seconds: 893.4,
  by_category: { post_generation: { passed: 1, total: 1 } },
  all_results: [
    {
      name: "must_cite_sources",
      category: "post_generation",
      passed: true,
      duration_ms: 45000,
      failures: [{ type: "deterministic", check: "body_contains", pattern: "Series B", message: "not found" }],
      judge_scores: { accuracy: 0.85, voice_fidelity: 0.72 },
      response_preview: "The proposed legislation would...",
      output: { response: "text" },
      comparison: null,
      my_own: { kept: true },
    },
  ],
  costs: [{ model: "claude-sonnet-4-6", calls: 25, input_tokens: 45123, output_tokens: 12456 }],
  team_note: "kept",
};

describe("the seed's format", () => {
  test("is read completely, including members after the results and unknown members", async () => {
    const { run, results } = await read(JSON.stringify(seedFile));
    expect(run).toMatchObject({
      suite: "suite-a",
      label: "dev_fix-terseness_standard",
      at: "2026-03-15T10:30:00.000Z",
      gitSha: "abc123",
      promptSha: "a08ff469",
      host: "dev-machine",
      durationMs: 893400,
      extra: { team_note: "kept" },
    });
    expect(run.costs).toEqual([
      {
        model: "claude-sonnet-4-6",
        calls: 25,
        inputTokens: 45123,
        outputTokens: 12456,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        costUsd: null,
      },
    ]);
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({
      name: "must_cite_sources",
      status: "pass",
      repeat: 0,
      scores: { accuracy: 0.85, voice_fidelity: 0.72 },
      extra: { my_own: { kept: true } },
    });
    expect(results[0]?.failures[0]).toMatchObject({ extra: { check: "body_contains", pattern: "Series B" } });
  });

  test("can also be minimal, JSON lines with a header line, or a plain list", async () => {
    const minimal = await read('{"suite":"s","results":[{"name":"a","passed":true},{"name":"b","passed":false}]}');
    const lines = await read('{"suite":"s"}\r\n{"name":"a","passed":true}\r\n\r\n{"name":"b","passed":false}\r\n');
    const list = await read('[{"name":"a","passed":true},{"name":"b","passed":false}]', { name: "s.json" });
    for (const { run, results } of [minimal, lines, list]) {
      expect(run.suite).toBe("s");
      expect(results.map(({ name, status }) => [name, status])).toEqual([
        ["a", "pass"],
        ["b", "fail"],
      ]);
    }
  });

  test("one line is a run of one result", async () => {
    expect((await read('{"name":"only","passed":true}')).results.map(({ name }) => name)).toEqual(["only"]);
  });

  test("an error is not a failure, and status may be given instead of passed", async () => {
    const { results } = await read(
      '{"results":[{"name":"a","passed":false,"error":"timeout"},{"name":"b","status":"skipped"},{"name":"c","error":"judge failed"}]}',
    );
    expect(results.map(({ status }) => status)).toEqual(["error", "skipped", "error"]);
  });

  test("input tokens exclude cache tokens for Claude and include them for others", async () => {
    const usage = { input_tokens: 1000, output_tokens: 10, cache_read_tokens: 400 };
    const { results } = await read(
      JSON.stringify({
        results: [
          { name: "a", passed: true, usage: [{ model: "claude-sonnet-4-6", ...usage }] },
          { name: "b", passed: true, usage: [{ model: "gpt-5.4", ...usage }] },
          { name: "c", passed: true, usage: [{ model: "gpt-5.4", ...usage, input_includes_cache: false }] },
          { name: "d", passed: true, usage: [{ model: "gpt-5.4", ...usage, cache_read_tokens: 4000 }] },
        ],
      }),
    );
    expect(results.map((result) => result.usage[0]?.inputTokens)).toEqual([1000, 600, 1000, 1000]);
  });
});

describe("an error in the file", () => {
  test("is reported with its path, what was expected and what was found", async () => {
    const message = await faultsIn(
      JSON.stringify({
        tier: "huge",
        results: [],
      }),
    );
    expect(message).toContain(
      'tier: expected one of "quick", "fast", "standard", "full", "e2e", "llm-judge", found "huge"',
    );
    const records = await faultsIn(
      JSON.stringify({
        results: [
          { name: "a", passed: "yes" },
          { name: "", passed: true },
          { name: "b" },
          { name: "c", passed: true, judge_scores: { accuracy: "0.9" } },
          { name: "d", passed: true, usage: [{ input_tokens: -1, model: "m" }] },
          { name: "e", passed: true, status: "fail" },
          7,
        ],
      }),
    );
    expect(records.split("\n")).toEqual([
      "suite-a.json has 7 errors:",
      '  results[0].passed: expected true or false, found "yes"',
      '  results[1].name: expected a non-empty string, found ""',
      "  results[2].passed: expected true or false (or a status), found nothing",
      '  results[3].judge_scores.accuracy: expected a finite number, found "0.9"',
      "  results[4].usage[0].input_tokens: expected at least 0, found -1",
      '  results[5].status: expected to agree with passed (true), found "fail"',
      "  results[6]: expected an object, found 7",
    ]);
  });

  test("if lenient, what can be read is kept and the rest is reported per record", async () => {
    const { results, rejected } = await read(
      JSON.stringify({
        tier: "huge",
        results: [{ name: "a", passed: true, duration_ms: "long" }, { passed: true }, { name: "c", passed: true }],
      }),
      { lenient: true },
    );
    expect(results.map(({ name }) => name)).toEqual(["a", "c"]);
    expect(results[0]?.extra).toEqual({ unread: { duration_ms: "long" } });
    expect(rejected.map(({ path }) => path)).toEqual(["tier", "results[0].duration_ms", "results[1].name"]);
  });

  test("in one line of JSONL does not affect the other lines", async () => {
    const content = '{"name":"a","passed":true}\n{"name":"b","passed":tr\n{"name":"c","passed":true}\n';
    expect(await faultsIn(content, "x.jsonl")).toContain("line 2");
    const { results, rejected } = await read(content, { name: "x.jsonl", lenient: true });
    expect(results.map(({ name }) => name)).toEqual(["a", "c"]);
    expect(rejected).toHaveLength(1);
  });
});

describe("bad input", () => {
  test("a truncated file gives an error with the position; if lenient, complete results are kept", async () => {
    const whole = JSON.stringify(seedFile.all_results[0]);
    const content = `{"suite":"s","all_results":[${whole},${whole},{"name":"c","pas`;
    expect(await faultsIn(content)).toContain("it ends in the middle of all_results[2]");
    const { results, rejected } = await read(content, { lenient: true });
    expect(results).toHaveLength(2);
    expect(rejected[0]?.path).toBe("all_results[2]");
  });

  test.each([
    ["nothing", "", "it is empty"],
    ["white space", " \n ", "it is empty"],
    ["text", "hello", "expected an object with results"],
    ["a list of nothing known", '{"a":1}', "all_results: expected a list of results, found nothing"],
    ["results that are not a list", '{"results":{"a":1}}', "results: expected a list of results"],
    ["NaN", '{"results":[{"name":"a","passed":true,"judge_scores":{"x":NaN}}]}', "NaN is not JSON; write null"],
    ["1e400", '{"results":[{"name":"a","passed":true,"output":1e400}]}', "below 1.8e308, found 1e400"],
    ["a name twice", '{"results":[{"name":"a","name":"b","passed":true}]}', 'found "name" twice'],
    ["results twice", '{"results":[],"results":[{"name":"a","passed":true}]}', "results: expected once, found twice"],
    [
      "deep nesting",
      `{"results":[{"name":"a","passed":true,"output":${"[".repeat(1e5)}${"]".repeat(1e5)}}]}`,
      "nested",
    ],
    ["a comma too many", '{"results":[{"name":"a","passed":true},]}', "expected a value"],
    ["a bracket that never opened", '{"results":[]]}', 'expected "," or "}"'],
    ["text after the end", '{"results":[]} x', "expected the end of the file"],
  ])("%s gives a clear error", async (_what, content, expected) => {
    expect(await faultsIn(content)).toContain(expected);
  });

  test("bytes that are not UTF-8 are reported; if lenient, the record is kept", async () => {
    const content = Buffer.concat([
      Buffer.from('{"results":[{"name":"a","passed":true,"output":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"},{"name":"b","passed":true}]}'),
    ]);
    expect(await faultsIn(content)).toContain("results[0]: expected UTF-8");
    expect((await read(content, { lenient: true })).results).toHaveLength(2);
  });

  test("a byte order mark, CRLF, escapes and __proto__ are read correctly", async () => {
    const content = `\ufeff{\r\n"results": [\r\n{"name":"q\\"\\\\","passed":true,"__proto__":{"polluted":1},"output":{"__proto__":[1]}}\r\n]\r\n}`;
    const { results } = await read(content);
    expect(results[0]?.name).toBe('q"\\');
    expect(Object.keys(results[0]?.extra ?? {})).toEqual(["__proto__"]);
    expect(JSON.stringify(results[0]?.output)).toBe('{"__proto__":[1]}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("a whole number that cannot be represented exactly gives a warning", async () => {
    const { warnings } = await read('{"results":[{"name":"a","passed":true,"output":{"id":12345678901234567891}}]}');
    expect(warnings[0]).toContain("12345678901234567891 has too many digits for a number");
    const fine = await read('{"results":[{"name":"a","passed":true,"output":[0.30000000000000004,9007199254740992]}]}');
    expect(fine.warnings).toEqual([]);
  });

  test("100,000 results with one name are 100,000 repeats of one case", async () => {
    const lines = Array.from({ length: 100_000 }, () => '{"name":"same","passed":true}').join("\n");
    const { results } = await read(lines, { name: "x.jsonl" });
    expect(results).toHaveLength(100_000);
    expect(new Set(results.map(({ repeat }) => repeat)).size).toBe(100_000);
  }, 60_000);

  test("given repeat numbers are kept, and a duplicate one is renumbered, never dropped", async () => {
    const one = (repeat?: number) => ({ name: "a", passed: true, ...(repeat === undefined ? {} : { repeat }) });
    const { results, warnings } = await read(JSON.stringify({ results: [one(1), one(0), one(1), one()] }));
    expect(results.map(({ repeat }) => repeat)).toEqual([1, 0, 2, 3]);
    expect(warnings).toHaveLength(1);
  });
});

describe("wherever the chunks end", () => {
  test("the parts are the same", async () => {
    const { JsonSplitter } = await import("./json-splitter.ts");
    const content = Buffer.from(
      `{"a":"x\\\\","b\\"c":[1,{"d":"]}"}],"long":"${'y\\\\\\"'.repeat(40)}","results":[{"n":1},"two",3,[4]],"z":-1.5e3}`,
    );
    const whole = partsOf(JsonSplitter, content, content.length);
    expect(whole.map(([name]) => name)).toEqual(["a", 'b"c', "long", "results", "results", "results", "results", "z"]);
    for (let size = 1; size < content.length; size++) expect(partsOf(JsonSplitter, content, size)).toEqual(whole);
  });
});

function partsOf(Splitter: typeof import("./json-splitter.ts").JsonSplitter, content: Buffer, size: number) {
  const splitter = new Splitter({ plan: { results: "stream" } });
  const parts: [string | null, unknown][] = [];
  for (let at = 0; at < content.length; at += size) {
    for (const part of splitter.feed(content.subarray(at, at + size))) {
      if (part.bytes.length > 0) parts.push([part.name, JSON.parse(part.bytes.toString())]);
    }
  }
  splitter.end();
  return parts;
}

describe("a run without an id", () => {
  const content = '{"results":[{"name":"a","passed":true}]}';
  const runId = async (path: string, environment: Record<string, string> = {}) => {
    const imported = await readResults(path, { defaults: { ...defaults, environment } });
    return imported.run.runId;
  };

  test("is identified by its bytes and the file's time, so equal bytes with another time are another run", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "a.json");
    writeFileSync(path, content);
    const first = await runId(path);
    expect(await runId(path)).toBe(first);
    const { utimesSync } = await import("node:fs");
    utimesSync(path, new Date(), new Date(Date.now() + 5000));
    expect(await runId(path)).not.toBe(first);
  });

  test("in CI is identified by run, attempt and content", async () => {
    const path = join(temporaryFolder(), "a.json");
    writeFileSync(path, content);
    const first = await runId(path, { GITHUB_RUN_ID: "77", GITHUB_RUN_ATTEMPT: "1" });
    expect(first).toMatch(/^github-77-1-[0-9a-f]{8}$/);
    expect(await runId(path, { GITHUB_RUN_ID: "77", GITHUB_RUN_ATTEMPT: "2" })).not.toBe(first);
  });

  test("from a pipe is always new, and no temporary file remains", async () => {
    const spoolFolder = temporaryFolder();
    const usual = process.env.TMPDIR;
    process.env.TMPDIR = spoolFolder;
    const ids = new Set<string>();
    for (let turn = 0; turn < 2; turn++) {
      const imported = await readResults(streamOf(content), { defaults });
      for await (const _ of imported.results);
      ids.add(imported.run.runId);
    }
    expect(ids.size).toBe(2);
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
    expect(readdirSync(spoolFolder)).toEqual([]);
  });
});
