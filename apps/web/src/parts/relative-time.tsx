/** A relative time, with the exact one on hover. All of them update together, twice a minute. */
import { useSyncExternalStore } from "react";
import { exactTime, relativeTime } from "../model/relative-time.ts";

export function RelativeTime({ at }: { at: string }) {
  useSyncExternalStore(subscribe, () => tick);
  return (
    <time dateTime={at} title={exactTime(at)} className="tabular-nums whitespace-nowrap">
      {relativeTime(at, Date.now())}
    </time>
  );
}

let tick = 0;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    tick += 1;
    for (const each of listeners) each();
  }, 30_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
