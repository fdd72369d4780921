import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hash } from "@devflow/core/hash";
import { outputOf, runCli, temporaryFolder, temporaryHome } from "@devflow/testkit";

const home = temporaryHome();

/** A journal in the browser's format. */
function bundle(workspace: string, name: string, bodies: readonly Record<string, unknown>[]): void {
  const folder = join(workspace, ".devflow/evidence", name);
  mkdirSync(folder, { recursive: true });
  let prev = "0".repeat(64);
  const lines = bodies.map((body, seq) => {
    const entry = { seq, at: "2026-01-02T03:04:05.000Z", prev, body };
    prev = hash(entry);
    return `${JSON.stringify({ ...entry, hash: prev })}\n`;
  });
  writeFileSync(join(folder, "journal.jsonl"), lines.join(""));
}

const start = {
  kind: "start",
  version: 1,
  bundle: "b",
  name: "shop",
  session: "default",
  devflow: "0",
  commit: "c".repeat(40),
  branch: "main",
  changedFiles: 2,
  tabs: [],
};
const arrived = (console: string[]) => ({
  kind: "command",
  command: "goto",
  effect: "write",
  tab: "t1",
  url: null,
  input: { url: "http://127.0.0.1:4000/" },
  targets: {},
  outcome: {
    kind: "arrived",
    arrival: { url: "http://127.0.0.1:4000/", title: "Shop", status: 200, console, failed: [] },
  },
  ms: 5,
});
const end = { kind: "end", commands: 1, reason: "stopped" };

test("a report uses the newest finished evidence, with what it shows", async () => {
  const cwd = temporaryFolder("shop");
  bundle(cwd, "20260101T000000-old", [start, arrived([]), end]);
  bundle(cwd, "20260102T000000-new", [start, arrived(["TypeError: x is undefined"]), end]);
  bundle(cwd, "20260103T000000-running", [start, arrived([])]);
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const finding = { title: `Leaks ${secret}`, severity: "high", category: "functional" };
  writeFileSync(join(cwd, "findings.json"), JSON.stringify([finding]));
  const words = ["qa", "report", "--findings", "findings.json", "--save-baseline", "--json"];
  const first = await runCli(words, { home, cwd });
  const answer = first.json<{ report: string; score: number; before: number | null; open: number; evidence: string }>();
  expect(answer).toMatchObject({ before: null, open: 1, evidence: ".devflow/evidence/20260102T000000-new" });
  const text = readFileSync(answer.report, "utf8");
  expect(text).toContain("TypeError: x is undefined");
  expect(text).toContain("commit `cccccccccccc` on main, 2 changed files");
  expect(text).not.toContain(secret);

  writeFileSync(join(cwd, "findings.json"), "[]");
  const second = await runCli(["qa", "report", "--findings", "findings.json", "--fail-under", "99"], { home, cwd });
  expect(outputOf(second)).toMatchInlineSnapshot(`
    "Health 95 (before: 88); 0 open findings, 0 fixed
    .devflow/qa-reports/<time>/report.md
    --- exit code 1"
  `);
});

test("altered evidence gives no report", async () => {
  const cwd = temporaryFolder("shop");
  bundle(cwd, "b", [start, arrived(["an error"]), end]);
  const journal = join(cwd, ".devflow/evidence/b/journal.jsonl");
  writeFileSync(journal, readFileSync(journal, "utf8").replace('["an error"]', "[]"));
  expect(outputOf(await runCli(["qa", "report"], { home, cwd }))).toMatchInlineSnapshot(`
    "--- stderr
    The evidence in <folder>/.devflow/evidence/b is not valid: line 2 was changed.
    Record it again: devflow browse evidence start
    --- exit code 65"
  `);
});

test("without evidence the report notes that nothing is proven; invalid findings are refused", async () => {
  const cwd = temporaryFolder("shop");
  expect(outputOf(await runCli(["qa", "report"], { home, cwd }))).toMatchInlineSnapshot(`
    "Health not tested; 0 open findings, 0 fixed
    .devflow/qa-reports/<time>/report.md
    Nothing in this report is proven, because there is no evidence. Record it: devflow browse evidence start"
  `);
  writeFileSync(join(cwd, "f.json"), '[{"title": "x", "severity": "terrible", "category": "ux"}]');
  const refused = await runCli(["qa", "report", "--findings", "f.json"], { home, cwd });
  expect(outputOf(refused)).toMatchInlineSnapshot(`
    "--- stderr
    <folder>/f.json: 0.severity: Invalid option: expected one of "critical"|"high"|"medium"|"low".
    Its format: devflow skills show qa
    --- exit code 65"
  `);
});
