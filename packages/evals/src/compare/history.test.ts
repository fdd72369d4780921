import { describe, expect, test } from "bun:test";
import { madeResult, madeRun, madeSide } from "../../testing/made-runs.ts";
import { seededRandom } from "../statistics/seeded-random.ts";
import { blameCase, blameTogether } from "./blame.ts";
import { findFlaky } from "./flaky.ts";
import { summarizeRuns } from "./summary.ts";
import { sparkline, trendOf } from "./trend.ts";

const at = (day: number) => new Date(Date.UTC(2026, 2, day)).toISOString();
const commit = (sha: string) => ({ sha, author: `author of ${sha}`, at: null, subject: null });
const shas = ["c1aaaaaa", "c2aaaaaa", "c3aaaaaa", "c4aaaaaa", "c5aaaaaa", "c6aaaaaa", "c7aaaaaa", "c8aaaaaa"];
const ancestry = shas.map(commit);
const run = (sha: string, letters: string, given = {}) =>
  madeSide({ greets: letters }, { gitSha: sha, runId: `run of ${sha}`, at: at(shas.indexOf(sha) + 1), ...given });
const greets = { suite: "suite", name: "greets" };

describe("blame", () => {
  test("names the commit that broke the case, its author, run and cost", () => {
    const runs = shas.flatMap((sha, i) => run(sha, i < 4 ? "ppp" : "fff"));
    const report = blameCase(runs, greets, ancestry);
    expect(report).toMatchObject({
      outcome: "broke",
      suspects: [{ sha: "c5aaaaaa", author: "author of c5aaaaaa" }],
      before: { passes: 12, results: 12 },
      after: { passes: 0, results: 12 },
    });
    expect(report.firstBad!.runIds).toEqual(["run of c5aaaaaa"]);
    expect(report.probabilityOfNoChange).toBeLessThan(0.001);
    expect(report.confidence).toBeGreaterThan(0.9);
  });

  test("the order of the commits decides, not the time of the runs", () => {
    const runs = shas.flatMap((sha, i) => run(sha, i < 4 ? "ppp" : "fff", { at: at(20 - i) })).reverse();
    expect(blameCase(runs, greets, ancestry).suspects.map(({ sha }) => sha)).toEqual(["c5aaaaaa"]);
  });

  test("if commits were not evaluated, the answer is a range", () => {
    const runs = shas.flatMap((sha, i) => (i === 3 || i === 4 ? [] : run(sha, i < 4 ? "ppp" : "fff")));
    const report = blameCase(runs, greets, ancestry);
    expect(report.suspects.map(({ sha }) => sha)).toEqual(["c4aaaaaa", "c5aaaaaa", "c6aaaaaa"]);
    expect([report.lastGood!.commit.sha, report.firstBad!.commit.sha]).toEqual(["c3aaaaaa", "c6aaaaaa"]);
  });

  test("side branches are left out, and short hashes are understood", () => {
    const runs = [...shas.flatMap((sha) => run(sha.slice(0, 7), "ppp")), ...run("feature1", "fff")];
    expect(blameCase(runs, greets, ancestry)).toMatchObject({ outcome: "no change", suspects: [], runsOutside: 1 });
    expect(blameCase(runs, greets, ancestry).points).toHaveLength(8);
  });

  test("a flaky case and a single failure blame no commit", () => {
    const flaky = shas.flatMap((sha, i) => run(sha, ["ppf", "pff", "ppp", "fpf"][i % 4]!));
    expect(blameCase(flaky, greets, ancestry)).toMatchObject({ outcome: "no change", suspects: [] });
    const once = shas.slice(0, 3).flatMap((sha, i) => run(sha, i < 2 ? "p" : "f"));
    expect(blameCase(once, greets, ancestry)).toMatchObject({ outcome: "no change", suspects: [] });
    expect(blameCase([], greets, ancestry).outcome).toBe("no results");
  });

  test("the commit that broke a case is named even after a fix", () => {
    const runs = shas.flatMap((sha, i) => run(sha, i >= 2 && i < 5 ? "ffff" : "pppp"));
    expect(blameCase(runs, greets, ancestry)).toMatchObject({ outcome: "broke", suspects: [{ sha: "c3aaaaaa" }] });
    const late = shas.flatMap((sha, i) => run(sha, i >= 2 && i < 7 ? "ffff" : "pppp"));
    expect(blameCase(late, greets, ancestry)).toMatchObject({ outcome: "broke", suspects: [{ sha: "c3aaaaaa" }] });
    const twice = shas.flatMap((sha, i) => run(sha, i < 2 || (i >= 4 && i < 6) ? "pppppp" : "ffffff"));
    expect(blameCase(twice, greets, ancestry)).toMatchObject({ outcome: "broke", suspects: [{ sha: "c7aaaaaa" }] });
  });
});

describe("flaky", () => {
  test("is a case that disagrees with itself in one unchanged state", () => {
    const [found] = findFlaky(run("c1aaaaaa", "ppfp"));
    // k = 3 of r = 4: 2·3·1/3 = 2 of 4.
    expect(found).toMatchObject({ name: "greets", rate: 0.5, states: 1, mixedStates: 1, results: 4 });
    expect(found!.interval.low).toBeCloseTo(0.150039, 6);
  });

  test("is not a case that broke, nor one that ran once per state", () => {
    expect(findFlaky([...run("c1aaaaaa", "ppp"), ...run("c2aaaaaa", "fff")])).toEqual([]);
    expect(findFlaky([...run("c1aaaaaa", "p"), ...run("c2aaaaaa", "f"), ...run("c3aaaaaa", "p")])).toEqual([]);
  });

  test("another prompt or judge is another state, and a run without a commit is its own state", () => {
    const prompts = [...run("c1aaaaaa", "p", { promptSha: "1" }), ...run("c1aaaaaa", "f", { promptSha: "2" })];
    expect(findFlaky(prompts)).toEqual([]);
    const nameless = [
      ...run("c1aaaaaa", "p", { gitSha: null, runId: "1" }),
      ...run("c1aaaaaa", "f", { gitSha: null, runId: "2" }),
    ];
    expect(findFlaky(nameless)).toEqual([]);
    expect(findFlaky([...run("c1aaaaaa", "p"), ...run("c1aaaaaa", "f", { runId: "2" })])).toHaveLength(1);
  });

  test("is not listed below 2 %", () => {
    expect(findFlaky(run("c1aaaaaa", `${"p".repeat(120)}f`))).toEqual([]);
    expect(findFlaky(run("c1aaaaaa", `${"p".repeat(60)}f`))).toHaveLength(1);
  });
});

describe("trend", () => {
  test("is one point per commit, pooled, with Wilson's interval", () => {
    const points = trendOf([
      ...run("c1aaaaaa", "pp"),
      ...run("c1aaaaaa", "pf", { runId: "2" }),
      ...run("c2aaaaaa", "fe"),
    ]);
    expect(points.map(({ sha, passes, results, errors }) => [sha, passes, results, errors])).toEqual([
      ["c1aaaaaa", 3, 4, 0],
      ["c2aaaaaa", 0, 1, 1],
    ]);
    expect(points[0]!.interval.low).toBeCloseTo(0.300642, 6);
    expect(sparkline(points)).toBe("▇▁");
  });

  test("breaks if the judge changes or more than a fifth of the cases are new", () => {
    const cases = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, "p"]));
    const judges = [{ model: "m", rubricSha: null, threshold: null }];
    const points = trendOf([
      ...madeSide(cases(8), { gitSha: "1", at: at(1) }),
      ...madeSide(cases(10), { gitSha: "2", at: at(2) }),
      ...madeSide(cases(13), { gitSha: "3", at: at(3) }),
      ...madeSide(cases(13), { gitSha: "4", at: at(4), judges }),
    ]);
    expect(points.map(({ breakBefore }) => breakBefore)).toEqual([null, null, "new cases", "judge changed"]);
    expect(sparkline(points)).toBe("██╎█╎█");
  });

  test("can follow one case, with its scores", () => {
    const result = (name: string, accuracy: number) => madeResult({ name, scores: { accuracy } });
    const points = trendOf(
      [madeRun({ gitSha: "1" }, [result("a", 0.5), result("b", 1), { ...result("a", 0.7), repeat: 1 }])],
      {
        name: "a",
      },
    );
    expect(points[0]!.results).toBe(2);
    expect(points[0]!.scores.accuracy!.mean).toBeCloseTo(0.6, 12);
  });
});

test("a summary shows the newest state's pass rate and never counts an unknown price as free", () => {
  const cost = { actualUsd: 0.5, estimatedUsd: 0.25, unpricedCalls: 2 };
  const free = { actualUsd: 0, estimatedUsd: 0, unpricedCalls: 0 };
  const runs = [
    ...[...run("c1aaaaaa", "ff"), ...run("c2aaaaaa", "pp")].map((one) => ({ ...one, cost: free })),
    {
      ...madeRun({ suite: "other", runId: "x" }, [
        madeResult({ durationMs: 100 }),
        madeResult({ repeat: 1, durationMs: 300, status: "error" }),
      ]),
      cost,
    },
  ];
  const [other, suite] = summarizeRuns(runs);
  expect(suite).toMatchObject({
    runs: 2,
    commits: 2,
    cases: 1,
    results: 4,
    newest: { passes: 2, results: 2, passRate: 1 },
  });
  expect(other).toMatchObject({ ...cost, errors: 1, latencyP50Ms: 200 });
});

test("ten commits with three runs each, noise, one flaky case and one true break", () => {
  const random = seededRandom("story");
  const line = Array.from({ length: 10 }, (_, i) => commit(`commit${i}`));
  const runs = line.flatMap(({ sha }, c) =>
    [0, 1, 2].map((r) =>
      madeRun(
        { gitSha: sha, runId: `${sha}-${r}`, at: at(c + 1) },
        Array.from({ length: 20 }, (_, i) => {
          const chance = i === 3 && c >= 6 ? 0 : i === 7 ? 0.6 : 1;
          return madeResult({
            name: `case ${i}`,
            inputSha: `${i}`,
            status: random.fraction() < chance ? "pass" : "fail",
          });
        }),
      ),
    ),
  );
  expect(blameCase(runs, { suite: "suite", name: "case 3" }, line).suspects.map(({ sha }) => sha)).toEqual(["commit6"]);
  expect(blameCase(runs, { suite: "suite", name: "case 7" }, line).outcome).toBe("no change");
  expect(findFlaky(runs).map(({ name }) => name)).toEqual(["case 7"]);
});

describe("blame with little proof", () => {
  const line = ["c1", "c2", "c3", "c4"].map((name) => commit(name.padEnd(8, "a")));
  const results = (name: string, letters: string) =>
    line.flatMap(({ sha }, at) => madeSide({ [name]: letters[at]! }, { gitSha: sha, runId: `${name} ${sha}` }));
  const blamed = (name: string, letters: string) => blameCase(results(name, letters), { suite: "suite", name }, line);

  test("names the likeliest commit with its probability instead of none", () => {
    const { outcome, probably } = blamed("one", "pppf");
    expect([outcome, probably?.suspects.map(({ sha }) => sha)]).toEqual(["no change", undefined]);
    const surer = blameCase(
      line.flatMap(({ sha }, at) => madeSide({ one: at < 3 ? "pp" : "ff" }, { gitSha: sha, runId: sha })),
      { suite: "suite", name: "one" },
      line,
    );
    expect([surer.outcome, surer.probably?.suspects.map(({ sha }) => sha)]).toEqual(["no change", ["c4aaaaaa"]]);
    expect(surer.probably?.probability).toBeGreaterThan(0.5);
  });

  test("takes cases that broke together as one, which proves enough", () => {
    const reports = ["a", "b", "c", "d"].map((name) => blamed(name, "ppff"));
    expect(reports.map(({ outcome }) => outcome)).toEqual(["no change", "no change", "no change", "no change"]);
    const pooled = blameTogether(reports, line);
    expect([pooled.outcome, pooled.suspects.map(({ sha }) => sha)]).toEqual(["broke", ["c3aaaaaa"]]);
  });

  test("follows a case under its earlier name", () => {
    const runs = line.flatMap(({ sha }, at) =>
      madeSide({ [at < 2 ? "old" : "new"]: at < 2 ? "ppp" : "fff" }, { gitSha: sha, runId: sha }),
    );
    const { outcome, suspects } = blameCase(runs, { suite: "suite", name: "new", formerly: ["old"] }, line);
    expect([outcome, suspects.map(({ sha }) => sha)]).toEqual(["broke", ["c3aaaaaa"]]);
  });
});
