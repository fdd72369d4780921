/** How long something has taken; moves on every second while it goes on. */
import { useSyncExternalStore } from "react";
import { duration, elapsedMs } from "../model/runs/run-words.ts";

type Span = Parameters<typeof elapsedMs>[0];

export function Elapsed({ of }: { of: Span }) {
  return of.endedAt === null ? <Ticking of={of} /> : <Text of={of} now={0} />;
}

function Ticking({ of }: { of: Span }) {
  const now = useSyncExternalStore(subscribe, () => beat);
  return <Text of={of} now={now} />;
}

function Text({ of, now }: { of: Span; now: number }) {
  return <span className="tabular-nums whitespace-nowrap">{duration(elapsedMs(of, now))}</span>;
}

let beat = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  beat = Date.now();
  timer ??= setInterval(() => {
    beat = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
