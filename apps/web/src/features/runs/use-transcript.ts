/** A session's transcript, kept live; `version` is incremented whenever a transcript of the run grows. */
import { useEffect, useState, useSyncExternalStore } from "react";
import { useServices } from "../../app-context.tsx";
import { type LiveTranscript, startLiveTranscript, type TranscriptSnapshot } from "../../model/runs/live-transcript.ts";

const idle: TranscriptSnapshot = { blocks: [], isRead: false, isReadingOlder: false, fault: undefined };
const noSubscription = () => () => {};

export function useTranscript(sessionId: string, version: number): TranscriptSnapshot & { retry(): void } {
  const { api } = useServices();
  const [live, setLive] = useState<LiveTranscript>();
  useEffect(() => {
    const started = startLiveTranscript({ api, sessionId });
    setLive(started);
    return started.stop;
  }, [api, sessionId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version means more output
  useEffect(() => live?.grew(), [live, version]);
  const snapshot = useSyncExternalStore(live?.subscribe ?? noSubscription, live?.snapshot ?? (() => idle));
  return { ...snapshot, retry: () => live?.grew() };
}
