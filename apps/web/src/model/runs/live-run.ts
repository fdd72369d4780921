/**
 * Keeps one run current: the server's response, the events since then, and a new response soon after them.
 *
 * - `startLiveRun(options)` → `{ snapshot, subscribe, readOlder, retryNow, pause, stop }`, shaped for `useSyncExternalStore`.
 * - `readOlder` fetches the events before the live ones, for the event log.
 * - `pause(true)` closes the stream while the page is hidden; `pause(false)` catches up by sequence number.
 *
 * The stream starts after the last event of the response, so a run with 5,000 events opens as fast as one with five. Skipped events
 * are read from the log, repeated ones are dropped, and events without data trigger a new request.
 */
import { markBidi, type RunDetail, RunEventView, runStreamEvents } from "@devflow/protocol";
import type { Api } from "../api.ts";
import { ApiFault } from "../api-fault.ts";
import { type LiveState, startLiveStream } from "../live-stream.ts";
import { currentDetail } from "./apply-event.ts";
import { accept, logAfter, prepend, type RunLog, receive } from "./run-log.ts";

export interface RunSnapshot {
  /** The newest response with all later events applied; undefined until the first one. */
  readonly detail: RunDetail | undefined;
  readonly log: RunLog;
  readonly live: LiveState;
  readonly fault: Error | undefined;
  readonly older: "unread" | "reading" | "read";
  readonly olderFault: Error | undefined;
  /** Incremented whenever a transcript of this run grows. */
  readonly transcriptVersion: number;
}

export interface LiveRun {
  snapshot(): RunSnapshot;
  subscribe(listener: () => void): () => void;
  readOlder(): void;
  retryNow(): void;
  pause(isPaused: boolean): void;
  stop(): void;
}

export interface LiveRunOptions {
  readonly api: Pick<Api, "stream"> & { readonly runs: Pick<Api["runs"], "detail" | "events"> };
  readonly runId: string;
  readonly now: () => number;
  readonly random: () => number;
  /** How long to collect events before the next request. */
  readonly settleMs?: number;
}

const pageOfEvents = 1_000;
const firstPage = 200;

export function startLiveRun({ api, runId, now, random, settleMs = 150 }: LiveRunOptions): LiveRun {
  let current: RunSnapshot = {
    detail: undefined,
    log: logAfter(0),
    live: { is: "connecting" },
    fault: undefined,
    older: "unread",
    olderFault: undefined,
    transcriptVersion: 0,
  };
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  let stream: ReturnType<typeof startLiveStream> | undefined;
  let settling: ReturnType<typeof setTimeout> | undefined;
  let reading = false;
  let isStale = false;
  let refilling = false;
  let isPaused = false;

  function update(change: Partial<RunSnapshot>): void {
    current = { ...current, ...change };
    for (const listener of listeners) listener();
  }

  /** One request at a time; events that arrive during it cause one more. */
  async function read(): Promise<void> {
    if (reading) {
      isStale = true;
      return;
    }
    reading = true;
    isStale = false;
    try {
      const answer = await api.runs.detail(runId, stopping.signal);
      const isFirst = current.detail === undefined;
      const log = isFirst ? logAfter(answer.eventSeq) : current.log;
      update({ detail: currentDetail(answer, log.events), log, fault: undefined });
      if (isFirst && !isPaused) open();
      if (answer.eventSeq > current.log.head) void refill();
    } catch (fault) {
      if (!stopping.signal.aborted) update({ fault: asError(fault) });
    } finally {
      reading = false;
      if (isStale && !stopping.signal.aborted) readSoon();
    }
  }

  function readSoon(): void {
    settling ??= setTimeout(() => {
      settling = undefined;
      void read();
    }, settleMs);
  }

  function open(): void {
    stream ??= startLiveStream({
      now,
      random,
      events: runStreamEvents,
      open: (lastEventId, signal) => api.stream(`/sse/runs/${runId}?lastEventId=${lastEventId}`, lastEventId, signal),
      lastEventId: () => String(current.log.head),
      onState: (live) => update({ live }),
      onEvent(event, data) {
        if (event === "run.event_appended") take(data);
        else if (event === "transcript.chunk_appended") update({ transcriptVersion: current.transcriptVersion + 1 });
        else if (event !== "heartbeat") readSoon();
      },
    });
  }

  function take(data: string): void {
    const event = RunEventView.safeParse(safeJson(data));
    if (!event.success) {
      readSoon();
      return;
    }
    const { log, arrival } = receive(current.log, event.data);
    if (arrival === "next") keep(log);
    else if (arrival === "ahead") void refill();
  }

  function keep(log: RunLog): void {
    const fresh = log.events.slice(current.log.events.length);
    update({ log, detail: current.detail && currentDetail(current.detail, fresh) });
    readSoon();
  }

  /** Reads the events that the stream skipped. */
  async function refill(): Promise<void> {
    if (refilling) return;
    refilling = true;
    try {
      for (;;) {
        const page = await api.runs.events(runId, current.log.head, pageOfEvents, stopping.signal);
        const log = accept(current.log, page.events);
        if (log !== current.log) keep(log);
        if (page.next === null || page.events.length === 0) return;
      }
    } catch {
      // The head did not move, so the next event or reconnect finds the same gap and fills it.
    } finally {
      refilling = false;
    }
  }

  async function readOlder(): Promise<void> {
    if (!current.detail || current.older !== "unread") return;
    update({ older: "reading", olderFault: undefined });
    try {
      // Backwards, with a small first page, so that the newest events are shown while the rest loads.
      for (let size = firstPage; current.log.first > 1; size = pageOfEvents) {
        const { first } = current.log;
        const page = await api.runs.events(runId, Math.max(0, first - 1 - size), size, stopping.signal);
        const log = prepend(current.log, page.events);
        if (log.first === first) break; // the events do not connect: the log was trimmed
        update({ log });
      }
      update({ older: "read" });
    } catch (fault) {
      if (!stopping.signal.aborted) update({ older: "unread", olderFault: asError(fault) });
    }
  }

  void read();
  return {
    snapshot: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    readOlder: () => void readOlder(),
    retryNow() {
      stream?.retryNow();
      void read();
    },
    pause(wanted) {
      if (wanted === isPaused) return;
      isPaused = wanted;
      if (isPaused) {
        stream?.stop();
        stream = undefined;
      } else if (current.detail) {
        open();
        void read();
      }
    },
    stop() {
      clearTimeout(settling);
      stopping.abort();
      stream?.stop();
    },
  };
}

export const isMissing = (fault: Error | undefined): boolean => fault instanceof ApiFault && fault.code === "not_found";

const asError = (fault: unknown): Error => (fault instanceof Error ? fault : new Error(String(fault)));

function safeJson(text: string): unknown {
  try {
    return JSON.parse(markBidi(text));
  } catch {
    return undefined;
  }
}
