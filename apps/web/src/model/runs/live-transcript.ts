/**
 * Keeps a session's transcript current. The end is loaded first, then the older part.
 *
 * - `startLiveTranscript({ api, sessionId })` → `{ snapshot, subscribe, grew, stop }`, shaped for `useSyncExternalStore`.
 * - `grew()` reads new output, if any; one request at a time, however often it is called.
 */
import type { Api } from "../api.ts";
import { addChunks, emptyTranscript, type Transcript, type TranscriptBlock } from "./transcript-blocks.ts";

export interface TranscriptSnapshot {
  readonly blocks: readonly TranscriptBlock[];
  /** The end was read. Until then an empty list means "not loaded". */
  readonly isRead: boolean;
  /** The older part is still loading. */
  readonly isReadingOlder: boolean;
  readonly fault: Error | undefined;
}

export interface LiveTranscript {
  snapshot(): TranscriptSnapshot;
  subscribe(listener: () => void): () => void;
  grew(): void;
  stop(): void;
}

const limit = 1_000;

export function startLiveTranscript(options: {
  readonly api: { readonly runs: Pick<Api["runs"], "transcript"> };
  readonly sessionId: string;
}): LiveTranscript {
  const { api, sessionId } = options;
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  let older: Transcript = emptyTranscript;
  let end: Transcript | undefined;
  let current: TranscriptSnapshot = { blocks: [], isRead: false, isReadingOlder: false, fault: undefined };
  let isReading = false;
  let isStale = false;

  function update(change: Partial<TranscriptSnapshot>): void {
    current = { ...current, ...change };
    for (const listener of listeners) listener();
  }
  const page = (from: number, last = false) =>
    api.runs.transcript(sessionId, { from, limit, ...(last ? { last } : {}) }, stopping.signal);

  async function read(): Promise<void> {
    if (isReading) {
      isStale = true;
      return;
    }
    isReading = true;
    try {
      do {
        isStale = false;
        if (end === undefined) await readFirst();
        else await readOn(end);
      } while (isStale);
    } catch (fault) {
      if (!stopping.signal.aborted) update({ fault: fault instanceof Error ? fault : new Error(String(fault)) });
    } finally {
      isReading = false;
    }
  }

  async function readFirst(): Promise<void> {
    const { chunks } = await page(0, true);
    const first = chunks[0]?.seq;
    const begin = addChunks(emptyTranscript, chunks);
    const isWhole = chunks.length < limit;
    update({ blocks: begin.blocks, isRead: true, isReadingOlder: !isWhole, fault: undefined });
    if (!isWhole && first !== undefined) {
      for (let from = 0; ; ) {
        const { chunks: before } = await page(from);
        const wanted = before.filter((chunk) => chunk.seq < first);
        older = addChunks(older, wanted);
        if (wanted.length < before.length || before.length === 0) break;
        from = before.at(-1)!.seq;
      }
    }
    end = begin;
    show(end);
  }

  async function readOn(known: Transcript): Promise<void> {
    let now = known;
    for (;;) {
      const { chunks, next } = await page(now.seq);
      now = addChunks(now, chunks);
      end = now;
      if (chunks.length > 0 || current.fault) show(now);
      if (next === null || chunks.length === 0) return;
    }
  }

  /** Blocks of the older part get negative ids, so that ids never change and no block is rendered twice. */
  function show(now: Transcript): void {
    const before = older.blocks.map((block) => ({ ...block, id: block.id - older.blocks.length }));
    update({ blocks: [...before, ...now.blocks], isReadingOlder: false, fault: undefined });
  }

  void read();
  return {
    snapshot: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    grew: () => void read(),
    stop: () => stopping.abort(),
  };
}
