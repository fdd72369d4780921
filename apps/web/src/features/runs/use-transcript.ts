/** A session's transcript, read from the beginning and on from there whenever it grew. */
import { useEffect, useState } from "react";
import { useServices } from "../../app-context.tsx";
import { addChunks, emptyTranscript, type Transcript } from "../../model/runs/transcript-blocks.ts";

const pageOfChunks = 5_000;

export function useTranscript(sessionId: string | undefined, beat: number) {
  const { api } = useServices();
  const [state, setState] = useState<{
    id: string | undefined;
    transcript: Transcript;
    isRead: boolean;
    fault: Error | undefined;
  }>({ id: undefined, transcript: emptyTranscript, isRead: false, fault: undefined });
  const [tries, setTries] = useState(0);
  const known = state.id === sessionId ? state.transcript : emptyTranscript;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a beat says that there is more; what is known is where to read on
  useEffect(() => {
    if (sessionId === undefined) return;
    const ending = new AbortController();
    const read = async () => {
      let transcript = known;
      for (;;) {
        const page = await api.runs.transcript(sessionId, transcript.seq, pageOfChunks, ending.signal);
        const next = addChunks(transcript, page.chunks);
        const isOver = page.next === null || next === transcript;
        transcript = next;
        setState({ id: sessionId, transcript, isRead: isOver, fault: undefined });
        if (isOver) return;
      }
    };
    read().catch((fault: unknown) => {
      if (ending.signal.aborted) return;
      setState((now) => ({
        ...(now.id === sessionId ? now : { id: sessionId, transcript: emptyTranscript, isRead: false }),
        fault: fault instanceof Error ? fault : new Error(String(fault)),
      }));
    });
    return () => ending.abort();
  }, [api, sessionId, beat, tries]);

  return {
    blocks: known.blocks,
    isRead: state.id === sessionId && state.isRead,
    fault: state.id === sessionId ? state.fault : undefined,
    retry: () => setTries((count) => count + 1),
  };
}
