import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { madeResult, madeRun, madeSide } from "../../testing/made-runs.ts";
import type { EvalResult } from "../results/result.ts";
import { seededRandom } from "../statistics/seeded-random.ts";
import { compareRuns } from "./compare-runs.ts";
import { exitCodeOf } from "./exit-code.ts";
import { findFlaky } from "./flaky.ts";

// Simulations and large sides are slow on a busy machine.
setDefaultTimeout(60_000);

const cases = (count: number, letters: (i: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`case ${String(i).padStart(3, "0")}`, letters(i)]));
const compared = (count: number, before: (i: number) => string, after: (i: number) => string, options = {}) =>
  compareRuns(madeSide(cases(count, before)), madeSide(cases(count, after)), options);

describe("the verdict", () => {
  test("six cases that flip to failing are a regression, five are not enough data", () => {
    const six = compared(
      20,
      () => "p",
      (i) => (i < 6 ? "f" : "p"),
    );
    expect(six.verdict).toBe("regression");
    expect(six.suites[0]!.pass).toMatchObject({
      p: 0.03125,
      pAdjusted: 0.03125,
      broke: 6,
      fixed: 0,
      method: "exact McNemar",
    });
    expect(six.suites[0]!.pass!.interval.high).toBeLessThan(0);
    const five = compared(
      20,
      () => "p",
      (i) => (i < 5 ? "f" : "p"),
    );
    expect(five.verdict).toBe("not enough data");
    expect(five.suites[0]!.pass!.p).toBe(0.0625);
    expect([exitCodeOf(six), exitCodeOf(five), exitCodeOf(five, ["no-data"])]).toEqual([1, 0, 3]);
  });

  test("the printed interval contains 0 exactly when the exact p is above .05", () => {
    const report = compared(
      161,
      (i) => (i < 16 ? "f" : "p"),
      (i) => (i >= 16 && i < 22 ? "f" : "p"),
    );
    const { p, interval } = report.suites[0]!.pass!;
    expect(p).toBeCloseTo(0.052479, 6);
    expect(interval.low).toBeLessThan(0);
  });

  test("six cases that flip to passing are an improvement", () => {
    expect(
      compared(
        20,
        (i) => (i < 6 ? "f" : "p"),
        () => "p",
      ).verdict,
    ).toBe("improvement");
  });

  test("no change in six cases is no evidence, in five not enough data", () => {
    expect(
      compared(
        6,
        () => "p",
        () => "p",
      ).verdict,
    ).toBe("no evidence");
    expect(
      compared(
        5,
        () => "p",
        () => "p",
      ).verdict,
    ).toBe("not enough data");
  });

  test("broken and fixed cases are listed even if the net change is zero", () => {
    const report = compared(
      40,
      (i) => (i < 3 ? "f" : "p"),
      (i) => (i >= 3 && i < 6 ? "f" : "p"),
    );
    const [suite] = report.suites;
    expect(suite!.pass!.difference).toBe(0);
    expect(suite!.broken.map(({ name }) => name)).toEqual(["case 003", "case 004", "case 005"]);
    expect(suite!.fixed.map(({ name }) => name)).toEqual(["case 000", "case 001", "case 002"]);
  });

  test("a change below one point is never a regression", () => {
    const report = compared(
      2000,
      () => "p",
      (i) => (i < 12 ? "f" : "p"),
    );
    expect(report.suites[0]!.pass!.p).toBeLessThan(0.001);
    expect(report.verdict).toBe("no evidence");
    expect(report.suites[0]!.broken).toHaveLength(12);
  });

  test("repeats are pooled over runs: three runs per side are tested case by case", () => {
    const runs = (letters: (i: number) => string, sha: string) =>
      [1, 2, 3].flatMap((run) => madeSide(cases(8, letters), { runId: `${sha}${run}`, gitSha: sha }));
    const report = compareRuns(
      runs(() => "p", "a"),
      runs((i) => (i === 0 ? "f" : "p"), "b"),
    );
    const [suite] = report.suites;
    expect(suite!.pass).toMatchObject({ method: "exact stratified", intervalMethod: "Klingenberg", cases: 8 });
    // One case with three results per side: 1 permutation of C(6, 3) = 20 is as bad.
    expect(suite!.pass!.p).toBeCloseTo(0.1, 10);
    expect(suite!.broken[0]).toMatchObject({ name: "case 000", passesA: 3, resultsA: 3, passesB: 0, resultsB: 3 });
    expect(suite!.broken[0]!.p).toBeCloseTo(0.05, 10);
  });

  test("ten suites share one α", () => {
    const both = (letters: (i: number) => string) =>
      Array.from({ length: 10 }, (_, suite) =>
        madeSide(
          cases(20, (i) => (suite === 0 ? letters(i) : "p")),
          { suite: `suite ${suite}`, runId: `run ${suite}` },
        ),
      ).flat();
    const report = compareRuns(
      both(() => "p"),
      both((i) => (i < 6 ? "f" : "p")),
    );
    expect(report.familySize).toBe(10);
    expect(report.suites.find(({ suite }) => suite === "suite 0")!.pass).toMatchObject({
      p: 0.03125,
      pAdjusted: 0.3125,
    });
    expect(report.verdict).not.toBe("regression");
  });
});

describe("different sets of cases", () => {
  test("sides without common cases are reported as not compared, never as 'no regression'", () => {
    const report = compareRuns(madeSide({ a: "p" }), madeSide({ z: "p" }));
    expect(report).toMatchObject({ verdict: "not enough data", isCompared: false, headline: "Nothing compared." });
    expect(report.warnings.map(({ kind }) => kind)).toEqual(["nothing compared"]);
    expect(compareRuns([], []).headline).toBe("Nothing compared.");
    expect(exitCodeOf(compareRuns([], []), ["no-data"])).toBe(3);
  });

  test("a suite that only one side has is reported", () => {
    const report = compareRuns(madeSide({ a: "p" }), madeSide({ a: "p" }, { suite: "other" }));
    expect(report.suites.map(({ suite, reason }) => [suite, reason])).toEqual([
      ["other", "Nothing compared: side A has no run of this suite and tier."],
      ["suite", "Nothing compared: side B has no run of this suite and tier."],
    ]);
  });

  test("the raw change is split, and removed failing cases come first", () => {
    const report = compareRuns(
      madeSide({ ...cases(10, () => "p"), gone: "p", "gone failing": "f" }),
      madeSide({ ...cases(10, (i) => (i === 0 ? "f" : "p")), fresh: "f" }),
    );
    const [suite] = report.suites;
    expect(suite!.removed.map(({ name }) => name)).toEqual(["gone failing", "gone"]);
    expect(suite!.added.map(({ name }) => name)).toEqual(["fresh"]);
    const { raw, common, added, removed } = suite!.change;
    expect(raw).toBeCloseTo(9 / 11 - 11 / 12, 12);
    expect(common).toBeCloseTo(-0.1, 12);
    expect(common + added + removed).toBeCloseTo(raw, 12);
  });

  test("less than half of the cases in common gives a warning", () => {
    const report = compareRuns(
      madeSide(cases(10, () => "p")),
      madeSide({ ...cases(4, () => "p"), ...Object.fromEntries([1, 2, 3, 4, 5].map((i) => [`n${i}`, "p"])) }),
    );
    expect(report.warnings.map(({ kind }) => kind)).toEqual(["low overlap"]);
  });
});

describe("errors", () => {
  test("are left out of the pass rate, tested separately, and also counted as failures", () => {
    const report = compared(
      60,
      () => "p",
      (i) => (i < 8 ? "e" : "p"),
    );
    const [suite] = report.suites;
    expect(suite!.verdict).toBe("no evidence");
    expect(suite!.errors).toMatchObject({ a: 0, b: 8, lostPairs: 8, isFinding: true, verdictAsFailures: "regression" });
    expect(report.warnings.map(({ kind }) => kind)).toEqual(["errors"]);
  });

  test("losing more than a fifth of the pairs is not enough data", () => {
    const report = compared(
      60,
      () => "p",
      (i) => (i < 13 ? "e" : "p"),
    );
    expect(report.verdict).toBe("not enough data");
    expect(report.suites[0]!.reason).toContain("13 of 60 cases were lost to errors");
  });

  test("skipped results are not counted", () => {
    const report = compared(
      20,
      () => "p",
      (i) => (i < 10 ? "s" : "p"),
    );
    expect(report.suites[0]!.pairs).toMatchObject({ common: 20, compared: 10, lostToErrors: 0 });
  });
});

describe("judges", () => {
  const judged = (model: string, threshold = 0.7) => ({ judges: [{ model, rubricSha: "r1", threshold }] });
  const both = (a: object, b: object, options = {}) =>
    compareRuns(
      madeSide(
        cases(10, () => "p"),
        a,
      ),
      madeSide(
        cases(10, () => "f"),
        b,
      ),
      options,
    );

  test("different models, rubrics or thresholds are refused unless mixing is allowed", () => {
    const report = both(judged("m1"), judged("m2"));
    expect(report.suites[0]!.refused).toContain("m1");
    expect(report).toMatchObject({ verdict: "not enough data", isCompared: false });
    expect(exitCodeOf(report)).toBe(2);
    expect(both(judged("m1"), judged("m1", 0.8)).suites[0]!.refused).not.toBeNull();
    expect(both(judged("m1"), judged("m2"), { mixJudges: true }).verdict).toBe("regression");
    expect(both(judged("m1"), judged("m1")).verdict).toBe("regression");
  });

  test("a side without a known judge is compared with a warning", () => {
    expect(both({}, judged("m1")).warnings.map(({ kind }) => kind)).toEqual(["judge unknown"]);
  });
});

describe("criteria", () => {
  const scored = (count: number, score: (i: number) => number, name = "accuracy") => [
    madeRun(
      {},
      Array.from({ length: count }, (_, i) =>
        madeResult({ name: `c${i}`, inputSha: `i${i}`, scores: { [name]: score(i) } }),
      ),
    ),
  ];

  test("gate only if configured, and are otherwise shown with a q", () => {
    const a = scored(12, (i) => 0.9 - i / 100);
    const b = scored(12, (i) => 0.8 - i / 100);
    const shown = compareRuns(a, b);
    expect(shown.verdict).toBe("no evidence");
    expect(shown.suites[0]!.criteria[0]).toMatchObject({ gates: false, verdict: "regression", pAdjusted: null });
    expect(shown.suites[0]!.criteria[0]!.q).toBeCloseTo(2 / 4096, 10);
    const gated = compareRuns(a, b, { criteria: { accuracy: { gates: true } } });
    expect(gated).toMatchObject({ verdict: "regression", familySize: 2 });
    expect(gated.suites[0]!.criteria[0]!.pAdjusted).toBeCloseTo(4 / 4096, 10);
  });

  test("have a direction and a scale", () => {
    const a = scored(12, () => 20, "toxicity");
    const b = scored(12, (i) => 30 + i, "toxicity");
    const rule = { gates: true, direction: "lower", scale: [0, 100] } as const;
    expect(compareRuns(a, b, { criteria: { toxicity: rule } }).verdict).toBe("regression");
    expect(compareRuns(b, a, { criteria: { toxicity: rule } }).verdict).toBe("improvement");
    const unscaled = compareRuns(a, b, { criteria: { toxicity: { gates: true } } });
    expect(unscaled.suites[0]!.criteria[0]).toMatchObject({ gates: false });
    expect(unscaled.suites[0]!.criteria[0]!.notGatingBecause).toContain("scale");
  });

  test("do not gate if their judges agree too little", () => {
    const rule = { gates: true, agreement: 0.5 };
    const report = compareRuns(
      scored(12, () => 0.9),
      scored(12, () => 0.5),
      { criteria: { accuracy: rule } },
    );
    expect(report.suites[0]!.criteria[0]!.gates).toBe(false);
    expect(report.verdict).toBe("no evidence");
  });
});

describe("budgets", () => {
  const random = seededRandom("budgets");
  const noise = Array.from({ length: 400 }, () => 0.9 + random.fraction() / 5);
  const spending = (count: number, factor: number, given: Partial<EvalResult> = {}, host: string | null = null) => [
    madeRun(
      { host },
      Array.from({ length: count }, (_, i) =>
        madeResult({
          name: `c${i}`,
          inputSha: `i${i}`,
          durationMs: (500 + i) * factor * noise[(i * 7 + Math.round(factor * 100)) % 400]!,
          turns: 4,
          usage: [usage(0.01 * factor * noise[(i * 3 + Math.round(factor * 100)) % 400]!)],
          ...given,
        }),
      ),
    ),
  ];
  const usage = (costUsd: number | null) => ({
    model: "m",
    calls: 1,
    inputTokens: 1,
    outputTokens: 1,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    costUsd,
  });
  const budgetsOf = (report: ReturnType<typeof compareRuns>) =>
    Object.fromEntries(report.suites[0]!.budgets.map((one) => [one.measure, one]));

  test("a cost and latency increase of a third is found, and exits 1 only if requested", () => {
    const report = compareRuns(spending(30, 1), spending(30, 1.33));
    const { cost, latency, turns, "latency p95": p95 } = budgetsOf(report);
    expect([cost!.verdict, latency!.verdict, turns!.verdict]).toEqual(["regression", "regression", "no evidence"]);
    expect(cost!.ratio).toBeGreaterThan(1.25);
    expect(cost!.interval!.low).toBeGreaterThan(1);
    expect(p95).toMatchObject({ gates: false, notGatingBecause: "p95 needs 100 results per side" });
    expect([exitCodeOf(report), exitCodeOf(report, ["cost"]), exitCodeOf(report, ["latency"])]).toEqual([0, 1, 1]);
    expect(report.verdict).toBe("no evidence");
  });

  test("p95 gates from 100 results per side", () => {
    const { "latency p95": p95 } = budgetsOf(compareRuns(spending(150, 1), spending(150, 1.6)));
    expect(p95).toMatchObject({ gates: true, verdict: "regression" });
    expect(p95!.interval!.low).toBeGreaterThan(1);
  });

  test("an increase below a tenth or below the minimum is not an overrun", () => {
    expect(budgetsOf(compareRuns(spending(100, 1), spending(100, 1.05))).cost!.verdict).toBe("no evidence");
    const floored = compareRuns(spending(30, 1), spending(30, 1.33), { floors: { latency: 5000 } });
    expect(budgetsOf(floored).latency!.verdict).not.toBe("regression");
  });

  test("cached results and other machines are shown but not gated; a machine does not change a price", () => {
    const cached = budgetsOf(compareRuns(spending(30, 1), spending(30, 2, { cached: true })));
    expect(cached.latency).toMatchObject({ gates: false, leftOut: { cached: 30, errored: 0, otherHost: 0 } });
    expect(cached.latency!.ratio).toBeGreaterThan(1.8);
    const moved = budgetsOf(compareRuns(spending(30, 1, {}, "one"), spending(30, 2, {}, "two")));
    expect(moved.latency).toMatchObject({ gates: false });
    expect(moved.cost).toMatchObject({ gates: true, verdict: "regression" });
  });

  test("a call without a price makes the cost unknown, not small", () => {
    const report = compareRuns(spending(30, 1), spending(30, 1, { usage: [usage(null), usage(0.001)] }));
    expect(budgetsOf(report).cost).toBeUndefined();
  });

  test("with costs of whole runs, only ratio and minimum apply", () => {
    const side = (costUsd: number) => [
      madeRun(
        { costs: [usage(costUsd)] },
        Array.from({ length: 10 }, (_, i) => madeResult({ name: `c${i}` })),
      ),
    ];
    expect(budgetsOf(compareRuns(side(1), side(1.3))).cost).toMatchObject({
      p: null,
      verdict: "regression",
      ratio: 1.3,
    });
    expect(budgetsOf(compareRuns(side(0.001), side(0.002))).cost!.verdict).toBe("no evidence");
  });
});

describe("warnings", () => {
  test("a stale baseline is reported with its distance", () => {
    const report = compareRuns(
      madeSide(
        cases(6, () => "p"),
        { at: "2026-03-01T00:00:00Z" },
      ),
      madeSide(
        cases(6, () => "p"),
        { at: "2026-03-09T00:00:00Z" },
      ),
      { distance: 14 },
    );
    expect(report.warnings).toEqual([
      {
        kind: "stale baseline",
        suite: "suite",
        text: "The newest baseline run is 8 days older than the new one, 14 commits away: run the baseline again.",
      },
    ]);
  });

  test("runs of one commit that differ from each other are reported", () => {
    const run = (id: string, letters: (i: number) => string) =>
      madeSide(cases(30, letters), { runId: id, gitSha: "abc" });
    const a = [...run("1", () => "p"), ...run("2", () => "p"), ...run("3", (i) => (i < 12 ? "f" : "p"))];
    const { warnings } = compareRuns(
      a,
      madeSide(
        cases(30, () => "p"),
        { gitSha: "def", runId: "4" },
      ),
    );
    expect(warnings.map(({ kind }) => kind)).toEqual(["runs of one commit differ"]);
    expect(warnings[0]!.text).toContain("Run 3 differs from the other 2 runs of abc");
  });

  test("a side that pools several commits is reported", () => {
    const a = [
      ...madeSide(
        cases(6, () => "p"),
        { gitSha: "1" },
      ),
      ...madeSide(
        cases(6, () => "p"),
        { gitSha: "2", runId: "2" },
      ),
    ];
    expect(compareRuns(a, madeSide(cases(6, () => "p"))).warnings.map(({ kind }) => kind)).toEqual(["mixed states"]);
  });
});

describe("single cases", () => {
  test("with a long history, one failing case is proof", () => {
    const report = compared(
      8,
      () => "pp",
      (i) => (i === 0 ? "ff" : "pp"),
      {
        history: () => Array.from({ length: 40 }, () => ({ passes: 2, results: 2 })),
      },
    );
    const [broken] = report.suites[0]!.broken;
    expect(broken).toMatchObject({ name: "case 000", isProven: true });
    // 2 failures of 84 results both among the new: 1 / C(84, 2); Holm over 8 cases.
    expect(broken!.p).toBeCloseTo(1 / 3486, 10);
    expect(broken!.pAdjusted).toBeCloseTo(8 / 3486, 10);
  });

  test("only the stable history counts: an old failure that was fixed does not matter", () => {
    const history = () => [
      ...Array.from({ length: 10 }, () => ({ passes: 0, results: 2 })),
      ...Array.from({ length: 20 }, () => ({ passes: 2, results: 2 })),
    ];
    const [broken] = compared(
      8,
      () => "pp",
      (i) => (i === 0 ? "ff" : "pp"),
      { history },
    ).suites[0]!.broken;
    expect(broken!.p).toBeCloseTo(1 / ((44 * 43) / 2), 10);
  });

  test("a quarantined case is left out if the quarantine is older than the run", () => {
    const quarantine = { suite: "suite", name: "case 000", owner: "ana", expiresAt: "2026-04-01T00:00:00Z" };
    const at = (decidedAt: string) =>
      compared(
        8,
        () => "p",
        (i) => (i === 0 ? "f" : "p"),
        { quarantines: [{ ...quarantine, decidedAt }] },
      ).suites[0]!;
    expect(at("2026-02-01T00:00:00Z")).toMatchObject({ quarantined: ["case 000"], broken: [] });
    expect(at("2026-03-02T00:00:00Z").broken).toHaveLength(1);
  });

  test("show the expected and the actual value", () => {
    const failure = {
      type: "deterministic" as const,
      expectationType: "contains",
      message: "the text lacks a greeting",
      criterion: null,
      expected: "hello",
      actual: { text: "bye" },
      details: null,
      scores: null,
    };
    const b = [madeRun({}, [madeResult({ status: "fail", failures: [failure], output: { response: "bye" } })])];
    const a = [madeRun({}, [madeResult({ output: "hello" })])];
    expect(compareRuns(a, b).suites[0]!.broken[0]).toMatchObject({
      failure: {
        expectationType: "contains",
        message: "the text lacks a greeting",
        expected: "hello",
        actual: '{"text":"bye"}',
      },
      outputA: "hello",
      outputB: "bye",
    });
  });
});

test("with too little data, the report gives the detectable drop and the number of runs needed", () => {
  const { power } = compared(
    20,
    () => "p",
    (i) => (i < 3 ? "f" : "p"),
  ).suites[0]!;
  expect(power!.smallestVisibleDrop).toBeGreaterThan(0.2);
  expect(power!.moreRuns).toBe(power!.runsNeeded - 1);
  expect(power!.text).toMatch(/detect a drop of \d+ points or more .* takes \d+ runs per side: \d+ more\./);
});

test("the report is plain JSON and the same every time", () => {
  const make = () =>
    compared(
      30,
      (i) => (i % 5 === 0 ? "pf" : "pp"),
      (i) => (i % 7 === 0 ? "ff" : "pp"),
    );
  expect(JSON.parse(JSON.stringify(make()))).toEqual(make());
});

describe("size", () => {
  test("100,000 cases with one name are paired by their inputs, even with as many left over", () => {
    const many = (from: number) =>
      Array.from({ length: 100_000 }, (_, i) => madeResult({ name: "same", inputSha: `input ${from + i}` }));
    const { pairs } = compareRuns([madeRun({}, many(0))], [madeRun({}, many(0))]).suites[0]!;
    expect(pairs).toMatchObject({ common: 100_000, added: 0 });
    const apart = compareRuns([madeRun({}, many(0))], [madeRun({}, many(100_000))]);
    expect(apart.suites[0]!.pairs).toMatchObject({ common: 0, added: 100_000, removed: 100_000 });
    expect(apart.isCompared).toBe(false);
  });

  test("two cases with 50,000 repeats per side are compared", () => {
    const repeats = (chance: number) => {
      const random = seededRandom(chance);
      return [0, 1].flatMap((c) =>
        Array.from({ length: 50_000 }, (_, repeat) =>
          madeResult({
            name: `case ${c}`,
            repeat,
            status: random.fraction() < chance ? "pass" : "fail",
            scores: { quality: random.fraction() },
          }),
        ),
      );
    };
    const report = compareRuns([madeRun({}, repeats(0.5))], [madeRun({}, repeats(0.45))]);
    expect(report.verdict).toBe("regression");
    expect(report.suites[0]!.pass!.difference).toBeCloseTo(-0.05, 2);
  });
});

describe("a matrix of models and prompts", () => {
  const cell = (model: string, letter: string, sha: string) =>
    madeSide(
      cases(10, () => letter),
      { model, gitSha: sha, runId: `${model} ${sha}` },
    );

  test("is compared cell by cell, and not pooled", () => {
    const a = [...cell("big", "p", "a"), ...cell("small", "f", "a")];
    const b = [...cell("big", "f", "b"), ...cell("small", "f", "b")];
    const report = compareRuns(a, b);
    expect(report.suites.map(({ variant, verdict }) => [variant, verdict])).toEqual([
      ["big", "regression"],
      ["small", "no evidence"],
    ]);
    expect(report.headline).toBe("Regression in suite · big: 10 cases broke, 0 fixed.");
  });

  test("a column that only one side has is named and not compared", () => {
    const report = compareRuns(
      [...cell("big", "p", "a"), ...cell("old", "p", "a")],
      [...cell("big", "p", "b"), ...cell("new", "f", "b")],
    );
    expect([report.verdict, report.suites.length]).toEqual(["no evidence", 1]);
    expect(report.warnings.map(({ text }) => text)).toEqual([
      "old was run on side A only and is not compared.",
      "new was run on side B only and is not compared.",
    ]);
  });

  test("a suite that changed its only model is compared, with a warning", () => {
    const report = compareRuns(cell("old", "p", "a"), cell("new", "f", "b"));
    expect([report.verdict, report.suites[0]?.variant]).toEqual(["regression", null]);
    expect(report.warnings.map(({ kind }) => kind)).toEqual(["models differ"]);
  });

  test("has no flaky cases if each of its cells is steady", () => {
    const runs = [
      ...cell("big", "p", "a"),
      ...cell("small", "f", "a"),
      ...cell("big", "p", "a"),
      ...cell("small", "f", "a"),
    ];
    expect(findFlaky(runs)).toEqual([]);
  });
});
