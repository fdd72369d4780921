/**
 * The live stream of an eval run in progress.
 *
 * - `startLiveWatch({ api, suite, … })` → `snapshot`, `subscribe`, `retryNow`, `stop`. A lost stream starts again with a
 *   full snapshot, so that nothing is missed or shown twice.
 */
import { evalWatchEvents } from "@devflow/protocol";
import type { Api } from "../api.ts";
import { type LiveState, startLiveStream } from "../live-stream.ts";
import { applyWatch, type WatchView } from "./watch-state.ts";

export interface WatchSnapshot {
  readonly view: WatchView;
  readonly live: LiveState;
}

export interface LiveWatch {
  snapshot(): WatchSnapshot;
  subscribe(listener: () => void): () => void;
  retryNow(): void;
  stop(): void;
}

export const idleWatch: WatchSnapshot = { view: { is: "unknown" }, live: { is: "connecting" } };

export function startLiveWatch(options: {
  readonly api: Pick<Api, "stream">;
  readonly suite: string;
  readonly now: () => number;
  readonly random: () => number;
}): LiveWatch {
  let current = idleWatch;
  const listeners = new Set<() => void>();
  const become = (next: Partial<WatchSnapshot>) => {
    current = { ...current, ...next };
    for (const each of listeners) each();
  };
  const path = `/sse/evals/watch?suite=${encodeURIComponent(options.suite)}`;
  const stream = startLiveStream({
    events: evalWatchEvents,
    open: (lastEventId, signal) => options.api.stream(path, lastEventId, signal),
    lastEventId: () => "",
    onEvent: (event, data) => {
      const view = applyWatch(current.view, event, data);
      if (view !== current.view) become({ view });
    },
    onState: (live) => become({ live }),
    now: options.now,
    random: options.random,
  });
  return {
    snapshot: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retryNow: stream.retryNow,
    stop: stream.stop,
  };
}
