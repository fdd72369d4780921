import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { samplePath } from "../../testing/samples.ts";
import type { ImportedRun } from "../results/result.ts";
import { openStore } from "../store/index.ts";
import { importFile } from "./import-file.ts";

const columns = ["openai:gpt-4", "anthropic:claude"].flatMap((provider) =>
  ["short", "long"].map((prompt) => `[${provider}] ${prompt}`),
);
const header = [
  "Description",
  "question",
  ...columns.flatMap((one) => [one, "Status", "Score", "Named Scores", "Grader Reason", "Comment"]),
];
const csv = (rows: readonly (readonly string[])[]) =>
  [header, ...rows].map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")).join("\n");
const row = (at: number, statuses: readonly string[]) => [
  `Test ${at}`,
  `What is ${at}?`,
  ...statuses.flatMap((status, column) => [
    `answer ${at}.${column}`,
    status,
    status === "PASS" ? "1.00" : "0.00",
    '{"tone":0.5}',
    status === "PASS" ? "" : "too long",
    "",
  ]),
];

async function imported(content: string, name = "table.csv") {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  const runs: { readonly imported: ImportedRun; readonly results: unknown[] }[] = [];
  for await (const run of importFile(path)) {
    const results: unknown[] = [];
    for await (const result of run.results) results.push(result);
    runs.push({ imported: run, results });
  }
  return runs;
}

describe("promptfoo's CSV", () => {
  test("becomes a run for each prompt and provider, with every result", async () => {
    const rows = Array.from({ length: 200 }, (_, at) => row(at, ["PASS", "FAIL", "ERROR", "PASS"]));
    const runs = await imported(csv(rows));
    expect(
      runs.map(({ imported: { run }, results }) => [run.model, run.variant, run.totals.passed, results.length]),
    ).toEqual([
      ["openai:gpt-4", "short", 200, 200],
      ["openai:gpt-4", "long", 0, 200],
      ["anthropic:claude", "short", 0, 200],
      ["anthropic:claude", "long", 200, 200],
    ]);
    expect(new Set(runs.map(({ imported: { run } }) => run.matrix)).size).toBe(1);
    expect(runs[1]?.results[7]).toMatchObject({
      ...{ name: "Test 7", status: "fail", input: { question: "What is 7?" }, output: "answer 7.1" },
      ...{ scores: { score: 0, tone: 0.5 }, failures: [{ message: "too long" }] },
    });
    expect(runs[2]?.results[0]).toMatchObject({ status: "error", error: "too long" });
  });

  test("reports cells without a result", async () => {
    const [first] = await imported(csv([row(0, ["PASS", "", "PASS", ""])]));
    expect(first?.imported.losses).toEqual(["cells without a status (2 times)"]);
  });
});

test("a spreadsheet with a second verdict column reports that it was not read", async () => {
  const [run] = await imported("name,status,status\na,pass,fail\n");
  expect(run?.imported.losses).toEqual(['a second column for the same thing, "status"']);
});

test("an Inspect log that was converted to JSON is the run that is stored already", async () => {
  const store = await openStore(temporaryFolder());
  for (const [file, isNew] of [
    ["inspect-log_formats.eval", true],
    ["inspect-log_formats.json", false],
  ] as const) {
    for await (const run of importFile(samplePath(file)))
      expect([file, (await store.push(run)).isNew]).toEqual([file, isNew]);
  }
  expect(store.list().matching).toBe(1);
  store.close();
});
