import { expect, test } from "bun:test";
import { madeRun } from "../../testing/made-runs.ts";
import { leaderboardOf } from "./leaderboard.ts";
import type { TeamEvalRun } from "./team-evals.ts";

const end = Date.UTC(2026, 2, 16);
const day = 86_400_000;

function teamRun(
  daysAgo: number,
  passed: number,
  failed: number,
  person: string | null,
  suite = "support",
): TeamEvalRun {
  const totals = { total: passed + failed, passed, failed, errors: 0, skipped: 0 };
  const at = new Date(end - daysAgo * day).toISOString();
  const { run } = madeRun({ runId: `${suite}-${daysAgo}-${person}`, suite, at, gitSha: `sha-${daysAgo}`, totals }, []);
  return { run, pushedBy: person, person, usd: 0.5 };
}

test("a week is seven days, and a suite's change is measured from the seven days before", () => {
  const board = leaderboardOf(
    [teamRun(1, 8, 2, "Robin"), teamRun(3, 6, 4, null), teamRun(8, 10, 0, "Robin"), teamRun(15, 0, 10, "Robin")],
    end,
  );
  expect(board.totals).toEqual({ runs: 2, results: 20, passed: 14, errors: 0, commits: 2, usd: 1 });
  expect(board.suites).toMatchObject([{ suite: "support", passRate: 0.7 }]);
  expect(board.suites[0]?.change).toBeCloseTo(-0.3, 10);
});

test("a suite that is new this week has no change, and unnamed people come last as one entry", () => {
  const board = leaderboardOf(
    [
      teamRun(1, 1, 0, null),
      teamRun(2, 1, 0, null),
      teamRun(3, 1, 0, null),
      teamRun(1, 1, 0, "Alex"),
      teamRun(2, 1, 1, "Kim", "tone"),
    ],
    end,
  );
  expect(board.people.map(({ person, runs }) => [person, runs])).toEqual([
    ["Alex", 1],
    ["Kim", 1],
    [null, 3],
  ]);
  expect(board.suites.map(({ suite, change }) => [suite, change])).toEqual([
    ["support", null],
    ["tone", null],
  ]);
});
