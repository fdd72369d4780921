/** A session's transcript on the page; `beat` counts up whenever one of the run's transcripts grew. */
import { useEffect, useState, useSyncExternalStore } from "react";
import { useServices } from "../../app-context.tsx";
import { type LiveTranscript, startLiveTranscript, type TranscriptSnapshot } from "../../model/runs/live-transcript.ts";

const idle: TranscriptSnapshot = { blocks: [], isRead: false, isReadingOlder: false, fault: undefined };
const noSubscription = () => () => {};

export function useTranscript(sessionId: string, beat: number): TranscriptSnapshot & { retry(): void } {
  const { api } = useServices();
  const [live, setLive] = useState<LiveTranscript>();
  useEffect(() => {
    const started = startLiveTranscript({ api, sessionId });
    setLive(started);
    return started.stop;
  }, [api, sessionId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the beat is the news
  useEffect(() => live?.grew(), [live, beat]);
  const snapshot = useSyncExternalStore(live?.subscribe ?? noSubscription, live?.snapshot ?? (() => idle));
  return { ...snapshot, retry: () => live?.grew() };
}
