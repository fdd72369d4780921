import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorReport } from "@devflow/core/errors";
import {
  EvalCaseDetail,
  EvalComparison,
  EvalCosts,
  EvalFlaky,
  EvalJudges,
  EvalOutputs,
  EvalResultDetail,
  EvalResultPage,
  EvalRunDetail,
  EvalRunList,
  EvalSuiteList,
  EvalTrend,
} from "@devflow/protocol";
import { temporaryFolder } from "@devflow/testkit";
import type { z } from "zod";
import { madeResult, madeRun } from "../../testing/made-runs.ts";
import { story, storyRuns } from "../../testing/story.ts";
import type { EvalFailure } from "../results/result.ts";
import { type EvalStore, openStore } from "../store/index.ts";
import { type EvalRoutes, evalRoutes } from "./routes.ts";

const now = Date.UTC(2026, 5, 15, 12);
const nobody = { suites: async () => [], read: async () => undefined };
let home: string;
let store: EvalStore;
let routes: EvalRoutes;

beforeAll(async () => {
  // Created in a hook and used by every test, so it must outlive the hook.
  home = mkdtempSync(join(tmpdir(), "df-"));
  store = await openStore(home);
  for (const run of storyRuns(now)) await store.push(run);
  routes = evalRoutes({ store, watch: nobody });
});
afterAll(() => {
  store.close();
  rmSync(home, { recursive: true });
});

async function get<T>(path: string, contract: z.ZodType<T>): Promise<T> {
  const answer = await routes.api.request(path);
  expect({ path, status: answer.status }).toEqual({ path, status: 200 });
  expect(answer.headers.get("cache-control")).toBe("no-store");
  return contract.parse(await answer.json());
}
const part = encodeURIComponent;
const newestRun = `${story.suite}/${story.runsOf(9)[2]}`;

describe("runs", () => {
  test("are listed newest first, filtered, in pages, and none is shown twice", async () => {
    const first = await get("/runs?limit=20", EvalRunList);
    const second = await get(`/runs?limit=20&after=${part(first.next ?? "")}`, EvalRunList);
    const refs = [...first.runs, ...second.runs].map(({ ref }) => ref);
    expect(first.matching).toBe(36);
    expect(new Set(refs).size).toBe(36);
    expect(second.next).toBeNull();
    const times = [...first.runs, ...second.runs].map(({ at }) => at);
    expect(times).toEqual(times.toSorted().reverse());
    expect((await get(`/runs?sha=${story.brokenBy}`, EvalRunList)).matching).toBe(3 + 1);
    expect((await get("/runs?tier=fast&failed=1", EvalRunList)).matching).toBe(0);
    const [run] = first.runs;
    expect(run?.interval.low).toBeLessThan(run?.passRate ?? 0);
  });

  test("suites show their current pass rate, pooled by commit", async () => {
    const { suites, tiers, branches } = await get("/suites", EvalSuiteList);
    expect(suites.map(({ suite, tier, runs, states }) => [suite, tier, runs, states.length])).toEqual([
      [story.suite, "standard", 30, 10],
      [story.quietSuite, "fast", 6, 6],
    ]);
    expect(suites[0]?.states.map(({ results }) => results)[9]).toBeGreaterThan(140);
    expect([tiers, branches]).toEqual([["fast", "standard"], ["main"]]);
  });

  test("one run has a matrix, clusters, slow and expensive cases, cost, and a run to compare with", async () => {
    const detail = await get(`/runs/${part(newestRun)}`, EvalRunDetail);
    expect(detail.run.ref).toBe(newestRun);
    expect(detail.matrix.criteria.map(({ criterion }) => criterion).sort()).toEqual([
      "accuracy",
      "completeness",
      "tone",
    ]);
    const refunds = detail.matrix.categories.find(({ category }) => category === "refunds");
    expect(refunds?.total).toBe(10);
    expect(refunds?.passRate).toBeLessThan(0.5);
    expect(detail.clusters[0]?.count).toBeGreaterThan(5);
    expect(detail.clusters[0]?.message).toContain("return window of 14 days");
    const durations = detail.slow.map(({ durationMs }) => durationMs ?? 0);
    expect(durations).toEqual(durations.toSorted((a, b) => b - a));
    expect(detail.dear[0]?.usd).toBeGreaterThan(0);
    expect(detail.cost.models.map(({ model }) => model)).toEqual(["claude-sonnet-4-5", "gpt-5.4-mini"]);
    expect(detail.previous).toEqual({
      run: `${story.suite}/${story.runsOf(8).at(-1)}`,
      a: `commit:${story.commits[8]}`,
      b: `commit:${story.commits[9]}`,
    });
    const quiet = await get(`/runs/${part(`${story.quietSuite}/search-1`)}`, EvalRunDetail);
    expect(quiet.cost.unpricedCalls).toBe(12);
  });

  test("the results of a run can be filtered and sorted, and one can be read with its texts", async () => {
    const path = `/runs/${part(newestRun)}/results`;
    const failed = await get(`${path}?status=fail&category=refunds&sort=score`, EvalResultPage);
    expect(failed.rows.length).toBeGreaterThan(5);
    const scores = failed.rows.map(({ score }) => score ?? 0);
    expect(scores).toEqual(scores.toSorted((a, b) => a - b));
    const [row] = failed.rows;
    const result = await get(`${path}/${row?.ordinal}`, EvalResultDetail);
    expect(result.name).toBe(row?.name as string);
    expect(result.output?.text).toContain("within 14 days");
    expect(result.votes.map(({ model }) => model)).toEqual(["claude-sonnet-4-5", "gpt-5.4-mini"]);
    expect(result.failures[0]?.expected?.text).toBe("0.7");
  });

  test("fifty rows of a run of ten thousand long results are at most 60 kB", async () => {
    const long = "Vielen Dank für Ihre Nachricht, 我们会尽快处理。 ".repeat(40);
    const results = Array.from({ length: 10_000 }, (_, no) =>
      madeResult({
        name: `case ${no} ${long}`,
        category: long.slice(0, 400),
        status: no % 2 ? "fail" : "pass",
        output: no < 300 ? long.repeat(20) : "short",
        failures: [{ ...failure, message: long }],
        scores: Object.fromEntries(
          Array.from({ length: 30 }, (_, at) => [`criterion ${at} ${long.slice(0, 90)}`, at / 30]),
        ),
        durationMs: 1234.5678,
      }),
    );
    const large = await openStore(temporaryFolder());
    const { run } = madeRun({ runId: "large", suite: "s" }, results);
    await large.push({ run, results, losses: [], warnings: [] });
    const answer = await evalRoutes({ store: large, watch: nobody }).api.request("/runs/large/results?pageSize=50");
    const bytes = Buffer.from(await answer.arrayBuffer());
    large.close();
    expect(EvalResultPage.parse(JSON.parse(bytes.toString())).rows).toHaveLength(50);
    expect(bytes.length).toBeLessThanOrEqual(60_000);
  }, 60_000);
});

const failure: EvalFailure = {
  type: "deterministic",
  expectationType: null,
  message: "",
  criterion: null,
  expected: null,
  actual: null,
  details: null,
  scores: null,
};

describe("compare", () => {
  const at = (commit: string) => part(`commit:${commit}`);

  test("the commit that broke the refunds is a regression, with the cases, their texts and the scores", async () => {
    const query = `suite=${story.suite}&a=${at(story.lastGood)}&b=${at(story.brokenBy)}`;
    const report = await get(`/compare?${query}`, EvalComparison);
    expect([report.verdict, report.a.states, report.b.runs.length]).toEqual([
      "regression",
      [`commit:${story.lastGood}`],
      3,
    ]);
    const [suite] = report.suites;
    const proven = suite?.broken.filter(({ isProven }) => isProven).map(({ name }) => name) ?? [];
    expect(proven).toContain(story.brokenCase);
    expect(proven.filter((name) => !name.startsWith("refunds "))).toEqual([]);
    const broken = suite?.broken.find(({ name }) => name === story.brokenCase);
    expect(broken?.failure?.message).toContain("return window of 14 days");
    expect(broken?.outputA).toContain("within 30 days");
    expect(broken?.outputB).toContain("within 14 days");
    expect(suite?.pass?.interval.high).toBeLessThan(0);
  });

  test("two commits before it give no evidence; without sides, the newest commit is compared with the one before", async () => {
    const quiet = await get(
      `/compare?a=${at(story.commits[2]!)}&b=${at(story.commits[3]!)}&suite=${story.suite}`,
      EvalComparison,
    );
    expect(quiet.verdict).not.toBe("regression");
    const usual = await get(`/compare?suite=${story.suite}`, EvalComparison);
    expect([usual.a.states, usual.b.states]).toEqual([[`commit:${story.commits[8]}`], [`commit:${story.commits[9]}`]]);
    const runs = await get(`/compare?a=${part(newestRun)}&b=${part(newestRun)}`, EvalComparison);
    expect(runs.b.runs).toEqual([story.runsOf(9)[2]!]);
  });
});

describe("over time", () => {
  test("the trend drops at the commit that broke the refunds", async () => {
    const { points, scope } = await get(`/trend?suite=${story.suite}&tier=standard`, EvalTrend);
    expect(points.map(({ sha }) => sha)).toEqual([...story.commits]);
    expect(scope).toEqual({ runs: 30, results: 1500, olderRuns: 0 });
    expect(points[6]?.interval.low).toBeGreaterThan(points[7]?.interval.high ?? 0);
    expect(points[0]?.scores.tone?.mean).toBeGreaterThan(points[9]?.scores.tone?.mean ?? 1);
  });

  test("the flaky case comes first, and broken cases are not listed as equally flaky", async () => {
    const { cases } = await get(`/flaky?suite=${story.suite}`, EvalFlaky);
    expect(cases[0]?.name).toBe(story.flakyCase);
    expect(cases[0]?.rate).toBeGreaterThan(2 * (cases[1]?.rate ?? 0));
  });

  test("a case has its history, its states, and two results to show side by side", async () => {
    const path = `/cases/${part(story.brokenCase)}?suite=${story.suite}`;
    const detail = await get(path, EvalCaseDetail);
    expect(detail.history).toHaveLength(30);
    expect(detail.states).toHaveLength(10);
    expect(await get(`/cases/${detail.caseKey}?suite=${story.suite}`, EvalCaseDetail)).toEqual(detail);
    const { a, b } = detail.suggested;
    const sides = `a=${part(a?.run ?? "")}&aOrdinal=${a?.ordinal}&b=${part(b?.run ?? "")}&bOrdinal=${b?.ordinal}`;
    const outputs = await get(`/outputs?${sides}`, EvalOutputs);
    expect(outputs.a.status).not.toBe(outputs.b.status);
    expect(outputs.changes?.some(({ kind }) => kind === "added")).toBe(true);
    const flaky = await get(`/cases/${part(story.flakyCase)}?suite=${story.suite}`, EvalCaseDetail);
    expect(flaky.flaky?.rate).toBeGreaterThan(0.3);
  });

  test("costs are shown by model, suite, day and tier, and unpriced calls are counted, not summed", async () => {
    const costs = await get("/cost", EvalCosts);
    const sum = (rows: readonly { actualUsd: number; estimatedUsd: number }[]) =>
      rows.reduce((total, { actualUsd, estimatedUsd }) => total + actualUsd + estimatedUsd, 0);
    expect(sum(costs.models)).toBeCloseTo(sum([costs.total]), 8);
    expect(sum(costs.days)).toBeCloseTo(sum([costs.total]), 8);
    expect(costs.total.unpricedCalls).toBe(72);
    expect(costs.models.find(({ model }) => model === "house-model-1")?.unpricedReason).not.toBeNull();
    const [fast, , full] = costs.tiers;
    expect(fast?.usd).toBeLessThan(full?.usd ?? 0);
    expect(costs.days).toHaveLength(10);
  });

  test("the judges page shows the judges, their agreement, their bias, and how scores changed", async () => {
    const judges = await get("/judges", EvalJudges);
    expect(judges.judges.map(({ model, runs }) => [model, runs])).toEqual([
      ["claude-sonnet-4-5", 30],
      ["gpt-5.4-mini", 30],
    ]);
    expect(judges.agreement.map(({ criterion, items }) => [criterion, items])).toEqual([
      ["accuracy", 1500],
      ["tone", 1500],
    ]);
    const lean = (model: string) => judges.leaning.find((one) => one.model === model && one.criterion === "accuracy");
    expect(lean("claude-sonnet-4-5")?.difference).toBeGreaterThan(0.02);
    expect(lean("gpt-5.4-mini")?.difference).toBeLessThan(-0.02);
    const tone = judges.drift.find(({ criterion }) => criterion === "tone");
    expect(tone?.points).toHaveLength(30);
    expect([judges.people, judges.consistency]).toEqual([[], []]);
  });
});

describe("the sides of a comparison on a server, which has no repository", () => {
  const sha = (letter: string) => letter.repeat(40);
  const note = (letter: string, parent: string | null) => ({
    sha: sha(letter),
    parents: parent ? [sha(parent)] : [],
    author: "Robin",
    at: "2026-03-15T10:00:00.000Z",
    subject: `Commit ${letter}`,
  });

  async function branched() {
    const own = await openStore(temporaryFolder());
    const push = async (letter: string, day: number, branch: string, commits: Parameters<typeof note>[]) => {
      const facts = {
        runId: letter,
        suite: "s",
        gitSha: sha(letter),
        gitBranch: branch,
        at: `2026-03-${day}T00:00:00.000Z`,
      };
      const { run, results } = madeRun(facts, [madeResult()]);
      await own.push({ run, results: [...results], losses: [], warnings: [] } as never, {
        commits: commits.map(([one, parent]) => note(one, parent)),
      });
    };
    await push("a", 10, "main", [["a", null]]);
    await push("b", 12, "stranger", [
      ["b", "a"],
      ["a", null],
    ]);
    await push("d", 14, "topic", [
      ["d", "c"],
      ["c", "a"],
      ["a", null],
    ]);
    return { store: own, routes: evalRoutes({ store: own, watch: nobody }) };
  }

  test("are the newest commit and the nearest commit before it that has runs, not another branch's", async () => {
    const { store: own, routes: served } = await branched();
    const answer = EvalComparison.parse(await (await served.api.request("/compare")).json());
    expect([answer.a.shas, answer.b.shas]).toEqual([[sha("a")], [sha("d")]]);
    own.close();
  });

  test("a commit without runs is refused, and the nearest one with runs is named", async () => {
    const { store: own, routes: served } = await branched();
    served.api.onError((error, c) => c.text(errorReport(error).hint, 404));
    const answer = await served.api.request(`/compare?b=commit:${sha("c")}`);
    expect([answer.status, await answer.text()]).toEqual([404, "Nearest commit with runs: aaaaaaaaaaaa"]);
    own.close();
  });
});
