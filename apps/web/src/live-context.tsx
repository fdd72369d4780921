/** Keeps the teams' changes current while the app is shown, and marks the lists stale that a change touches. */
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from "react";
import { useServices } from "./app-context.tsx";
import { emptyLog } from "./model/change-log.ts";
import { listsTouchedBy } from "./model/describe-change.ts";
import { type LiveChanges, type LiveSnapshot, startLiveChanges } from "./model/live-changes.ts";
import { useStatus } from "./queries.ts";

const idle: LiveSnapshot = { live: { is: "connecting" }, log: emptyLog, loaded: false, fault: undefined };
const LiveContext = createContext<LiveChanges | undefined>(undefined);

export function LiveProvider({ children }: { children: ReactNode }) {
  const { api } = useServices();
  const queries = useQueryClient();
  const status = useStatus();
  const [live, setLive] = useState<LiveChanges>();
  // Text, so that a status with the same teams does not restart the stream.
  const teamIds = status.data?.teams.map((team) => team.id).join(",");

  useEffect(() => {
    if (teamIds === undefined) return;
    const started = startLiveChanges({
      api,
      teamIds: teamIds.split(",").filter(Boolean),
      onChange(change) {
        for (const list of listsTouchedBy(change.kind)) void queries.invalidateQueries({ queryKey: [list] });
      },
      now: Date.now,
      random: Math.random,
    });
    setLive(started);
    const online = () => started.retryNow();
    window.addEventListener("online", online);
    let was = started.snapshot().live.is;
    const unsubscribe = started.subscribe(() => {
      const is = started.snapshot().live.is;
      // Back after a loss: what is not in the log (versions, health) may have changed as well.
      if (is === "live" && was !== "live") void queries.invalidateQueries({ queryKey: ["status"] });
      was = is;
    });
    return () => {
      window.removeEventListener("online", online);
      unsubscribe();
      started.stop();
    };
  }, [api, queries, teamIds]);

  return <LiveContext value={live}>{children}</LiveContext>;
}

export function useLive(): LiveSnapshot & { retryNow(): void } {
  const live = use(LiveContext);
  const snapshot = useSyncExternalStore(live?.subscribe ?? noSubscription, live?.snapshot ?? idleSnapshot);
  return { ...snapshot, retryNow: () => live?.retryNow() };
}

const noSubscription = () => () => {};
const idleSnapshot = () => idle;
