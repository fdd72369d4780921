/** How long something has taken; updated every second until it ends. */
import { useSyncExternalStore } from "react";
import { duration, elapsedMs } from "../model/runs/run-words.ts";

type Span = Parameters<typeof elapsedMs>[0];

export function Elapsed({ of }: { of: Span }) {
  return of.endedAt === null ? <Ticking of={of} /> : <Text of={of} now={0} />;
}

function Ticking({ of }: { of: Span }) {
  const now = useSyncExternalStore(subscribe, () => tick);
  return <Text of={of} now={now} />;
}

function Text({ of, now }: { of: Span; now: number }) {
  return <span className="tabular-nums whitespace-nowrap">{duration(elapsedMs(of, now))}</span>;
}

let tick = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  tick = Date.now();
  timer ??= setInterval(() => {
    tick = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
