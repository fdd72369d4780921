/** The live stream of a run: nothing skipped, nothing twice, whatever the connection does. */
import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { uuidv7 } from "@devflow/core/ids";
import { runStreamEvents } from "@devflow/protocol";
import { type RunsServer, startRunsServer } from "@devflow/testkit/runs-server";
import { openStream, type StreamClient } from "./stream-client.ts";

const it: RunsServer = await startRunsServer();
afterAll(() => it.stop(), 60_000);

async function start(more: Record<string, unknown> = {}): Promise<string> {
  const { json } = await it.call("/api/runs", {
    body: {
      template: "development-fake@1",
      repository: it.repository,
      requirements: "Greet in several languages",
      clientToken: uuidv7(),
      ...more,
    },
  });
  return json.runId;
}

const watch = (runId: string, query = "", lastId?: string): Promise<StreamClient> =>
  openStream(`${it.url}/sse/runs/${runId}${query}`, it.token, lastId);
const seqs = (stream: StreamClient): number[] =>
  stream.frames.filter((one) => one.event === "run.event_appended").map((one) => Number(one.id));
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
const approve = async (runId: string) => {
  const { json } = await it.call(`/api/runs/${runId}`);
  const gate = json.approvals.find((one: { state: string }) => one.state === "pending");
  await it.call(`/api/approvals/${gate.id}/decisions`, { body: { verdict: "approve", clientToken: uuidv7() } });
};

test("a stream replays, says that it is ready, and follows to the end; every event once and in order", async () => {
  const runId = await start();
  const stream = await watch(runId);
  await stream.until((one) => one.event === "ready");
  for (let gate = 1; gate <= 2; gate++) {
    await stream.until((_one, all) => all.filter((each) => each.event === "approval.created").length >= gate, 60_000);
    await approve(runId);
  }
  await stream.until((one) => one.event === "run.state_changed" && one.data.state === "completed", 60_000);
  const { json } = await it.call(`/api/runs/${runId}`);
  expect(seqs(stream)).toEqual(upTo(json.eventSeq));
  const names = new Set(stream.frames.map((one) => one.event));
  for (const name of names) expect(runStreamEvents as readonly string[]).toContain(name);
  for (const name of ["phase.state_changed", "session.state_changed", "artifact.validated", "approval.resolved"])
    expect(names.has(name)).toBe(true);
  expect(stream.frames.filter((one) => one.id !== undefined).every((one) => one.event === "run.event_appended")).toBe(
    true,
  );
  await stream.until((one) => one.event === "transcript.chunk_appended" && String(one.data.content).includes("[fake]"));
  stream.close();

  // A fresh stream of an old run: history alone, no hints about it.
  const late = await watch(runId);
  await late.until((one) => one.event === "ready");
  expect(seqs(late)).toEqual(upTo(json.eventSeq));
  expect(late.frames.some((one) => one.event === "phase.state_changed")).toBe(false);
  late.close();
}, 120_000);

test("a connection that breaks again and again sees every event once, also those of in between", async () => {
  const runId = await start();
  const seen: number[] = [];
  let connections = 0;
  const isAtGate = async () => {
    const { json } = await it.call(`/api/runs/${runId}`);
    return json.pendingApprovals === 1 && seen.length >= json.eventSeq;
  };
  while (!(await isAtGate())) {
    connections += 1;
    const stream = await watch(runId, "", seen.length === 0 ? undefined : String(seen.at(-1)));
    // Cut off at different moments: in the replay, at its end, in the middle of what follows.
    const isEnough = [1, 4, 2][connections % 3] ?? 1;
    await Promise.race([
      stream.until((_one, all) => all.filter((each) => each.id !== undefined).length >= isEnough, 60_000),
      Bun.sleep(200),
    ]).catch(() => undefined);
    stream.close();
    seen.push(...seqs(stream));
  }
  expect(connections).toBeGreaterThan(1);
  expect(seen).toEqual(upTo(seen.length));
  const { json } = await it.call(`/api/runs/${runId}/events?after=0&limit=1000`);
  expect(seen.every((seq) => json.events.some((event: { seq: number }) => event.seq === seq))).toBe(true);
  await it.call(`/api/runs/${runId}/abort`, { body: { clientToken: "x" } });
}, 120_000);

test("transcripts begin at the present, or where they are asked for", async () => {
  const runId = await start();
  const live = await watch(runId);
  await live.until((one) => one.event === "approval.created", 60_000);
  live.close();
  const { json } = await it.call(`/api/runs/${runId}`);
  const session = json.sessions[0];
  const fresh = await watch(runId);
  await fresh.until((one) => one.event === "ready");
  const again = await watch(runId, `?transcriptFrom=${session.id}:0`);
  const first = await again.until((one) => one.event === "transcript.chunk_appended");
  expect(first.data).toMatchObject({ sessionId: session.id, role: session.role });
  expect(String(first.data.content)).toStartWith("[fake] received prompt");
  expect(fresh.frames.some((one) => one.event === "transcript.chunk_appended")).toBe(false);
  fresh.close();
  again.close();
  expect((await it.call(`/sse/runs/${runId}?transcriptFrom=nonsense`)).status).toBe(400);
  expect((await it.call(`/sse/runs/${uuidv7()}`)).status).toBe(404);
  await it.call(`/api/runs/${runId}/abort`, { body: { clientToken: "x" } });
}, 120_000);

test("each change of a run is one change of its team's stream too", async () => {
  const team = await openStream(`${it.url}/sse/team/${it.teamId}`, it.token);
  await team.until((one) => one.event === "ready");
  const runId = await start();
  await team.until((one) => one.event === "change" && one.data.kind === "run" && one.data.entityId === runId);
  team.close();
  await it.call(`/api/runs/${runId}/abort`, { body: { clientToken: "x" } });
}, 60_000);

test("a reader that reads nothing holds nobody up", async () => {
  const runId = await start();
  const lazy = connect(it.server.port, "127.0.0.1");
  lazy.write(
    `GET /sse/runs/${runId} HTTP/1.1\r\nHost: 127.0.0.1:${it.server.port}\r\nAuthorization: Bearer ${it.token}\r\n\r\n`,
  );
  lazy.pause();
  const stream = await watch(runId);
  await stream.until((one) => one.event === "approval.created", 60_000);
  stream.close();
  lazy.destroy();
  await it.call(`/api/runs/${runId}/abort`, { body: { clientToken: "x" } });
}, 60_000);
