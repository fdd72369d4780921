/** Eval results through the real server: who may read them, and how others are refused. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineEvals } from "@devflow/evals/http";
import { openStore } from "@devflow/evals/store";
import { story, storyRuns } from "@devflow/evals/testing";
import { EvalRunDetail, EvalRunList, Failure } from "@devflow/protocol";
import { mountEvals } from "../src/index.ts";
import { startTestServer } from "./test-server.ts";

const home = mkdtempSync(join(tmpdir(), "df-"));
const store = await openStore(home);
for (const run of storyRuns(Date.now()).slice(0, 3)) await store.push(run);
const evals = async () => mountEvals(machineEvals(home, store, { pollMs: 20, heartbeatMs: 50 }));
const it = await startTestServer({ systems: { evals } });
afterAll(async () => {
  await it.stop();
  store.close();
  rmSync(home, { recursive: true });
}, 60_000);

const ask = (path: string, token: string | undefined = it.token, init: RequestInit = {}) =>
  fetch(it.url + path, { ...init, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
const ref = encodeURIComponent(`${story.suite}/${story.runsOf(0)[0]}`);
const paths = [
  "/api/evals/suites",
  "/api/evals/runs",
  `/api/evals/runs/${ref}`,
  `/api/evals/runs/${ref}/results`,
  `/api/evals/runs/${ref}/results/0`,
  `/api/evals/cases/${encodeURIComponent(story.flakyCase)}?suite=${story.suite}`,
  "/api/evals/compare",
  `/api/evals/trend?suite=${story.suite}&tier=standard`,
  "/api/evals/flaky",
  "/api/evals/cost",
  "/api/evals/judges",
  "/api/evals/watch",
];

test("the person of this machine reads everything, and nothing of it is kept by a browser", async () => {
  for (const path of paths) {
    const answer = await ask(path);
    expect({ path, status: answer.status, cached: answer.headers.get("cache-control") }).toEqual({
      path,
      status: 200,
      cached: "no-store",
    });
    await answer.arrayBuffer();
  }
  expect(EvalRunList.parse(await (await ask("/api/evals/runs", it.machineToken)).json()).matching).toBe(3);
});

test("nobody reads anything without a token, and a member of another team is refused", async () => {
  for (const path of [...paths, `/sse/evals/watch?suite=${story.suite}`]) {
    const [nobody, stranger] = [await fetch(it.url + path), await ask(path, it.stranger.token)];
    expect({ path, nobody: nobody.status, stranger: stranger.status }).toEqual({ path, nobody: 401, stranger: 403 });
    expect(JSON.stringify([await nobody.json(), await stranger.json()])).not.toContain(story.suite);
  }
});

test("nothing can be written, and a wrong question is told what is wrong with it", async () => {
  for (const method of ["POST", "PUT", "DELETE"]) {
    const answer = await ask(`/api/evals/runs/${ref}`, it.token, { method });
    expect({ method, status: answer.status }).toEqual({ method, status: 405 });
  }
  const fault = async (path: string) => {
    const answer = await ask(path);
    return [answer.status, Failure.parse(await answer.json()).error.message] as const;
  };
  expect(await fault("/api/evals/runs?limit=0")).toEqual([400, expect.stringContaining("limit")]);
  expect(await fault("/api/evals/runs?since=yesterday")).toEqual([400, expect.stringContaining("since")]);
  expect(await fault(`/api/evals/runs/${ref}/results?sort=drop`)).toEqual([400, expect.stringContaining("sort")]);
  expect(await fault("/api/evals/runs/no%2Fsuch")).toEqual([404, expect.stringContaining("no/such")]);
  expect(await fault(`/api/evals/runs/${ref}/results/99999`)).toEqual([404, expect.stringContaining("99999")]);
  expect((await fault("/api/evals/cases/none?suite=none"))[0]).toBe(404);
  expect((await fault("/api/evals/watch/nobody"))[0]).toBe(404);
  expect((await fault("/sse/evals/watch"))[0]).toBe(400);
});

test("a run is found whatever its name is made of", async () => {
  for (const runId of ["a/b", "100%25", "q?x=1#y", "é 漢字", "..", "%2e%2e%2f"]) {
    const [run] = storyRuns(Date.now());
    if (!run) throw new Error("the story has runs");
    await store.push({ ...run, run: { ...run.run, runId, suite: `odd ${runId}` } });
    const answer = await ask(`/api/evals/runs/${encodeURIComponent(`odd ${runId}/${runId}`)}`);
    expect({ runId, status: answer.status }).toEqual({ runId, status: 200 });
    expect(EvalRunDetail.parse(await answer.json()).run.runId).toBe(runId);
  }
});

test("a stream says that nobody writes, keeps beating, and is ended properly when the server stops", async () => {
  const another = await it.startAnother({ systems: { evals } });
  const answer = await fetch(`${another.url}/sse/evals/watch?suite=none`, {
    headers: { authorization: `Bearer ${it.token}` },
  });
  let text = "";
  const decoder = new TextDecoder();
  let stopping: Promise<void> | undefined;
  for await (const bytes of answer.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    if (text.split("event: heartbeat").length > 3) stopping ??= another.stop();
  }
  await stopping;
  expect(text.startsWith("retry: 1000\n\nevent: nothing\ndata: {}\n\nevent: ready")).toBe(true);
});
