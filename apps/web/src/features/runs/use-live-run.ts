/** One run on the page, live for as long as it is shown and looked at. */
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
  transcriptBeat: 0,
};
const noSubscription = () => () => {};

export type LiveRunView = RunSnapshot & Pick<LiveRun, "readOlder" | "retryNow">;

export function useLiveRun(runId: string): LiveRunView {
  const { api } = useServices();
  const [run, setRun] = useState<{ id: string; live: LiveRun }>();
  useEffect(() => {
    const live = startLiveRun({ api, runId, now: Date.now, random: Math.random });
    setRun({ id: runId, live });
    // A browser gives a site few connections; a tab that nobody sees needs none for its run.
    const look = () => live.pause(document.visibilityState === "hidden");
    document.addEventListener("visibilitychange", look);
    const online = () => live.retryNow();
    window.addEventListener("online", online);
    return () => {
      document.removeEventListener("visibilitychange", look);
      window.removeEventListener("online", online);
      live.stop();
    };
  }, [api, runId]);
  // While the address has changed and the new run has not been asked yet, the old one must not be shown under it.
  const live = run?.id === runId ? run.live : undefined;
  const snapshot = useSyncExternalStore(live?.subscribe ?? noSubscription, live?.snapshot ?? (() => idle));
  return { ...snapshot, readOlder: () => live?.readOlder(), retryNow: () => live?.retryNow() };
}
