import { expect, test } from "bun:test";
import { madeResult, madeRun, madeSide } from "../../testing/made-runs.ts";
import { compareRuns } from "./compare-runs.ts";

const named = (count: number, letters: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, no) => [`case ${no}`, letters]));
const compare = (a: Parameters<typeof madeSide>[0], b: Parameters<typeof madeSide>[0]) =>
  compareRuns(madeSide(a), madeSide(b), { sequential: true });

test("eight cases that broke decide, seven do not, and the interval agrees with p at zero", () => {
  const rest = Object.fromEntries(Array.from({ length: 40 }, (_, no) => [`other ${no}`, "p"]));
  const decided = compare({ ...named(8, "p"), ...rest }, { ...named(8, "f"), ...rest });
  expect(decided.suites[0]?.pass).toMatchObject({
    verdict: "regression",
    method: "sequential",
    intervalMethod: "confidence sequence",
    p: expect.closeTo(9 / 256, 10),
    difference: -8 / 48,
  });
  expect(decided.suites[0]?.pass?.interval.high).toBeLessThan(0);
  expect(decided.suites[0]?.reason).toMatchInlineSnapshot(
    `"Pass rate −16.7 points (95 % interval, valid at any time, −42.6 to −1.2; p = 0.035); 8 of 48 cases worse, 0 better."`,
  );
  const open = compare({ ...named(7, "p"), ...rest }, { ...named(7, "f"), ...rest });
  expect(open.verdict).toBe("not enough data");
  expect(open.suites[0]?.pass?.interval.high).toBeGreaterThan(0);
  expect(open.suites[0]?.power).toBeNull();
});

test("that no case changed is not enough: the interval has to rule out a loss of ten points", () => {
  expect(compare(named(20, "p"), named(20, "p")).verdict).toBe("not enough data");
  expect(compare(named(20, "pppppp"), named(20, "pppppp")).verdict).toBe("no evidence");
});

test("results are paired in the order of the runs, whatever the order in which they are given; unpaired ones wait", () => {
  const run = (sha: string, day: number, status: "pass" | "fail") =>
    madeRun({ runId: `${sha}${day}`, gitSha: sha, at: `2026-03-0${day}T00:00:00.000Z` }, [
      madeResult({ name: "case", inputSha: "x", status }),
    ]);
  const a = [run("a", 1, "pass"), run("a", 2, "fail"), run("a", 3, "pass")];
  const b = [run("b", 5, "fail"), run("b", 4, "pass")];
  // (pass, pass) and (fail, fail): no pair differs. In the order given, both would.
  expect(compareRuns(a, b, { sequential: true }).suites[0]?.pass).toMatchObject({ difference: 0, p: 1 });
  expect(compareRuns(a.toReversed(), b, { sequential: true }).suites[0]?.pass).toMatchObject({ difference: 0, p: 1 });
});

test("errors and skipped results make no pair", () => {
  const { pass } = compare({ a: "epp", b: "p", c: "s" }, { a: "fp", b: "e", c: "f" }).suites[0]!;
  // Of case a, the two passes meet the failure and the pass.
  expect(pass).toMatchObject({ difference: -0.5 });
});

test("scores of a gating criterion are tested by which side of a pair is higher", () => {
  const side = (sha: string, score: number) => [
    madeRun(
      { runId: sha, gitSha: sha },
      Array.from({ length: 12 }, (_, no) =>
        madeResult({ name: `case ${no}`, inputSha: `${no}`, scores: { tone: score + no / 100 } }),
      ),
    ),
  ];
  const options = { sequential: true, criteria: { tone: { gates: true } } };
  const { suites, verdict } = compareRuns(side("a", 0.8), side("b", 0.6), options);
  expect([verdict, suites[0]?.criteria]).toMatchObject([
    "regression",
    [{ criterion: "tone", interval: null, p: expect.closeTo(13 / 4096, 10), verdict: "regression" }],
  ]);
});
