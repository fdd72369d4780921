import { expect, test } from "bun:test";
import type { RunLine } from "../store/index.ts";
import { selectSides } from "./select-sides.ts";

const line = (runId: string, gitSha: string, given: Partial<RunLine> = {}): RunLine =>
  ({
    runId,
    gitSha,
    suite: "s",
    tier: "standard",
    judgeKey: "usual",
    source: "devflow",
    at: "2026-01-01T00:00:00.000Z",
    ...given,
  }) as RunLine;
const again = (runId: string, origin: string, gitSha: string, given: Partial<RunLine> = {}) =>
  line(runId, gitSha, { source: `rejudge:${origin}`, at: "2026-02-01T00:00:00.000Z", ...given });
const commits = { newer: "newer00", older: ["older00"] };
const sides = (lines: readonly RunLine[]) =>
  selectSides(lines, commits).map(({ a, b }) => [a.map(({ runId }) => runId), b.map(({ runId }) => runId)]);

test("rejudged outputs are not pooled with the original run", () => {
  const lines = [line("old", "older00"), line("new", "newer00"), again("twin", "new", "newer00")];
  expect(sides(lines)).toEqual([[["old"], ["new"]]]);
});

test("judging a run again with a stricter judge does not hide the original run", () => {
  const lines = [
    line("old", "older00"),
    line("new", "newer00"),
    again("strict", "new", "newer00", { judgeKey: "strict" }),
  ];
  expect(sides(lines)).toEqual([[["old"], ["new"]]]);
});

test("an old run rejudged by the new judge is the baseline for that judge, and the last rejudging counts", () => {
  const lines = [
    line("old", "older00"),
    again("first try", "old", "older00", { judgeKey: "new judge" }),
    again("last try", "old", "older00", { judgeKey: "new judge", at: "2026-03-01T00:00:00.000Z" }),
    line("new", "newer00", { judgeKey: "new judge" }),
  ];
  expect(sides(lines)).toEqual([[["last try"], ["new"]]]);
});
