/**
 * The teams' changes, kept current: a first page of each log, then the stream, and a refill where the stream left something out.
 *
 * - `startLiveChanges(options)` → `{ snapshot, subscribe, retryNow, stop }`, shaped for `useSyncExternalStore`.
 * - `onChange` is called once for every change that arrives after the first page, in order within its team.
 */
import { Change } from "@devflow/protocol";
import type { Api } from "./api.ts";
import { accept, type ChangeLog, emptyLog, receive, resumeId, startTeam } from "./change-log.ts";
import { type LiveState, startLiveStream } from "./live-stream.ts";
import { recentChanges } from "./recent-changes.ts";

export interface LiveSnapshot {
  readonly live: LiveState;
  readonly log: ChangeLog;
  /** The first page of every team has come; before that an empty list means "not known yet". */
  readonly loaded: boolean;
  readonly fault: Error | undefined;
}

export interface LiveChanges {
  snapshot(): LiveSnapshot;
  subscribe(listener: () => void): () => void;
  retryNow(): void;
  stop(): void;
}

export interface LiveChangesOptions {
  readonly api: Pick<Api, "changes" | "stream">;
  readonly teamIds: readonly string[];
  onChange(change: Change): void;
  readonly now: () => number;
  readonly random: () => number;
}

const page = 200;

export function startLiveChanges(options: LiveChangesOptions): LiveChanges {
  const { api, teamIds } = options;
  let current: LiveSnapshot = { live: { is: "connecting" }, log: emptyLog, loaded: false, fault: undefined };
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  const refilling = new Map<string, Promise<void>>();

  function update(change: Partial<LiveSnapshot>): void {
    current = { ...current, ...change };
    for (const listener of listeners) listener();
  }

  const stream = startLiveStream({
    now: options.now,
    random: options.random,
    lastEventId: () => resumeId(current.log),
    onState: (live) => update({ live }),
    async open(_, signal) {
      // The log comes first, so that the stream can be asked to go on exactly behind it.
      if (!current.loaded) await loadFirstPages();
      return api.stream("/sse/global", resumeId(current.log), signal);
    },
    onEvent(event, data) {
      if (event !== "change") return;
      const parsed = Change.safeParse(safeJson(data));
      if (parsed.success) take(parsed.data);
    },
  });

  async function loadFirstPages(): Promise<void> {
    try {
      let log = emptyLog;
      for (const teamId of teamIds) {
        const first = await recentChanges((after, rows) => api.changes(teamId, after, rows, stopping.signal), page);
        log = startTeam(log, teamId, first.changes, first.head);
      }
      update({ log, loaded: true, fault: undefined });
    } catch (fault) {
      update({ fault: fault instanceof Error ? fault : new Error(String(fault)) });
      throw fault;
    }
  }

  function take(change: Change): void {
    const { log, receipt } = receive(current.log, change);
    if (receipt === "ahead") {
      void refill(change.teamId, change);
      return;
    }
    if (receipt === "next") announce(log, [change]);
  }

  /** The stream ran ahead: what lies between is read from the log, one refill per team at a time. */
  function refill(teamId: string, upTo: Change): Promise<void> {
    const running = refilling.get(teamId);
    if (running) return running.then(() => take(upTo));
    const work = fill(teamId, upTo).finally(() => refilling.delete(teamId));
    refilling.set(teamId, work);
    return work;
  }

  async function fill(teamId: string, upTo: Change): Promise<void> {
    for (;;) {
      const cursor = current.log.cursors.get(teamId) ?? 0;
      if (cursor >= upTo.seq) return;
      let rows: Change[];
      try {
        rows = await api.changes(teamId, cursor, 500, stopping.signal);
      } catch {
        return; // The cursor has not moved, so the next change or the next resume finds the same hole and tries again.
      }
      // No rows although one is known: the log was trimmed. What came is all there will ever be.
      const found = rows.length > 0 ? rows : [upTo];
      announce(
        accept(current.log, teamId, found),
        found.filter((row) => row.seq > cursor),
      );
    }
  }

  function announce(log: ChangeLog, arrived: readonly Change[]): void {
    update({ log });
    for (const change of arrived) options.onChange(change);
  }

  return {
    snapshot: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retryNow: () => stream.retryNow(),
    stop() {
      stopping.abort();
      stream.stop();
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
