import { afterEach, expect, test } from "bun:test";
import { frame, type StreamStep, startMisbehavingServer, until } from "../../tests/misbehaving-server.ts";
import { createApi } from "./api.ts";
import { resumeId } from "./change-log.ts";
import { startLiveChanges } from "./live-changes.ts";

const team = "01890000-0000-7000-8000-00000000000a";
const other = "01890000-0000-7000-8000-00000000000b";
const entity = "01890000-0000-7000-8000-0000000000ee";
const change = (seq: number, teamId = team) =>
  frame("change", { teamId, seq, kind: "ping", entityId: entity, op: "upsert", at: "2026-01-01T00:00:00Z" });
const ready = (teams: Record<string, number>, resync = false) => frame("ready", { teams, resync });

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** A log of `length` changes, trimmed up to `trimmedTo`. */
async function follow(script: readonly StreamStep[], log: { length: number; trimmedTo?: number }) {
  const reads: number[] = [];
  const server = await startMisbehavingServer(script, {
    "/rest/v1/rpc/changes": ({ after_seq, max_rows }: { after_seq: number; max_rows: number }) => {
      reads.push(after_seq);
      const first = Math.max(after_seq, log.trimmedTo ?? 0) + 1;
      return Array.from({ length: Math.max(0, Math.min(max_rows, log.length - first + 1)) }, (_, index) => ({
        seq: first + index,
        kind: "ping",
        entity_id: entity,
        op: "upsert",
        at: "2026-01-01T00:00:00+00:00",
      }));
    },
  });
  const arrived: number[] = [];
  const readies: boolean[] = [];
  const api = createApi({ fetch, origin: server.origin, token: async () => "token", onUnauthorised: () => {} });
  const live = startLiveChanges({
    api,
    onChange: ({ seq }) => arrived.push(seq),
    onReady: (first) => readies.push(first),
    now: Date.now,
    random: () => 0,
  });
  cleanups.push(live.stop, server.stop);
  const shown = () => live.snapshot().log.changes.map(({ seq }) => seq);
  return { server, live, arrived, readies, reads, shown };
}

test("the page shows the newest changes of a long log and then new ones, after reading a single page", async () => {
  const { server, live, arrived, shown, reads } = await follow([{ frames: ready({ [team]: 10_000 }) }], {
    length: 10_000,
  });
  await until("loaded", () => live.snapshot().loaded);
  expect(reads).toEqual([9_800]);
  expect(shown()[0]).toBe(10_000);
  expect(shown().length).toBe(200);
  expect(arrived).toEqual([]);
  server.send(change(10_001));
  await until("arrived", () => arrived.length === 1);
  expect(shown()[0]).toBe(10_001);
});

test("changes that the stream skips are read from the log, repeated ones are dropped, and all arrive once and in order", async () => {
  const log = { length: 5 };
  const { server, live, arrived, shown } = await follow([{ frames: ready({ [team]: 5 }) }], log);
  await until("loaded", () => live.snapshot().loaded);
  log.length = 12;
  server.send(change(6) + change(6) + change(4) + change(10) + change(11) + change(12));
  await until("all arrived", () => arrived.at(-1) === 12);
  expect(arrived).toEqual([6, 7, 8, 9, 10, 11, 12]);
  expect(shown()).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

test("while paused nothing is connected; afterwards it goes on where it was", async () => {
  const log = { length: 5 };
  const { server, live, arrived } = await follow(
    [{ frames: ready({ [team]: 5 }) }, { frames: change(6) + change(7) + ready({ [team]: 7 }) }],
    log,
  );
  await until("live", () => live.snapshot().live.is === "live");
  live.pause(true);
  live.pause(true);
  expect(live.snapshot().live.is).toBe("closed");
  live.retryNow();
  log.length = 7;
  expect(server.lastEventIds.length).toBe(1);
  live.pause(false);
  live.pause(false);
  await until("live again", () => live.snapshot().live.is === "live");
  expect(server.lastEventIds.length).toBe(2);
  expect(arrived).toEqual([6, 7]);
  live.stop();
  live.pause(false);
  expect(live.snapshot().live.is).toBe("closed");
});

test("a gap that was trimmed from the log does not stop the page", async () => {
  const log = { length: 5, trimmedTo: 0 };
  const { server, live, arrived } = await follow([{ frames: ready({ [team]: 5 }) }], log);
  await until("loaded", () => live.snapshot().loaded);
  log.trimmedTo = 90;
  log.length = 90;
  server.send(change(90));
  await until("arrived", () => arrived.length === 1);
  server.send(change(91));
  await until("continues", () => arrived.at(-1) === 91);
  expect(arrived).toEqual([90, 91]);
});

test("after a disconnect the stream resumes after the last change, including refilled ones", async () => {
  const log = { length: 5 };
  const { server, live, arrived, readies } = await follow(
    [{ frames: ready({ [team]: 5 }) + change(6), after: "break" }, { frames: change(7) + ready({ [team]: 7 }) }],
    log,
  );
  await until("back", () => live.snapshot().live.is === "live" && arrived.length === 2);
  expect(server.lastEventIds).toEqual([undefined, `${team}:6`]);
  expect(arrived).toEqual([6, 7]);
  expect(readies).toEqual([true, false]);
});

test("changes between the replay and the head are read from the log", async () => {
  const { live, arrived } = await follow([{ frames: ready({ [team]: 3 }) + ready({ [team]: 6 }) }], { length: 6 });
  await until("caught up", () => arrived.length === 3);
  expect(resumeId(live.snapshot().log)).toBe(`${team}:6`);
});

test("a team that is joined is followed and shown, a team that is left disappears", async () => {
  const { server, live, shown } = await follow([{ frames: ready({ [team]: 2 }) }], { length: 2 });
  await until("loaded", () => live.snapshot().loaded);
  server.send(ready({ [team]: 2, [other]: 1 }));
  await until("both shown", () => shown().length === 3);
  server.send(ready({ [other]: 1 }));
  await until("one left", () => shown().length === 1);
  expect(resumeId(live.snapshot().log)).toBe(`${other}:1`);
});

test("a log restored to an earlier state replaces what the page held", async () => {
  const log = { length: 9 };
  const { server, live, shown } = await follow([{ frames: ready({ [team]: 9 }) }], log);
  await until("loaded", () => shown().length === 9);
  log.length = 4;
  server.send(ready({ [team]: 4 }, true));
  await until("read again", () => shown().length === 4);
  expect(resumeId(live.snapshot().log)).toBe(`${team}:4`);
});

test("a frame that is not a change is ignored", async () => {
  const { server, live, arrived } = await follow([{ frames: ready({ [team]: 0 }) }], { length: 0 });
  await until("loaded", () => live.snapshot().loaded);
  server.send(`event: change\ndata: {"seq":"<script>"}\n\nevent: change\ndata: {\n\n${change(1)}`);
  await until("arrived", () => arrived.length === 1);
});
