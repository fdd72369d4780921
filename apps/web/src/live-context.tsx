/** Keeps the teams' changes current while the app is shown, and marks the lists stale that a change touches. */
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from "react";
import { useServices } from "./app-context.tsx";
import { emptyLog } from "./model/change-log.ts";
import { listsTouchedBy } from "./model/describe-change.ts";
import { type LiveChanges, type LiveSnapshot, startLiveChanges } from "./model/live-changes.ts";

const idle: LiveSnapshot = { live: { is: "connecting" }, log: emptyLog, loaded: false, fault: undefined };
const LiveContext = createContext<LiveChanges | undefined>(undefined);

export function LiveProvider({ children }: { children: ReactNode }) {
  const { api } = useServices();
  const queries = useQueryClient();
  const [live, setLive] = useState<LiveChanges>();

  useEffect(() => {
    const started = startLiveChanges({
      api,
      onChange(change) {
        for (const list of listsTouchedBy(change.kind)) void queries.invalidateQueries({ queryKey: [list] });
      },
      onReady(first) {
        // What is not in the log (versions, health, teams) may have changed as well.
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
