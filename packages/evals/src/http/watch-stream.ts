/**
 * Live streams of runs in progress.
 *
 * - `WatchSource` the current state of runs; supplied by the caller.
 * - `watchStreams(source, options)` `open(suite)` a stream of server-sent events; `stop()` ends all of them.
 *
 * A suite is read while at least one client watches it, once for all of them. A stream sends the changes since its last message,
 * and only when the client has read that: a slow client gets fewer and larger deltas, and nothing is queued.
 */
import { DevflowError } from "@devflow/core/errors";
import type { EvalWatchEvent } from "@devflow/protocol";
import type { Watch, WatchDelta } from "../partials/index.ts";

export interface WatchSource {
  /** Suites with partials. */
  suites(): Promise<readonly string[]>;
  /** Undefined: the suite has no partials. */
  read(suite: string): Promise<Watch | undefined>;
}

export interface WatchStreamOptions {
  readonly pollMs?: number;
  readonly heartbeatMs?: number;
  readonly maxStreams?: number;
  readonly now?: () => number;
}

export interface WatchStreams {
  open(suite: string, expiresAtMs?: number): ReadableStream<Uint8Array>;
  readonly subscribers: number;
  stop(): void;
}

/** Undefined before the first read, null if there is nothing. */
type Seen = Watch | null | undefined;

export function watchStreams(source: WatchSource, options: WatchStreamOptions = {}): WatchStreams {
  const { pollMs = 400, heartbeatMs = 15_000, maxStreams = 200, now = Date.now } = options;
  const watched = new Map<string, WatchedSuite>();
  const ends = new Set<() => void>();

  return {
    open(suite, expiresAtMs = Number.POSITIVE_INFINITY) {
      if (ends.size >= maxStreams) throw new DevflowError("too_many_streams", { details: { limit: maxStreams } });
      const shared = watched.get(suite) ?? new WatchedSuite(suite, source, pollMs);
      watched.set(suite, shared);
      let sent: Seen;
      let isOver = false;
      let wake: (() => void) | undefined;
      let beatAt = now() + heartbeatMs;
      const stir = () => wake?.();
      const over = () => {
        if (isOver) return;
        isOver = true;
        ends.delete(over);
        clearInterval(beat);
        if (shared.leave(stir)) watched.delete(suite);
        stir();
      };
      const beat = setInterval(() => (expiresAtMs <= now() ? over() : stir()), Math.min(heartbeatMs, 1000));
      ends.add(over);
      shared.join(stir);
      return new ReadableStream<Uint8Array>(
        {
          start: (controller) => controller.enqueue(encoder.encode("retry: 1000\n\n")),
          async pull(controller) {
            for (;;) {
              if (isOver) return controller.close();
              const bytes = changeOf(sent, shared.seen) ?? (now() >= beatAt ? frame("heartbeat", {}) : undefined);
              if (bytes) {
                const isFirst = sent === undefined && shared.seen !== undefined;
                sent = shared.seen;
                beatAt = now() + heartbeatMs;
                controller.enqueue(bytes);
                if (isFirst) controller.enqueue(frame("ready", {}));
                return;
              }
              await new Promise<void>((resolve) => {
                wake = resolve;
              });
            }
          },
          cancel: over,
        },
        // Prepare nothing before the client asks for it.
        { highWaterMark: 0 },
      );
    },
    get subscribers() {
      return ends.size;
    },
    stop() {
      for (const end of [...ends]) end();
    },
  };
}

/** Reads one suite repeatedly for as long as a client watches it. */
class WatchedSuite {
  seen: Seen;
  readonly #suite: string;
  readonly #source: WatchSource;
  readonly #pollMs: number;
  readonly #watchers = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(suite: string, source: WatchSource, pollMs: number) {
    this.#suite = suite;
    this.#source = source;
    this.#pollMs = pollMs;
  }

  join(stir: () => void): void {
    this.#watchers.add(stir);
    if (this.#watchers.size === 1) void this.#turn();
  }

  /** True if no client is left. */
  leave(stir: () => void): boolean {
    this.#watchers.delete(stir);
    if (this.#watchers.size > 0) return false;
    clearTimeout(this.#timer);
    return true;
  }

  async #turn(): Promise<void> {
    try {
      this.seen = (await this.#source.read(this.#suite)) ?? null;
    } catch {
      // A file was removed between listing and reading; the next read sees the current state.
    }
    if (this.#watchers.size === 0) return;
    for (const stir of this.#watchers) stir();
    this.#timer = setTimeout(() => void this.#turn(), this.#pollMs);
  }
}

const encoder = new TextEncoder();

function frame(event: EvalWatchEvent, data: unknown): Uint8Array {
  return encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

function changeOf(sent: Seen, seen: Seen): Uint8Array | undefined {
  if (seen === undefined) return undefined;
  if (seen === null) return sent === null ? undefined : frame("nothing", {});
  if (!sent || sent.runId !== seen.runId || sent.startedAt !== seen.startedAt || seen.seq < sent.seq) {
    return frame("snapshot", seen);
  }
  return seen.seq === sent.seq ? undefined : frame("delta", deltaOf(sent, seen));
}

function deltaOf(before: Watch, after: Watch): WatchDelta {
  const { seq, updatedAt, state, done, expected, tally, cost, eta, warnings } = after;
  const known = new Map(before.workers.map((worker) => [worker.pid, JSON.stringify(worker)]));
  const last = before.rows[0]?.no ?? -1;
  return {
    ...{ seq, updatedAt, state, done, expected, tally, cost, eta, warnings },
    workers: after.workers.filter((worker) => known.get(worker.pid) !== JSON.stringify(worker)),
    rows: after.rows.filter(({ no }) => no > last),
  };
}
