/** Keeps the teams' changes current while the app is open, and marks the lists that a change affects as stale. */
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from "react";
import { useServices } from "./app-context.tsx";
import { emptyLog } from "./model/change-log.ts";
import { listsTouchedBy, type TouchedList } from "./model/describe-change.ts";
import { type LiveChanges, type LiveSnapshot, startLiveChanges } from "./model/live-changes.ts";
import { startStaleLists } from "./model/stale-lists.ts";
import { followVisibility } from "./stream-place.ts";

const idle: LiveSnapshot = { live: { is: "connecting" }, log: emptyLog, loaded: false, fault: undefined };
const LiveContext = createContext<LiveChanges | undefined>(undefined);

export function LiveProvider({ children }: { children: ReactNode }) {
  const { api } = useServices();
  const queries = useQueryClient();
  const [live, setLive] = useState<LiveChanges>();

  useEffect(() => {
    // A chart is several queries over the team's records; a teammate's record still shows within a second.
    const stale = startStaleLists<TouchedList>({
      read: (list) => queries.invalidateQueries({ queryKey: [list] }),
      pauseMs: (list) => (list === "metrics" ? 800 : 100),
    });
    const started = startLiveChanges({
      api,
      onChange(change) {
        for (const list of listsTouchedBy(change.kind)) stale.mark(list);
      },
      onReady(first) {
        // Data that is not in the log (versions, health, teams) may have changed too.
        if (!first) void queries.invalidateQueries();
      },
      now: Date.now,
      random: Math.random,
    });
    setLive(started);
    const unfollow = followVisibility(started.pause);
    const online = () => started.retryNow();
    window.addEventListener("online", online);
    return () => {
      window.removeEventListener("online", online);
      unfollow();
      stale.stop();
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
