/**
 * Keeps the teams' changes current: the stream, one page of each log before it, and a refill where the stream has gaps.
 *
 * - `startLiveChanges(options)` → `{ snapshot, subscribe, retryNow, pause, stop }`, shaped for `useSyncExternalStore`.
 * - `onChange` is called once for every change that arrives while the page is open, in order within its team.
 * - `pause(true)` closes the stream; `pause(false)` opens it again where it stopped.
 * - `onReady` is called whenever the stream is up to date: at the start, after each reconnect, and when a team is joined or left.
 */
import { Change, StreamReady, streamEvents } from "@devflow/protocol";
import type { Api } from "./api.ts";
import {
  accept,
  addOlder,
  type ChangeLog,
  emptyLog,
  followTeams,
  keptChanges,
  receive,
  resumeId,
} from "./change-log.ts";
import { type LiveState, startLiveStream } from "./live-stream.ts";

export interface LiveSnapshot {
  readonly live: LiveState;
  readonly log: ChangeLog;
  /** The newest page of every team was read. Until then an empty list means "not loaded". */
  readonly loaded: boolean;
  readonly fault: Error | undefined;
}

export interface LiveChanges {
  snapshot(): LiveSnapshot;
  subscribe(listener: () => void): () => void;
  /** Reconnects now if the stream is lost, and retries failed reads. */
  retryNow(): void;
  pause(isPaused: boolean): void;
  stop(): void;
}

export interface LiveChangesOptions {
  readonly api: Pick<Api, "changes" | "stream">;
  onChange(change: Change): void;
  onReady(first: boolean): void;
  readonly now: () => number;
  readonly random: () => number;
}

const refillRows = 500;

export function startLiveChanges({ api, onChange, onReady, now, random }: LiveChangesOptions): LiveChanges {
  let current: LiveSnapshot = { live: { is: "connecting" }, log: emptyLog, loaded: false, fault: undefined };
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  /** Teams whose page of older changes was not read yet, with the head it goes up to. */
  const unread = new Map<string, number>();
  const refilling = new Map<string, { upTo: number; known: Change | undefined }>();

  function update(change: Partial<LiveSnapshot>): void {
    current = { ...current, ...change };
    for (const listener of listeners) listener();
  }

  const open = () =>
    startLiveStream({
      now,
      random,
      events: streamEvents,
      open: (lastEventId, signal) => api.stream("/sse/global", lastEventId, signal),
      lastEventId: () => resumeId(current.log),
      onState: (live) => update({ live }),
      onEvent(event, data) {
        if (event === "change") {
          const change = Change.safeParse(safeJson(data));
          if (change.success) take(change.data);
        } else if (event === "ready") {
          const ready = StreamReady.safeParse(safeJson(data));
          if (ready.success) follow(ready.data);
        }
      },
    });
  /** Undefined while paused. */
  let stream: ReturnType<typeof open> | undefined = open();

  function follow({ teams, resync }: StreamReady): void {
    const first = current.log === emptyLog;
    const heads = new Map(Object.entries(teams));
    // After a resync this is a different log than the one the page followed, so everything it holds is discarded.
    const log = followTeams(resync ? emptyLog : current.log, heads);
    for (const [teamId, head] of heads) if (resync || !current.log.cursors.has(teamId)) unread.set(teamId, head);
    for (const teamId of unread.keys()) if (!heads.has(teamId)) unread.delete(teamId);
    update({ log });
    for (const [teamId, head] of heads) if ((log.cursors.get(teamId) ?? 0) < head) void refill(teamId, head);
    onReady(first);
    void readUnread();
  }

  async function readUnread(): Promise<void> {
    try {
      for (const [teamId, head] of [...unread]) {
        const page = await api.changes(teamId, Math.max(0, head - keptChanges), keptChanges, stopping.signal);
        if (unread.get(teamId) !== head) continue;
        unread.delete(teamId);
        update({ log: addOlder(current.log, page) });
      }
      if (unread.size === 0 && (!current.loaded || current.fault)) update({ loaded: true, fault: undefined });
    } catch (fault) {
      if (!stopping.signal.aborted) update({ fault: fault instanceof Error ? fault : new Error(String(fault)) });
    }
  }

  function take(change: Change): void {
    const { log, arrival } = receive(current.log, change);
    if (arrival === "next") announce(log, [change]);
    else if (arrival === "ahead") void refill(change.teamId, change.seq, change);
  }

  /** Reads the changes that the stream skipped. One refill per team at a time; it also covers gaps that appear while it runs. */
  async function refill(teamId: string, upTo: number, known?: Change): Promise<void> {
    const running = refilling.get(teamId);
    refilling.set(teamId, { upTo: Math.max(upTo, running?.upTo ?? 0), known: known ?? running?.known });
    if (running) return;
    try {
      for (;;) {
        const goal = refilling.get(teamId);
        const cursor = current.log.cursors.get(teamId) ?? 0;
        if (!goal || cursor >= goal.upTo) return;
        const rows = await api.changes(teamId, cursor, refillRows, stopping.signal);
        // No rows, although one is known: the log was trimmed, so only the known change is left.
        const found = rows.length > 0 || !goal.known ? rows : [goal.known];
        if (found.length === 0) return;
        const before = current.log.cursors.get(teamId) ?? 0;
        announce(
          accept(current.log, teamId, found),
          found.filter((row) => row.seq > before),
        );
      }
    } catch {
      // The cursor did not move, so the next change or reconnect finds the same gap and fills it.
    } finally {
      refilling.delete(teamId);
    }
  }

  function announce(log: ChangeLog, arrived: readonly Change[]): void {
    update({ log });
    for (const change of arrived) onChange(change);
  }

  return {
    snapshot: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retryNow() {
      stream?.retryNow();
      if (unread.size > 0) void readUnread();
    },
    pause(isPaused) {
      if (stopping.signal.aborted) return;
      if (isPaused) {
        stream?.stop();
        stream = undefined;
      } else stream ??= open();
    },
    stop() {
      stopping.abort();
      stream?.stop();
    },
  };
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
