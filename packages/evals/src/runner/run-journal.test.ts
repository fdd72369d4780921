import { expect, test } from "bun:test";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { factsOf, type JournalHead, openJournal } from "./run-journal.ts";

const head: JournalHead = { version: 1, matrix: "m", at: "2026-11-16T12:00:00.000Z", runIds: { a: "m" } };
const answer = { output: "yes", latencyMs: 5 };

test("what was appended is there after a crash, and a line that was cut is dropped", async () => {
  const path = join(temporaryFolder(), "runs", "j.jsonl");
  const first = await openJournal(path, head);
  await Promise.all([
    first.append({ started: "1", estimateUsd: 0.5 }),
    first.append({ answered: "1", answer, usd: 0.25 }),
    first.append({ started: "2", estimateUsd: 0.125 }),
  ]);
  await first.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  appendFileSync(path, '{"answered":"2","ans');
  const second = await openJournal(path, { ...head, matrix: "another" });
  expect(second.facts.head).toEqual(head);
  expect([...second.facts.answers]).toEqual([["1", { answer, usd: 0.25 }]]);
  expect([...second.facts.lost]).toEqual(["2"]);
  expect(second.facts.spentUsd).toBe(0.375);
  await second.append({ failed: "2", usd: null });
  await second.close();
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => Object.keys(JSON.parse(line))[0])).toEqual([
    "version",
    "started",
    "answered",
    "started",
    "failed",
  ]);
});

test("a file that is no journal is replaced", async () => {
  const path = join(temporaryFolder(), "j.jsonl");
  writeFileSync(path, '{"version":1,"mat');
  const journal = await openJournal(path, head);
  await journal.append({ started: "1", estimateUsd: null });
  await journal.close();
  const again = await openJournal(path, head);
  expect(again.facts.lost.size).toBe(1);
  await again.close();
});

test("a call that is lost twice counts twice, a failed one only what it cost", () => {
  const facts = factsOf(head, [
    { started: "1", estimateUsd: 1 },
    { started: "1", estimateUsd: 1 },
    { started: "2", estimateUsd: 8 },
    { failed: "2", usd: 0.5 },
    { started: "3", estimateUsd: 8 },
    { answered: "3", answer, usd: 0.25 },
    { checked: "3", result: {} as never, judgeUsd: 0.125, checksSha: "x" },
  ]);
  expect([facts.spentUsd, [...facts.lost]]).toEqual([2.875, ["1"]]);
});
