/** An eval run in progress, kept live while the page shows it and is visible. */
import { useEffect, useState, useSyncExternalStore } from "react";
import { useServices } from "../../app-context.tsx";
import { idleWatch, type LiveWatch, startLiveWatch, type WatchSnapshot } from "../../model/evals/live-watch.ts";

const noSubscription = () => () => {};

export function useLiveWatch(suite: string): WatchSnapshot & { retryNow(): void } {
  const { api } = useServices();
  const [watch, setWatch] = useState<{ suite: string; live: LiveWatch }>();
  useEffect(() => {
    let live: LiveWatch | undefined;
    const start = () => {
      live = startLiveWatch({ api, suite, now: Date.now, random: Math.random });
      setWatch({ suite, live });
    };
    // A browser allows few connections per site, so a hidden tab closes its stream.
    const onVisibility = () => {
      if (document.visibilityState === "hidden") live?.stop();
      else start();
    };
    const online = () => live?.retryNow();
    start();
    document.addEventListener("visibilitychange", onVisibility);
    window.addEventListener("online", online);
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      window.removeEventListener("online", online);
      live?.stop();
    };
  }, [api, suite]);
  const live = watch?.suite === suite ? watch.live : undefined;
  const snapshot = useSyncExternalStore(live?.subscribe ?? noSubscription, live?.snapshot ?? (() => idleWatch));
  return { ...snapshot, retryNow: () => live?.retryNow() };
}
