/** The run page against a server whose streams break, repeat and skip events. The transport is real. */
import { afterEach, expect, test } from "bun:test";
import { frame, type StreamStep, startMisbehavingServer, until } from "../../../tests/misbehaving-server.ts";
import { runDetail, runEvent, runId } from "../../../tests/run-fixture.ts";
import { createApi } from "../api.ts";
import { startLiveRun } from "./live-run.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const ready = frame("ready", {});
const appended = (seq: number, type: string, payload: Record<string, unknown> = {}) =>
  frame("run.event_appended", runEvent(seq, type, payload));

async function follow(script: readonly StreamStep[], log: readonly ReturnType<typeof runEvent>[] = []) {
  let details = 0;
  let eventReads = 0;
  let answer = runDetail();
  const events = (url: string) => {
    eventReads += 1;
    const after = Number(new URL(url, "http://x").searchParams.get("after"));
    return { events: log.filter((event) => event.seq > after), next: null };
  };
  const server = await startMisbehavingServer(script, {
    [`/api/runs/${runId}`]: () => {
      details += 1;
      return answer;
    },
    ...Object.fromEntries(
      Array.from({ length: 30 }, (_, after) => after).flatMap((after) =>
        [200, 1_000].map((limit) => {
          const url = `/api/runs/${runId}/events?after=${after}&limit=${limit}`;
          return [url, () => events(url)] as const;
        }),
      ),
    ),
  });
  const api = createApi({ fetch, origin: server.origin, token: async () => "token", onUnauthorised: () => {} });
  const live = startLiveRun({ api, runId, now: () => 0, random: () => 0, settleMs: 5 });
  cleanups.push(live.stop, server.stop);
  await until("the first answer", () => live.snapshot().detail !== undefined);
  return {
    server,
    live,
    answerWith: (next: typeof answer) => {
      answer = next;
    },
    details: () => details,
    eventReads: () => eventReads,
    seqs: () => live.snapshot().log.events.map((event) => event.seq),
  };
}

test("the stream starts after the response, and its events update the page at once and fetch a new response soon", async () => {
  const { server, live, details } = await follow([{ frames: ready }]);
  await until("live", () => live.snapshot().live.is === "live");
  expect(server.lastEventIds).toEqual(["10"]);
  server.send(appended(11, "run.paused", { cause: "manual:1" }));
  await until("paused on the page", () => live.snapshot().detail?.state === "paused");
  const before = details();
  await until("asked again", () => details() > before - 1 && details() >= 2);
});

test("duplicates are dropped, and gaps are filled from the log in order", async () => {
  const log = [11, 12, 13, 14].map((seq) => runEvent(seq, "usage.recorded"));
  const { server, live, seqs, eventReads } = await follow([{ frames: ready }], log);
  await until("live", () => live.snapshot().live.is === "live");
  server.send(appended(11, "usage.recorded") + appended(11, "usage.recorded") + appended(14, "usage.recorded"));
  await until("the gap is filled", () => live.snapshot().log.head === 14);
  expect(seqs()).toEqual([11, 12, 13, 14]);
  expect(eventReads()).toBe(1);
});

test("after a disconnect the stream resumes after the last event, without a reload", async () => {
  const { server, live, seqs } = await follow([
    { frames: ready + appended(11, "usage.recorded"), after: "break" },
    { frames: appended(12, "run.completed") + ready },
  ]);
  await until("completed", () => live.snapshot().detail?.state === "completed");
  expect(server.lastEventIds).toEqual(["10", "11"]);
  expect(seqs()).toEqual([11, 12]);
});

test("a response older than the events already shown does not undo them", async () => {
  const { server, live, details } = await follow([{ frames: ready }]);
  await until("live", () => live.snapshot().live.is === "live");
  server.send(appended(11, "run.paused", { cause: "manual:1" }));
  await until("two answers came", () => details() >= 2);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(live.snapshot().detail).toMatchObject({ state: "paused", eventSeq: 11 });
});

test("a response ahead of the stream updates the page, and its events are fetched", async () => {
  const { server, live, answerWith, seqs } = await follow(
    [{ frames: ready }],
    [11, 12].map((seq) => runEvent(seq, "usage.recorded")),
  );
  await until("live", () => live.snapshot().live.is === "live");
  answerWith(runDetail({ eventSeq: 12, state: "executing" }));
  server.send(frame("run.state_changed", {}));
  await until("the new answer", () => live.snapshot().detail?.state === "executing");
  await until("its events", () => live.snapshot().log.head === 12);
  expect(seqs()).toEqual([11, 12]);
});

test("the log before the page was opened is read on request, once", async () => {
  const log = Array.from({ length: 10 }, (_, index) => runEvent(index + 1, "usage.recorded"));
  const { live, seqs } = await follow([{ frames: ready }], log);
  expect(seqs()).toEqual([]);
  live.readOlder();
  live.readOlder();
  await until("the older events", () => live.snapshot().older === "read");
  expect(seqs()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("a hidden page has no stream, and catches up when it is visible again", async () => {
  const { server, live } = await follow([{ frames: ready }, { frames: appended(11, "run.completed") + ready }]);
  await until("live", () => live.snapshot().live.is === "live");
  live.pause(true);
  expect(live.snapshot().live.is).toBe("closed");
  live.pause(false);
  await until("caught up", () => live.snapshot().detail?.state === "completed");
  expect(server.lastEventIds).toEqual(["10", "10"]);
});

test("an invalid frame makes the page fetch again instead of failing", async () => {
  const { server, live, details } = await follow([{ frames: ready }]);
  await until("live", () => live.snapshot().live.is === "live");
  const before = details();
  server.send("event: run.event_appended\ndata: {broken\n\n");
  await until("asked again", () => details() > before);
  expect(live.snapshot().fault).toBeUndefined();
});
