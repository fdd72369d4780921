/**
 * Chunks of a transcript, joined where one may end within a secret: neither half of a key looks like a key.
 *
 * - `joinCutChunks(chunks, clock)` passes a chunk on at once, unless its end may be part of a secret; then it waits for the
 *   next one, at most `waitMs`, so that an agent that pauses in the middle of a line is still seen.
 *
 * A joined chunk has the offset of its last part, so capture after a crash begins with what was not passed on.
 */
import type { Clock } from "@devflow/core/clock";
import { endsWithin } from "@devflow/redact";
import type { TranscriptChunk } from "@devflow/session";

const waitMs = 1_000;
const mostHeld = 256 * 1024;

export async function* joinCutChunks(
  chunks: AsyncIterable<TranscriptChunk>,
  clock: Clock,
): AsyncIterable<TranscriptChunk> {
  const source = chunks[Symbol.asyncIterator]();
  let held: TranscriptChunk | undefined;
  let coming: Promise<IteratorResult<TranscriptChunk>> | undefined;
  try {
    for (;;) {
      coming ??= source.next();
      const arrived = held ? await within(coming, clock) : await coming;
      if (arrived) {
        coming = undefined;
        if (arrived.done) break;
        held = held ? { ...arrived.value, content: held.content + arrived.value.content } : arrived.value;
        if (held.content.length < mostHeld && endsWithin(held.content)) continue;
      }
      if (held) yield held;
      held = undefined;
    }
    if (held) yield held;
  } finally {
    // The capture ends too when its reader stops early. One that is waiting for output would not answer, so nobody waits.
    coming?.catch(() => undefined);
    void source.return?.().catch(() => undefined);
  }
}

/** Undefined when nothing came in time. */
async function within<T>(value: Promise<T>, clock: Clock): Promise<T | undefined> {
  const stop = new AbortController();
  const late = clock.sleep(waitMs, stop.signal).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([value, late]);
  } finally {
    stop.abort();
  }
}
