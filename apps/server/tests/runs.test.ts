/** Runs through the API: who may do what, what comes back, and what a browser may make of it. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { uuidv7 } from "@devflow/core/ids";
import {
  ApprovalList,
  DecisionAnswer,
  RunDetail,
  RunEventList,
  RunList,
  RunStarted,
  Transcript,
} from "@devflow/protocol";
import { type RunsServer, startRunsServer } from "@devflow/testkit/runs-server";

const it: RunsServer = await startRunsServer();
afterAll(() => it.stop(), 120_000);

const start = (more: Record<string, unknown> = {}) =>
  it.call("/api/runs", {
    body: {
      template: "development-fake@1",
      repository: it.repository,
      requirements: "Greet in several languages",
      clientToken: uuidv7(),
      ...more,
    },
  });

async function until(runId: string, fits: (run: RunDetail) => boolean): Promise<RunDetail> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const { json } = await it.call(`/api/runs/${runId}`);
    if (fits(json)) return json;
    if (Date.now() > deadline) throw new Error(`the run stays ${JSON.stringify(json).slice(0, 2000)}`);
    await Bun.sleep(30);
  }
}
const gateOf = (run: RunDetail) => run.approvals.find((one) => one.state === "pending");
const isAsked = (run: RunDetail) => gateOf(run) !== undefined;

const asked = await (async () => {
  const { status, json } = await start();
  if (status !== 201) throw new Error(JSON.stringify(json));
  return await until(json.runId, isAsked);
})();

describe("start", () => {
  test("201 for a new run, 200 for the same token, and both are the same run", async () => {
    const body = { clientToken: uuidv7(), queue: true };
    const first = await start(body);
    expect(first.status).toBe(201);
    expect(RunStarted.parse(first.json)).toMatchObject({ created: true });
    const again = await start(body);
    expect(again.status).toBe(200);
    expect(again.json).toMatchObject({ runId: first.json.runId, created: false });
    await it.call(`/api/runs/${first.json.runId}/abort`, { body: { clientToken: "stop" } });
  });

  test("a preview says who would play which role and writes nothing", async () => {
    const before = (await it.call("/api/runs")).json.runs.length;
    const { status, json } = await it.call("/api/runs/preview", { body: { template: "development-fake@1" } });
    expect(status).toBe(200);
    expect(json).toMatchObject({ ok: true });
    expect(json.roles.every((one: { chosen: string | null }) => one.chosen?.startsWith("fake-"))).toBe(true);
    const real = (await it.call("/api/runs/preview", { body: { template: "development@1" } })).json;
    expect(real).toMatchObject({ ok: false, code: "backend_unavailable" });
    expect((await it.call("/api/runs")).json.runs.length).toBe(before);
  });

  test("what is wrong with a request is said, and nothing is stored", async () => {
    const { status, json } = await start({ requirements: "" });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ code: "input_invalid" });
    expect(json.error.message).toContain("requirements");
    expect((await start({ template: "nothing@9" })).status).toBe(404);
    expect((await start({ teamId: uuidv7() })).status).toBe(404);
  });

  test("a hostile title and zero bytes are kept as text and harm nobody", async () => {
    const title = `<img src=x onerror=alert(1)>\u0000\u001b[2J\ud800 ${"x".repeat(300)}`;
    const { status, json } = await start({ title, requirements: `bad \u0000 text`, extra: { note: "a\u0000b" } });
    expect(status).toBe(201);
    const { json: run, headers } = await it.call(`/api/runs/${json.runId}`);
    expect(run.title).toStartWith("<img src=x onerror=alert(1)>\uFFFD\u001b[2J\uFFFD");
    expect(run.requirements).toBe("bad \uFFFD text");
    expect(headers.get("content-type")).toContain("application/json");
    await it.call(`/api/runs/${json.runId}/abort`, { body: { clientToken: "stop" } });
  });
});

describe("limits", () => {
  test("a second run where only one may work is 409 and names the first", async () => {
    const template = `name: solo
version: 1
exclusive: true
roles: [{id: architect, requiredCapabilities: [spec_write], preferredBackends: [fake]}]
phases:
  - {key: spec, kind: planning, title: Spec, risk: low, roles: [architect], gates: [plan_approved], instructions: "{{requirements}}",
     expectedArtifact: {path: spec.json, schema: dev/spec@1}}
`;
    mkdirSync(join(it.home.devflowHome, "templates"), { recursive: true });
    writeFileSync(join(it.home.devflowHome, "templates", "solo@1.yaml"), template);
    expect((await it.call("/api/templates/seed", { body: {} })).json.inserted).toEqual(["solo@1"]);
    const first = await start({ template: "solo" });
    expect(first.status).toBe(201);
    const second = await start({ template: "solo" });
    expect(second.status).toBe(409);
    expect(second.json.error).toMatchObject({ code: "run_active", details: { currentRunId: first.json.runId } });
    expect(second.json.error.details.currentState).toBeString();
    await it.call(`/api/runs/${first.json.runId}/abort`, { body: { clientToken: "stop" } });
  });

  test("over the limit a start is 429, unless it may wait in line", async () => {
    const small = await startRunsServer({ maxConcurrentRuns: 1 });
    try {
      const begin = (more: Record<string, unknown> = {}) =>
        small.call("/api/runs", {
          body: {
            template: "development-fake@1",
            repository: small.repository,
            requirements: "x",
            clientToken: uuidv7(),
            ...more,
          },
        });
      expect((await begin()).status).toBe(201);
      const refused = await begin();
      expect(refused.status).toBe(429);
      expect(refused.json.error).toMatchObject({ code: "too_many_runs" });
      const waiting = await begin({ queue: true });
      expect(waiting.status).toBe(201);
      expect(waiting.json).toMatchObject({ queued: true });
    } finally {
      await small.stop();
    }
  }, 120_000);

  test("a body beyond four megabytes is refused", async () => {
    expect((await start({ extra: { long: "x".repeat(5 * 1024 * 1024) } })).status).toBe(413);
  });
});

test("what an agent asks to be allowed is answered through the API, by people only", async () => {
  const { json } = await start({ extra: { fake: { script: { spec: "permission" } } } });
  const request = async () => {
    const { events } = (await it.call(`/api/runs/${json.runId}/events`)).json;
    return events.find((event: { type: string }) => event.type === "permission.requested")?.payload;
  };
  while (!(await request())) await Bun.sleep(30);
  const { session, permission } = await request();
  const path = `/api/permissions/${permission}/decisions`;
  const body = { sessionId: session, answer: "allow" };
  expect((await it.call(path, { body, headers: { "x-devflow-session": "dfs_x" } })).status).toBe(403);
  expect((await it.call(path, { body })).status).toBe(201);
  await until(json.runId, isAsked);
  await it.call(`/api/runs/${json.runId}/abort`, { body: { clientToken: "stop" } });
}, 120_000);

describe("reading", () => {
  test("the page of a run is one answer in the agreed shape, and so are lists and events", async () => {
    const detail = RunDetail.parse((await it.call(`/api/runs/${asked.id}`)).json);
    expect(detail.phases.map((phase) => phase.key).slice(0, 2)).toEqual(["spec", "plan"]);
    expect(detail).toMatchObject({ state: "awaiting_approval", phase: { key: "plan" }, pendingApprovals: 1 });
    const list = RunList.parse((await it.call("/api/runs?state=active&repo=shop&limit=1")).json);
    expect(list.runs).toHaveLength(1);
    const found = RunList.parse((await it.call(`/api/runs?match=${asked.id.slice(-12)}`)).json);
    expect(found.runs.map((run) => run.id)).toEqual([asked.id]);
    const first = RunEventList.parse((await it.call(`/api/runs/${asked.id}/events?limit=3`)).json);
    expect(first.events.map((event) => event.seq)).toEqual([1, 2, 3]);
    const rest = RunEventList.parse((await it.call(`/api/runs/${asked.id}/events?after=${first.next}`)).json);
    expect(rest.events[0]?.seq).toBe(4);
    expect(rest.next).toBeNull();
    for (const path of ["phases", "artifacts", "sessions", "cost", "diff"])
      expect((await it.call(`/api/runs/${asked.id}/${path}`)).status).toBe(200);
    for (const path of ["templates", "personas", "sessions"]) expect((await it.call(`/api/${path}`)).status).toBe(200);
  });

  test("lists are newest first, and the cursor leads through all of them once", async () => {
    const all = (await it.call("/api/runs?limit=200")).json.runs.map((run: RunDetail) => run.id);
    const paged: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { json } = await it.call(`/api/runs?limit=1${cursor ? `&cursor=${cursor}` : ""}`);
      paged.push(...json.runs.map((run: RunDetail) => run.id));
      cursor = json.cursor;
    }
    expect(paged).toEqual(all);
    expect([...all].sort().reverse()).toEqual(all);
  });

  test("a transcript is read page by page", async () => {
    const session = asked.sessions[0];
    const { json } = await it.call(`/api/sessions/${session?.id}/transcript?limit=1`);
    const page = Transcript.parse(json);
    expect(page.chunks[0]?.content).toContain("[fake] received prompt");
    const rest = Transcript.parse(
      (await it.call(`/api/sessions/${session?.id}/transcript?from=${page.chunks[0]?.seq}`)).json,
    );
    expect(rest.chunks.every((chunk) => chunk.seq > (page.chunks[0]?.seq ?? 0))).toBe(true);
  });

  test("an artifact is a file to keep and never a page", async () => {
    const artifact = asked.artifacts[0];
    const { status, headers, text } = await it.call(`/api/runs/${asked.id}/artifacts/${artifact?.id}/content`);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ title: "Greet in several languages" });
    expect(headers.get("content-disposition")).toBe('attachment; filename="spec.json"');
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("a report is there when the run has ended, and before that says when it will be", async () => {
    const { status, json } = await it.call(`/api/runs/${asked.id}/report.md`);
    expect(status).toBe(404);
    expect(json.error.hint).toContain("when the run ends");
  });
});

describe("another team's member", () => {
  test("finds no run, no gate, no session and no stream, and can do nothing to them", async () => {
    const token = it.stranger.token;
    const gate = gateOf(asked);
    const session = asked.sessions[0];
    const paths = ["", "/events", "/phases", "/artifacts", "/sessions", "/cost", "/diff", "/report.json"];
    for (const path of paths) expect((await it.call(`/api/runs/${asked.id}${path}`, { token })).status).toBe(404);
    const artifact = `/api/runs/${asked.id}/artifacts/${asked.artifacts[0]?.id}/content`;
    expect((await it.call(artifact, { token })).status).toBe(404);
    expect((await it.call(`/api/sessions/${session?.id}/transcript`, { token })).status).toBe(404);
    expect((await it.call(`/sse/runs/${asked.id}`, { token })).status).toBe(404);
    for (const verb of ["pause", "resume", "abort", "verify", "cleanup", "purge"]) {
      const body = { clientToken: uuidv7(), confirm: asked.id };
      expect((await it.call(`/api/runs/${asked.id}/${verb}`, { token, body })).status).toBe(404);
    }
    const body = { verdict: "approve", clientToken: uuidv7() };
    expect((await it.call(`/api/approvals/${gate?.id}/decisions`, { token, body })).status).toBe(404);
    const permission = { sessionId: session?.id, answer: "allow" };
    expect((await it.call("/api/permissions/p-1/decisions", { token, body: permission })).status).toBe(404);
    expect((await it.call("/api/runs", { token })).json).toEqual({ runs: [], cursor: null, total: 0 });
    expect((await it.call("/api/approvals?state=pending", { token })).json).toEqual({ approvals: [], permissions: [] });
    expect((await it.call("/api/sessions", { token })).json).toEqual({ sessions: [] });
  });
});

describe("deciding", () => {
  test("an agent is refused: gates, pause, resume, abort", async () => {
    const headers = { "x-devflow-session": "dfs_anything", "x-devflow-via": "cli" };
    const gate = gateOf(asked);
    const refused = [
      await it.call(`/api/approvals/${gate?.id}/decisions`, {
        headers,
        body: { verdict: "approve", clientToken: uuidv7() },
      }),
      await it.call(`/api/runs/${asked.id}/pause`, { headers, body: { clientToken: uuidv7() } }),
      await it.call(`/api/runs/${asked.id}/resume`, { headers, body: { clientToken: uuidv7() } }),
      await it.call(`/api/runs/${asked.id}/abort`, { headers, body: { clientToken: uuidv7() } }),
    ];
    expect(refused.map((one) => [one.status, one.json.error.code])).toEqual(
      Array(4).fill([403, "agent_may_not_decide"]),
    );
    expect(gateOf(await until(asked.id, () => true))?.id).toBe(gate?.id as string);
  });

  test("three at once: one wins with 201, the others are told by whom, the same token gets 200", async () => {
    const gate = gateOf(asked);
    const waiting = ApprovalList.parse((await it.call("/api/approvals?state=pending")).json).approvals;
    expect(waiting.map((one) => one.id)).toContain(gate?.id as string);
    const decide = (clientToken: string, verdict: string) =>
      it.call(`/api/approvals/${gate?.id}/decisions`, {
        headers: { "x-devflow-via": "web" },
        body: { verdict, clientToken, comment: "go" },
      });
    const answers = await Promise.all([
      decide("tab-1", "approve"),
      decide("tab-2", "request_changes"),
      decide("tab-3", "approve"),
    ]);
    expect(answers.map((one) => one.status).sort()).toEqual([201, 409, 409]);
    const winner = answers.find((one) => one.status === 201);
    expect(DecisionAnswer.parse(winner?.json)).toMatchObject({
      actor: { kind: "human", via: "web", userId: it.userId },
    });
    const loser = answers.find((one) => one.status === 409);
    expect(loser?.json.error).toMatchObject({ code: "approval_decided" });
    const place = answers.indexOf(winner as (typeof answers)[number]);
    const again = await decide(`tab-${place + 1}`, winner?.json.verdict);
    expect(again.status).toBe(200);
    expect(again.json).toMatchObject({ id: winner?.json.id, created: false });
  });

  test("an unknown channel is refused", async () => {
    const answer = await it.call(`/api/runs/${asked.id}/pause`, {
      headers: { "x-devflow-via": "engine" },
      body: { clientToken: "x" },
    });
    expect(answer.status).toBe(400);
  });
});

test("status tells that a run is at work", async () => {
  const { json } = await start({ extra: { fake: { delayMs: 600_000 } } });
  await until(json.runId, (run) => run.state === "planning");
  expect((await it.call("/api/status")).json.busy[0]).toMatch(/^\d+ runs?$/);
  await it.call(`/api/runs/${json.runId}/abort`, { body: { clientToken: "stop", reason: "enough" } });
  expect((await until(json.runId, (run) => run.state === "aborted")).failureReason).toBe("enough");
});
