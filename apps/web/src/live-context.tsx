/** Keeps the teams' changes current while the app is open, and marks the lists that a change affects as stale. */
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from "react";
import { useServices } from "./app-context.tsx";
import { emptyLog } from "./model/change-log.ts";
import { listsTouchedBy } from "./model/describe-change.ts";
import { type LiveChanges, type LiveSnapshot, startLiveChanges } from "./model/live-changes.ts";

const idle: LiveSnapshot = { live: { is: "connecting" }, log: emptyLog, loaded: false, fault: undefined };
/** Too short to notice. */
const gatherMs = 100;
const LiveContext = createContext<LiveChanges | undefined>(undefined);

export function LiveProvider({ children }: { children: ReactNode }) {
  const { api } = useServices();
  const queries = useQueryClient();
  const [live, setLive] = useState<LiveChanges>();

  useEffect(() => {
    // Twenty active runs write many changes per second; each affected list is read again once for all of them.
    const stale = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readAgain = () => {
      timer = undefined;
      for (const list of stale) void queries.invalidateQueries({ queryKey: [list] });
      stale.clear();
    };
    const started = startLiveChanges({
      api,
      onChange(change) {
        for (const list of listsTouchedBy(change.kind)) stale.add(list);
        if (stale.size > 0) timer ??= setTimeout(readAgain, gatherMs);
      },
      onReady(first) {
        // Data that is not in the log (versions, health, teams) may have changed too.
        if (!first) void queries.invalidateQueries();
      },
      now: Date.now,
      random: Math.random,
    });
    setLive(started);
    const online = () => started.retryNow();
    window.addEventListener("online", online);
    return () => {
      window.removeEventListener("online", online);
      clearTimeout(timer);
      started.stop();
    };
  }, [api, queries]);

  return <LiveContext value={live}>{children}</LiveContext>;
}

export function useLive(): LiveSnapshot & { retryNow(): void } {
  const live = use(LiveContext);
  const snapshot = useSyncExternalStore(live?.subscribe ?? noSubscription, live?.snapshot ?? idleSnapshot);
  return { ...snapshot, retryNow: () => live?.retryNow() };
}

const noSubscription = () => () => {};
const idleSnapshot = () => idle;
