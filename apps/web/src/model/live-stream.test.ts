import { afterEach, expect, test } from "bun:test";
import { streamEvents } from "@devflow/protocol";
import { frame, type StreamStep, startMisbehavingServer, until } from "../../tests/misbehaving-server.ts";
import { createApi } from "./api.ts";
import { type LiveState, startLiveStream } from "./live-stream.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function follow(script: readonly StreamStep[], silenceMs = 60_000) {
  const server = await startMisbehavingServer(script);
  const states: LiveState[] = [];
  const events: string[] = [];
  let refusals = 0;
  const api = createApi({ fetch, origin: server.origin, token: async () => "token", onUnauthorised: () => refusals++ });
  const stream = startLiveStream({
    events: streamEvents,
    open: (id, signal) => api.stream("/sse/global", id, signal),
    lastEventId: () => `after-${events.length}`,
    onEvent: (event, data) => events.push(`${event} ${data}`),
    onState: (state) => states.push(state),
    now: () => 1_000_000,
    random: () => 0,
    silenceMs,
  });
  cleanups.push(stream.stop, server.stop);
  return {
    server,
    stream,
    states,
    events,
    refusals: () => refusals,
    words: () => states.map((state) => state.is).join(" "),
  };
}

test("a stream is live only after the server reports the end of the replay", async () => {
  const { server, events, words } = await follow([{ frames: frame("change", 1) }]);
  await until("the change arrives", () => events.length === 1);
  expect(words()).toBe("connecting");
  server.send(frame("ready", {}));
  await until("live", () => words() === "connecting live");
});

test("an ended or broken stream is lost, has a time for the next try, and resumes after the last event", async () => {
  const { server, states, events, words } = await follow([
    { frames: frame("ready", {}) + frame("change", 1), after: "end" },
    { frames: frame("ready", {}), after: "break" },
    { frames: frame("ready", {}) },
  ]);
  await until("live for the third time", () => words() === "connecting live lost connecting live lost connecting live");
  expect(states.filter((state) => state.is === "lost")).toEqual([
    { is: "lost", retryAt: 1_000_500, attempt: 1 },
    { is: "lost", retryAt: 1_000_500, attempt: 1 },
  ]);
  expect(server.lastEventIds).toEqual(["after-0", "after-2", "after-3"]);
  expect(events).toEqual(["ready {}", "change 1", "ready {}", "ready {}"]);
});

test("repeated failures wait longer each time, and a person can retry at once", async () => {
  const failing = { status: 503, frames: '{"error":{"code":"busy","message":"busy","hint":"wait"}}' };
  const { stream, states, words } = await follow([failing, failing, { frames: frame("ready", {}) }]);
  await until("lost twice", () => words().startsWith("connecting lost connecting lost"));
  const waits = states.filter((state) => state.is === "lost").map((state) => state.retryAt - 1_000_000);
  expect(waits).toEqual([500, 1_000]);
  stream.retryNow();
  await until("live", () => words().endsWith("live"));
});

test("silence is detected on an open connection", async () => {
  const { words } = await follow([{ frames: frame("ready", {}), after: "hold" }], 60);
  await until("lost", () => words().includes("live lost"));
});

test("a refused token ends the stream permanently", async () => {
  const { server, words, refusals } = await follow([
    { status: 401, frames: '{"error":{"code":"x","message":"no","hint":""}}' },
  ]);
  await until("closed", () => words() === "connecting closed");
  expect(refusals()).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(server.lastEventIds.length).toBe(1);
});
