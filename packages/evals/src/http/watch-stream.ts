/**
 * Runs under way, live.
 *
 * - `WatchSource` how runs stand now; whoever mounts the routes supplies it.
 * - `watchStreams(source, options)` `open(suite)` a stream of server-sent events; `stop()` ends all of them.
 *
 * A suite is read while somebody watches it, once for all of them. A stream sends what changed since what it sent last,
 * and only when its reader has taken that: a slow reader gets fewer and larger deltas, and nothing piles up.
 */
import { DevflowError } from "@devflow/core/errors";
import type { EvalWatchEvent } from "@devflow/protocol";
import type { Watch, WatchDelta } from "../partials/index.ts";

export interface WatchSource {
  /** Suites whose workers have written something. */
  suites(): Promise<readonly string[]>;
  /** Undefined: nobody has written partials of it. */
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

/** Undefined before it was first read, null when there is nothing. */
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
        // Nothing is prepared ahead of the reader.
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

/** One suite, read again and again for as long as anybody watches. */
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

  /** True when nobody is left. */
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
      // A file that went away between listing and reading; the next turn sees what there is.
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
