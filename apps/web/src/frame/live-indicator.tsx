/** Whether the page is current: a word, a colour, and the time until the next try. */
import { useEffect, useState } from "react";
import { useLive } from "../live-context.tsx";
import type { LiveState } from "../model/live-stream.ts";

const states = {
  connecting: { word: "Connecting", colour: "text-warn", dot: "bg-warn" },
  live: { word: "Live", colour: "text-good", dot: "bg-good" },
  lost: { word: "Disconnected", colour: "text-bad", dot: "bg-bad" },
  closed: { word: "Closed", colour: "text-ink-soft", dot: "bg-ink-soft" },
} as const;

export function LiveIndicator() {
  const { live, retryNow } = useLive();
  const state = states[live.is];
  return (
    <div
      className={`flex h-8 min-w-24 shrink-0 items-center justify-end gap-2 px-2 text-meta font-medium ${state.colour}`}
      data-live={live.is}
    >
      <span
        aria-hidden="true"
        className={`size-2 rounded-full ${state.dot} ${live.is === "connecting" ? "pulse" : ""}`}
      />
      {/* Announced when the state changes. The countdown is hidden from screen readers. */}
      <span role="status">{state.word}</span>
      {live.is === "lost" && (
        <>
          <Countdown until={live.retryAt} />
          <button
            type="button"
            onClick={retryNow}
            className="h-6 rounded-small border border-line px-2 text-ink hover:bg-hover"
          >
            Retry<span className="sr-only"> the connection now</span>
          </button>
        </>
      )}
    </div>
  );
}

function Countdown({ until }: { until: Extract<LiveState, { is: "lost" }>["retryAt"] }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 250);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((until - Date.now()) / 1_000));
  return (
    <span className="tabular-nums whitespace-nowrap" aria-hidden="true">
      <span className="hidden wide:inline">reconnecting </span>in {seconds} s
    </span>
  );
}
