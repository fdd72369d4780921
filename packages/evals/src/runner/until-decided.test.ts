import { expect, test } from "bun:test";
import { simulatePeeking } from "../../testing/simulated-peeking.ts";
import { type PairStatus, sequentialDecision } from "./until-decided.ts";

const passes = (isPass: boolean): PairStatus => (isPass ? "pass" : "fail");

test("eight pairs that all got worse decide, seven do not", () => {
  const decision = sequentialDecision({ cases: 100, sides: ["old", "new"] });
  const add = (caseNo: number) => {
    decision.add(0, caseNo, 0, "pass");
    decision.add(1, caseNo, 0, "fail");
  };
  for (let caseNo = 0; caseNo < 7; caseNo += 1) add(caseNo);
  expect([decision.isOver, decision.findings[0]?.verdict]).toEqual([false, "not enough data"]);
  add(7);
  expect(decision.findings).toMatchObject([
    {
      side: "new",
      verdict: "regression",
      isDecided: true,
      pairs: 8,
      worse: 8,
      difference: -1,
      p: expect.closeTo(9 / 256, 12),
    },
  ]);
  expect(decision.isOver).toBe(true);
});

test("a pair counts only when all pairs before it are known, in whatever order results arrive", () => {
  const inOrder = sequentialDecision({ cases: 30, sides: ["old", "new"] });
  const shuffled = sequentialDecision({ cases: 30, sides: ["old", "new"] });
  const results = Array.from({ length: 60 }, (_, at) => ({ side: at % 2, caseNo: Math.floor(at / 2) }));
  const statusOf = ({ side, caseNo }: { side: number; caseNo: number }) => passes(side === 0 || caseNo % 3 > 0);
  for (const one of results) inOrder.add(one.side, one.caseNo, 0, statusOf(one));
  for (const one of results.toReversed()) {
    if (one.caseNo > 0) shuffled.add(one.side, one.caseNo, 0, statusOf(one));
  }
  expect(shuffled.findings[0]?.pairs).toBe(0);
  for (const side of [0, 1]) shuffled.add(side, 0, 0, statusOf({ side, caseNo: 0 }));
  expect(shuffled.findings).toEqual([...inOrder.findings]);
});

test("errors make no pair, and equal results decide only once a loss of ten points is ruled out", () => {
  const decision = sequentialDecision({ cases: 500, sides: ["old", "new"] });
  for (let caseNo = 0; caseNo < 500 && !decision.isOver; caseNo += 1) {
    decision.add(0, caseNo, 0, "pass");
    decision.add(1, caseNo, 0, caseNo % 10 === 0 ? "error" : "pass");
  }
  const [finding] = decision.findings;
  expect(finding).toMatchObject({ verdict: "no evidence", better: 0, worse: 0 });
  expect(finding?.interval?.low).toBeGreaterThanOrEqual(-0.1);
  expect(finding?.pairs).toBeGreaterThan(50);
});

test("several variants share alpha, and a decided one stays as it is while others go on", () => {
  const decision = sequentialDecision({ cases: 200, sides: ["old", "bad", "same"] });
  for (let caseNo = 0; caseNo < 40; caseNo += 1) {
    decision.add(0, caseNo, 0, "pass");
    decision.add(1, caseNo, 0, "fail");
    decision.add(2, caseNo, 0, passes(caseNo % 20 > 0));
  }
  // With two variants, Holm asks for p ≤ .025 of the first: nine pairs.
  expect(decision.findings).toMatchObject([
    { side: "bad", verdict: "regression", pairs: 9 },
    { side: "same", verdict: "not enough data", pairs: 40 },
  ]);
  expect([0, 1, 2].map(decision.isDecided)).toEqual([false, true, false]);
});

test("whoever looks after every pair and stops at the first verdict sees a false alarm in at most 5 % of cases", () => {
  const trials = 400;
  const tolerance = 3 * Math.sqrt((0.05 * 0.95) / trials);
  for (const kind of ["mixed", "flaky"] as const) {
    const { sequential, everSmall, fixed } = simulatePeeking({ kind, cases: 20, looks: 20, trials });
    expect(sequential).toBeLessThanOrEqual(0.05 + tolerance);
    expect(everSmall).toBeLessThanOrEqual(0.05 + tolerance);
    // The reason for this test: with the one for a fixed number of runs it would be several times as many.
    expect(fixed).toBeGreaterThan(0.1);
  }
});

test("a real loss is found, with a fraction of the results", () => {
  const { sequential, results } = simulatePeeking({ kind: "mixed", cases: 50, looks: 20, trials: 100, drop: 0.15 });
  expect(sequential).toBeGreaterThan(0.95);
  expect(results).toBeLessThan(200);
});
