/**
 * Tells whoever follows a run that there is more to read. It carries no content: readers have cursors of their own and
 * read under their own name, so nothing is skipped, repeated or shown to the wrong person.
 *
 * - `committed`, `transcribed` are called by the engine after its commits.
 * - `follow(runId, wake)` until the returned function is called.
 * - `onVisible(listen)` something that lists of runs show has changed.
 */
import type { ChainedEvent } from "../events/chain.ts";

export interface RunFeed {
  committed(runId: string, events: readonly ChainedEvent[]): void;
  transcribed(runId: string): void;
  follow(runId: string, wake: () => void): () => void;
  onVisible(listen: () => void): () => void;
}

export function createRunFeed(): RunFeed {
  const followers = new Map<string, Set<() => void>>();
  const watchers = new Set<() => void>();
  const wakeAll = (runId: string) => {
    for (const wake of [...(followers.get(runId) ?? [])]) wake();
  };
  return {
    committed(runId, events) {
      wakeAll(runId);
      if (events.some(({ type }) => /^(run|phase|approval|permission)\./.test(type))) for (const one of watchers) one();
    },
    transcribed: wakeAll,
    follow(runId, wake) {
      const known = followers.get(runId) ?? new Set();
      followers.set(runId, known.add(wake));
      return () => {
        known.delete(wake);
        if (known.size === 0) followers.delete(runId);
      };
    },
    onVisible(listen) {
      watchers.add(listen);
      return () => watchers.delete(listen);
    },
  };
}
