/**
 * Notifies the followers of a run that there is more to read, from whichever process committed it. It carries no content:
 * readers have their own cursors and read on their own behalf, so nothing is skipped, repeated or shown to the wrong
 * person.
 *
 * - `committed`, `transcribed` are called by this process after its commits: its own followers are woken at once, and
 *   other processes by NOTIFY `run_events`, coalesced over 25 ms.
 * - `follow(runId, wake)` until the returned function is called. `onVisible(listen)`: something shown in lists of runs has
 *   changed. `onForeign(listen)`: another process committed something to this run; without a run, perhaps to any.
 * - `start` begins to listen to other processes; `stop` sends what is pending and ends it.
 */
import { randomUUID } from "node:crypto";
import { bestEffort } from "@devflow/core/best-effort";
import type { Log } from "@devflow/core/log";
import type { Database } from "@devflow/db";
import type { ChainedEvent } from "../events/chain.ts";

export interface RunFeed {
  committed(runId: string, events: readonly ChainedEvent[]): void;
  transcribed(runId: string): void;
  follow(runId: string, wake: () => void): () => void;
  onVisible(listen: () => void): () => void;
  onForeign(listen: (runId: string | undefined) => void): () => void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const channel = "run_events";
const coalesceMs = 25;
/** A payload is limited to 8,000 bytes; an id takes 37. */
const idsAtOnce = 200;

export function createRunFeed({ database, log }: { readonly database: Database; readonly log: Log }): RunFeed {
  /** Distinguishes this process's own messages from those of others. */
  const self = randomUUID();
  const followers = new Map<string, Set<() => void>>();
  const watchers = new Set<() => void>();
  const foreignListeners = new Set<(runId: string | undefined) => void>();
  let unsent = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<unknown> = Promise.resolve();
  let listening: { stop(): Promise<void> } | undefined;

  const wakeFollowers = (runId: string) => {
    for (const wake of [...(followers.get(runId) ?? [])]) wake();
  };
  const wakeWatchers = () => {
    for (const listen of [...watchers]) listen();
  };

  const send = async (): Promise<void> => {
    const ids = [...unsent];
    unsent = new Set();
    for (let start = 0; start < ids.length; start += idsAtOnce) {
      const message = `${self} ${ids.slice(start, start + idsAtOnce).join(" ")}`;
      await database.sql`select pg_notify(${channel}, ${message})`;
    }
  };
  const fire = () => {
    timer = undefined;
    // Streams also poll now and then, so a lost message only delays them.
    sending = sending.then(() => bestEffort("announce run events", log, send));
  };
  const announce = (runId: string) => {
    unsent.add(runId);
    timer ??= setTimeout(fire, coalesceMs);
  };

  const heard = (message: string) => {
    const [sender, ...ids] = message.split(" ");
    if (sender === self) return;
    for (const id of ids) {
      wakeFollowers(id);
      for (const listen of [...foreignListeners]) listen(id);
    }
    wakeWatchers();
  };
  /** Listening began, perhaps again: something may have been missed. */
  const missed = () => {
    for (const id of [...followers.keys()]) wakeFollowers(id);
    for (const listen of [...foreignListeners]) listen(undefined);
    wakeWatchers();
  };

  return {
    committed(runId, events) {
      wakeFollowers(runId);
      if (events.some(({ type }) => /^(run|phase|approval|permission|report)\./.test(type))) wakeWatchers();
      announce(runId);
    },
    transcribed(runId) {
      wakeFollowers(runId);
      announce(runId);
    },
    follow(runId, wake) {
      const known = followers.get(runId) ?? new Set();
      followers.set(runId, known.add(wake));
      return () => {
        known.delete(wake);
        if (known.size === 0) followers.delete(runId);
      };
    },
    onVisible: (listen) => enter(watchers, listen),
    onForeign: (listen) => enter(foreignListeners, listen),
    async start() {
      listening ??= await database.listen(channel, heard, missed);
    },
    async stop() {
      await listening?.stop();
      listening = undefined;
      if (timer) {
        clearTimeout(timer);
        fire();
      }
      await sending;
    },
  };
}

function enter<T>(set: Set<T>, one: T): () => void {
  set.add(one);
  return () => set.delete(one);
}
