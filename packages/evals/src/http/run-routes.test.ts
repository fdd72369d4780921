import { expect, test } from "bun:test";
import { errorReport } from "@devflow/core/errors";
import {
  EvalCosts,
  EvalLabels,
  EvalMatrix,
  EvalResultDetail,
  EvalResultPage,
  EvalRunDetail,
  EvalTrend,
} from "@devflow/protocol";
import { temporaryFolder } from "@devflow/testkit";
import type { z } from "zod";
import { importedRun, result } from "../../testing/imported-run.ts";
import { madeUsage } from "../../testing/made-runs.ts";
import { samplePath } from "../../testing/samples.ts";
import { importFile } from "../interop/index.ts";
import { openStore } from "../store/index.ts";
import { machineEvals } from "./machine-evals.ts";

async function served() {
  const home = temporaryFolder();
  const store = await openStore(home);
  const { api } = machineEvals(home, store);
  const get = async <T>(path: string, contract: z.ZodType<T>): Promise<T> =>
    contract.parse(await (await api.request(path)).json());
  return { store, api, get };
}
const part = encodeURIComponent;

test("a matrix shows the outputs of every model and prompt side by side, and only differing cases on request", async () => {
  const { store, get } = await served();
  for await (const run of importFile(samplePath("promptfoo-matrix.csv"))) await store.push(run);
  const [first] = store.list().runs;
  const ref = part(`${first?.suite}/${first?.runId}`);
  const matrix = await get(`/runs/${ref}/matrix`, EvalMatrix);
  expect(matrix.variants.map(({ title }) => title)).toEqual(["openai:gpt-4 · short", "openai:gpt-4 · long"]);
  expect(matrix.cases.map(({ name, cells }) => [name, ...cells.map((cell) => cell?.status)])).toEqual([
    ["Greets", "pass", "fail"],
    ["Refuses", "pass", "error"],
  ]);
  expect(matrix.cases[0]?.cells.map((cell) => cell?.output?.text)).toEqual([
    "Hello!",
    "Hello, how may I help you today?",
  ]);
  expect((await get(`/runs/${ref}/matrix?differing=1`, EvalMatrix)).matching).toBe(2);
  expect((await get(`/runs/${ref}`, EvalRunDetail)).variants).toBe(2);
  store.close();
});

test("results are found by the words of their output and by a low score; scores have a distribution", async () => {
  const { store, get } = await served();
  const results = Array.from({ length: 20 }, (_, at) =>
    result({
      name: `case ${at}`,
      output: { response: at === 7 ? "The Refund is on its way" : "Hello" },
      scores: { tone: at / 20 },
      tags: at === 3 ? ["slow"] : [],
      extra: { metadata: { language: at < 2 ? "de" : "en" } },
    }),
  );
  await store.push(importedRun({ runId: "r" }, results));
  const names = async (query: string) =>
    (await get(`/runs/r/results?${query}`, EvalResultPage)).rows.map(({ name }) => name);
  expect(await names("text=refund")).toEqual(["case 7"]);
  expect(await names("text=nothing")).toEqual([]);
  expect(await names("metadata=language%3Dde")).toEqual(["case 0", "case 1"]);
  expect(await names("metadata=tag%3Dslow")).toEqual(["case 3"]);
  expect(await names("criterion=tone&below=0.1")).toEqual(["case 0", "case 1"]);
  expect((await get("/runs/r", EvalRunDetail)).histograms).toEqual([
    { criterion: "tone", from: 0, to: 1, counts: [2, 2, 2, 2, 2, 2, 2, 2, 2, 2] },
  ]);
  store.close();
});

test("a verdict and a comment given on the page are labels; a wrong one is refused", async () => {
  const { store, api, get } = await served();
  await store.push(importedRun({ runId: "r" }, [result({ output: { response: "Hello" } })]));
  const body = JSON.stringify({ verdict: "fail", note: "too short" });
  const headers = { "content-type": "application/json" };
  const added = await api.request("/runs/r/results/0/label", { method: "POST", headers, body });
  expect(EvalLabels.parse(await added.json()).labels).toMatchObject([
    { verdict: "fail", note: "too short", criterion: null },
  ]);
  expect((await get("/runs/r/results/0/labels", EvalLabels)).labels).toHaveLength(1);
  api.onError((error, c) => c.text(errorReport(error).message, 400));
  const wrong = await api.request("/runs/r/results/0/label", { method: "POST", headers, body: '{"verdict":"maybe"}' });
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining("verdict")]);
  expect((await get("/runs/r/results/0/labels", EvalLabels)).labels).toHaveLength(1);
  store.close();
});

test("a run is downloaded as a file whose name is safe in a header", async () => {
  const { store, api } = await served();
  await store.push(importedRun({ runId: 'r"\n', suite: "s" }));
  const answer = await api.request(`/runs/${part('s/r"\n')}/export?as=csv`);
  expect(answer.headers.get("content-disposition")).toBe('attachment; filename="s-r_.csv"');
  expect((await answer.text()).split("\n")[0]).toStartWith("name,");
  store.close();
});

test("every assertion of promptfoo is shown with its reason, passing ones too", async () => {
  const { store, get } = await served();
  for await (const run of importFile(samplePath("promptfoo-0.123-errors-repeats.json"))) await store.push(run);
  const [line] = store.list().runs;
  const { assertions } = await get(`/runs/${part(`${line?.suite}/${line?.runId}`)}/results/0`, EvalResultDetail);
  expect(assertions.length).toBeGreaterThan(0);
  expect(assertions.every(({ type }) => type !== "")).toBe(true);
  store.close();
});

test("costs are summed over all runs, however many", async () => {
  const { store, get } = await served();
  for (let at = 0; at < 320; at++) {
    await store.push(importedRun({ runId: `r${at}` }, [result({ usage: [madeUsage("m", { costUsd: 0.5 })] })]));
  }
  const { total, models, scope, days } = await get("/cost", EvalCosts);
  expect([total.actualUsd, models[0]?.actualUsd, models[0]?.calls, scope.runs, days[0]?.actualUsd]).toEqual([
    160, 160, 320, 320, 160,
  ]);
  store.close();
});

test("a trend has one line per model, keeps to the main branch, and names its commits", async () => {
  const { store, get } = await served();
  const push = (runId: string, given: object) =>
    store.push(importedRun({ runId, suite: "s", at: `2026-03-1${runId.length}T00:00:00.000Z`, ...given }), {
      commits: [{ sha: "abc123", parents: [], author: "Robin", at: null, subject: "Shorten the prompt" }],
    });
  await push("a", { model: "big" });
  await push("bb", { model: "small" });
  await push("ccc", { model: "big", gitBranch: "topic", gitSha: "def456" });
  const trend = await get("/trend?suite=s&tier=standard&variant=big", EvalTrend);
  expect([trend.branch, trend.variants.toSorted(), trend.variant]).toEqual(["main", ["big", "small"], "big"]);
  expect(trend.points.map(({ sha, commit }) => [sha, commit?.subject, commit?.author])).toEqual([
    ["abc123", "Shorten the prompt", "Robin"],
  ]);
  store.close();
});
