import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeZip } from "@devflow/evals/testing";
import { devflowCommand, runCli, runProcess, temporaryHome } from "@devflow/testkit";

const good = {
  suite: "s",
  results: [
    { name: "a", passed: true },
    { name: "b", passed: false },
  ],
};
const text = JSON.stringify(good);
const header = JSON.stringify({
  version: 2,
  status: "success",
  eval: { run_id: "r", task: "t", task_id: "i", model: "m", created: "2026-01-01T00:00:00Z", dataset: {}, config: {} },
});
const sample = (id: number, input: string) => JSON.stringify({ id, epoch: 1, input, target: "x", scores: {} });

/** Untrusted files and the error messages for them. */
const files: readonly [what: string, name: string, content: string | Uint8Array, said: RegExp][] = [
  ["cut off", "a.json", text.slice(0, 60), /a\.json cannot be read: it ends in the middle of results\[1\]/],
  ["empty", "a.json", "", /is empty/],
  ["not JSON", "a.json", `${text.slice(0, -1)}x`, /expected/],
  ["NaN", "a.json", text.replace("false", 'false,"duration_ms":NaN'), /results\[1\]: .*NaN is not JSON; write null/],
  [
    "a number beyond all numbers",
    "a.json",
    text.replace("false", 'false,"duration_ms":1e999'),
    /below 1.8e308, found 1e999/,
  ],
  [
    "a name twice",
    "a.json",
    text.replace('"name":"a"', '"name":"a","name":"c"'),
    /results\[0\]: expected each name once, found "name" twice/,
  ],
  [
    "not UTF-8",
    "a.json",
    Buffer.from(text.replace('"a"', '"\xe9"'), "latin1"),
    /results\[0\]: expected UTF-8, found other bytes/,
  ],
  [
    "nested without end",
    "a.json",
    text.replace("true", `true,"output":${"[".repeat(100_000)}${"]".repeat(100_000)}`),
    /nested 100001 levels deep/,
  ],
  [
    "a zip bomb",
    "log.eval",
    writeZip([
      { name: "header.json", data: header },
      { name: "samples/1_epoch_1.json", data: sample(1, " ".repeat(40_000_000)) },
    ]),
    /unpacks to more than 250 times its size/,
  ],
  [
    "a zip that points outside",
    "log.eval",
    writeZip([
      { name: "header.json", data: header },
      { name: "../../.bashrc", data: "x" },
    ]),
    /points outside the archive/,
  ],
  ["a zip of nothing known", "log.eval", writeZip([{ name: "readme.txt", data: "x" }]), /.+/],
  ["a picture", "a.png", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), /binary file of an unknown format/],
  [
    "XML with an entity bomb",
    "a.xml",
    '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>',
    /.+/,
  ],
];

describe("eval push of a file that is", () => {
  test.each(files)("%s is a clear refusal, and nothing is stored", async (_what, name, content, said) => {
    const home = temporaryHome();
    const path = join(home.path, name);
    writeFileSync(path, content);
    const answer = await runCli(["eval", "push", path], { home });
    expect(answer.code).toBe(65);
    expect(answer.stderr).toMatch(said);
    // A sentence and what to do next, never a trace.
    expect(answer.stderr).not.toMatch(/\n\s+at /);
    expect((await runCli(["eval", "list"], { home })).stdout).toContain("No eval runs");
    expect(readdirSync(join(home.devflowHome, "evals/runs"))).toEqual([]);
    expect(existsSync(join(home.path, ".bashrc"))).toBe(false);
  });

  test.each([
    ["with a byte order mark", `\uFEFF${text}`],
    ["with CRLF", JSON.stringify(good, null, 2).replaceAll("\n", "\r\n")],
    ["UTF-16", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")])],
    ["JSONL with CRLF and blank lines", '{"name":"a","passed":true}\r\n\r\n{"name":"b","passed":false}\r\n'],
  ])("%s is read as it is meant", async (_what, content) => {
    const home = temporaryHome();
    const path = join(home.path, "a.json");
    writeFileSync(path, content);
    const answer = await runCli(["eval", "push", path, "--json"], { home });
    expect(answer.json<{ runs: object[] }>().runs).toMatchObject([{ total: 2, passed: 1, failed: 1 }]);
  });

  test("cut off keeps what is whole when asked to, and names where it ends", async () => {
    const home = temporaryHome();
    const path = join(home.path, "a.json");
    writeFileSync(path, text.slice(0, 60));
    const answer = await runCli(["eval", "push", "--lenient", path, "--json"], { home });
    const [stored] = answer.json<{ runs: { total: number; warnings: string[] }[] }>().runs;
    expect([stored?.total, stored?.warnings]).toEqual([1, [expect.stringContaining("results[1]")]]);
  });

  test("a pipe that is not UTF-8 is refused by its bytes, not mended on the way", async () => {
    const home = temporaryHome();
    const latin = Buffer.from(text.replace('"a"', '"\xe9"'), "latin1").toString("base64");
    const command = `printf %s '${latin}' | base64 -d | ${devflowCommand()
      .map((word) => `'${word}'`)
      .join(" ")} eval push -`;
    const ended = await runProcess(["sh", "-c", command], { env: home.environment() });
    expect([ended.code, ended.stderr]).toEqual([
      65,
      expect.stringContaining("results[0]: expected UTF-8, found other bytes"),
    ]);
  });

  test("a hundred thousand results of one name are all there, in a bounded list", async () => {
    const home = temporaryHome();
    const path = join(home.path, "many.jsonl");
    writeFileSync(path, '{"name":"same","passed":true}\n'.repeat(100_000));
    const pushed = await runCli(["eval", "push", path, "--json"], { home });
    const { runs } = pushed.json<{ runs: { runId: string }[] }>();
    expect(runs).toMatchObject([{ total: 100_000, passed: 100_000 }]);
    const shown = await runCli(["eval", "show"], { home });
    expect(shown.stdout).toContain("100000 passed");
    expect(shown.stdout.length).toBeLessThan(5000);
    const one = await runCli(["eval", "show", runs[0]?.runId ?? "", "same"], { home });
    expect(one.stdout).toContain("100000 of 100000 passed");
    expect(one.stdout.length).toBeLessThan(5000);
  }, 120_000);
});
