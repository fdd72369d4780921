import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { madeLine as line } from "../../testing/made-runs.ts";
import type { RunLine } from "../store/run-record.ts";
import { readQuarantines, withoutQuarantine, withQuarantine, writeQuarantines } from "./quarantine-file.ts";
import { isCommit, selectSides } from "./select-sides.ts";

const sha = (letter: string) => letter.repeat(40);

const ids = (lines: readonly RunLine[]) => lines.map(({ runId }) => runId);

describe("without arguments", () => {
  const commits = { newer: sha("d"), older: [sha("c"), sha("b"), sha("a")] };

  test("each suite and tier uses all runs of the nearest commit that has any", () => {
    const lines = [
      line("new 1", { gitSha: sha("d") }),
      line("new 2", { gitSha: sha("d").slice(0, 8) }),
      line("fast new", { gitSha: sha("d"), tier: "fast" }),
      line("near 1", { gitSha: sha("b") }),
      line("near 2", { gitSha: sha("b") }),
      line("far", { gitSha: sha("a") }),
      line("fast far", { gitSha: sha("a"), tier: "fast" }),
      line("beside", { gitSha: sha("e") }),
      line("no commit", {}),
    ];
    const told = selectSides(lines, commits).map(({ tier, a, b, sha: base }) => [tier, ids(a), ids(b), base]);
    expect(told).toEqual([
      ["standard", ["near 1", "near 2"], ["new 1", "new 2"], sha("b")],
      ["fast", ["fast far"], ["fast new"], sha("a")],
    ]);
  });

  test("a farther commit with the same judge is preferred over a nearer one with another", () => {
    const lines = [
      line("new", { gitSha: sha("d"), judgeKey: "opus" }),
      line("near", { gitSha: sha("c"), judgeKey: "sonnet" }),
      line("far", { gitSha: sha("a"), judgeKey: "opus" }),
    ];
    expect(selectSides(lines, commits).map(({ a }) => ids(a))).toEqual([["far"]]);
    expect(selectSides(lines.slice(0, 2), commits).map(({ a }) => ids(a))).toEqual([["near"]]);
  });

  test("a suite that was not run on the newer commit is not compared", () => {
    expect(selectSides([line("old", { gitSha: sha("c") })], commits)).toEqual([]);
  });
});

test("a short hash matches its commit from six digits", () => {
  expect([
    isCommit("abcdef", sha("a")),
    isCommit("aaaaaa", sha("a")),
    isCommit("aaa", sha("a")),
    isCommit(null, sha("a")),
  ]).toEqual([false, true, false, false]);
});

describe("the quarantine file", () => {
  const one = {
    suite: "s",
    name: "b",
    owner: "robin",
    decidedAt: "2026-03-15T10:00:00.000Z",
    expiresAt: "2026-03-22T10:00:00.000Z",
  };

  test("has one entry per line, sorted, so that two people's entries merge", async () => {
    const path = join(temporaryFolder(), "evals/quarantine.json");
    expect(await readQuarantines(path)).toEqual([]);
    const other = { ...one, name: "a", reason: "slow provider" };
    await writeQuarantines(path, withQuarantine(withQuarantine([], one), other));
    expect((await Bun.file(path).text()).split("\n").map((text) => /"case":"(.)"/.exec(text)?.[1] ?? text)).toEqual([
      "[",
      "a",
      "b",
      "]",
      "",
    ]);
    expect(await readQuarantines(path)).toEqual([other, one]);
    await writeQuarantines(path, withoutQuarantine(withoutQuarantine([one, other], one), other));
    expect(await readQuarantines(path)).toEqual([]);
  });

  test("gives an error with the file and the place if it is invalid", async () => {
    const path = join(temporaryFolder(), "quarantine.json");
    await Bun.write(path, '[{"suite":"s","case":"a","owner":"","decided_at":"x","expires_at":"y"}]');
    await expect(readQuarantines(path)).rejects.toThrow(
      /quarantine\.json is not a valid list of quarantines: 0\.owner/,
    );
  });
});
