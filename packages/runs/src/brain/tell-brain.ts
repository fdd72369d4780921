/**
 * Keeps the team's memory informed of this machine's runs.
 *
 * - `tellBrain(runs, brain)` until `stop()`. A change is told at once; while agents work, who they are is repeated. A failure is logged
 *   and tried again; runs never wait for it. Agents outlive the server, so after `stop()` they are still at work.
 */
import { bestEffort } from "@devflow/core/best-effort";
import type { Clock } from "@devflow/core/clock";
import type { Log } from "@devflow/core/log";
import type { Database } from "@devflow/db";
import { brainFacts, presentAgents } from "./brain-facts.ts";
import type { BrainFact, RunBrain } from "./run-brain.ts";

export interface ToldRuns {
  readonly database: Database;
  readonly host: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Something shown in lists of runs has changed. */
  onVisible(listen: () => void): () => void;
}

/** After a restart, what changed lately is told again: the same facts are the same records. */
const lookBackMs = 24 * 3_600_000;
/** Below the five minutes after which nobody counts as present, and below the time in which a change goes unseen. */
const repeatMs = 30_000;

export function tellBrain(runs: ToldRuns, brain: RunBrain): { stop(): Promise<void> } {
  const { database, host, log, clock } = runs;
  const ending = new AbortController();
  const told = new Map<string, string>();
  let since = new Date(clock.now() - lookBackMs);
  let wake = () => {};
  let isChanged = true;
  const forget = runs.onVisible(() => {
    isChanged = true;
    wake();
  });

  const tell = async () => {
    const { facts, newest } = await brainFacts(database, host, since);
    const news = facts.filter((fact) => told.get(keyOf(fact)) !== contentOf(fact));
    if (news.length > 0) await brain.tell(news);
    for (const fact of news) told.set(keyOf(fact), contentOf(fact));
    since = newest ?? since;
    return true;
  };
  /** True while an agent works. */
  const present = async () => {
    const agents = await presentAgents(database, host);
    await brain.present(agents);
    return agents.length > 0;
  };

  const loop = async () => {
    while (!ending.signal.aborted) {
      const pause = new AbortController();
      wake = () => pause.abort();
      isChanged = false;
      const isTold = await bestEffort("tell the brain about runs", log, tell);
      const isBusy = (await bestEffort("tell the brain who is at work", log, present)) ?? true;
      if (isChanged) continue;
      const signal = AbortSignal.any([pause.signal, ending.signal]);
      await (isBusy || !isTold ? clock.sleep(repeatMs, signal).catch(() => {}) : untilAborted(signal));
    }
  };
  const looping = loop();
  return {
    async stop() {
      forget();
      ending.abort();
      await looping;
    },
  };
}

function keyOf(fact: BrainFact): string {
  return fact.is === "commit" ? `commit ${fact.commit}` : `${fact.is} ${fact.runId}`;
}

/** A higher revision alone is no news. */
function contentOf(fact: BrainFact): string {
  return fact.is === "intent" ? `${fact.state} ${fact.text}` : fact.is === "handoff" ? fact.text : "";
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
