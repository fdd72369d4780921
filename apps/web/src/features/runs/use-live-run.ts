/** One run, kept live while the page shows it and is visible. */
import { useEffect, useState, useSyncExternalStore } from "react";
import { useServices } from "../../app-context.tsx";
import { type LiveRun, type RunSnapshot, startLiveRun } from "../../model/runs/live-run.ts";
import { logAfter } from "../../model/runs/run-log.ts";

const idle: RunSnapshot = {
  detail: undefined,
  log: logAfter(0),
  live: { is: "connecting" },
  fault: undefined,
  older: "unread",
  olderFault: undefined,
  transcriptVersion: 0,
};
const noSubscription = () => () => {};

export type LiveRunView = RunSnapshot & Pick<LiveRun, "readOlder" | "retryNow">;

export function useLiveRun(runId: string): LiveRunView {
  const { api } = useServices();
  const [run, setRun] = useState<{ id: string; live: LiveRun }>();
  useEffect(() => {
    const live = startLiveRun({ api, runId, now: Date.now, random: Math.random });
    setRun({ id: runId, live });
    // A browser allows few connections per site, so a hidden tab closes its stream.
    const onVisibility = () => live.pause(document.visibilityState === "hidden");
    document.addEventListener("visibilitychange", onVisibility);
    const online = () => live.retryNow();
    window.addEventListener("online", online);
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      window.removeEventListener("online", online);
      live.stop();
    };
  }, [api, runId]);
  // After a change of the URL the previous run must not be shown until the new one is started.
  const live = run?.id === runId ? run.live : undefined;
  const snapshot = useSyncExternalStore(live?.subscribe ?? noSubscription, live?.snapshot ?? (() => idle));
  return { ...snapshot, readOlder: () => live?.readOlder(), retryNow: () => live?.retryNow() };
}
