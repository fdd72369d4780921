/**
 * Keeps a team elsewhere informed of this machine's runs, and applies what it decides.
 *
 * - `shareRuns(runs, team)` until `stop()`. A change is shared at once; while a gate waits for a person, verdicts are asked for every
 *   second. A failure is logged and tried again; runs never wait for it.
 */
import { bestEffort } from "@devflow/core/best-effort";
import type { Clock } from "@devflow/core/clock";
import type { Log } from "@devflow/core/log";
import { applyVerdict, type VerdictTarget } from "./apply-verdict.ts";
import type { RunTeam } from "./run-team.ts";
import { askingRepositories, sharedFacts } from "./shared-facts.ts";

export interface SharedRuns extends VerdictTarget {
  readonly log: Log;
  readonly clock: Clock;
  /** Something shown in lists of runs has changed. */
  onVisible(listen: () => void): () => void;
}

/** After a restart, what changed lately is shared again: the same facts are the same records. */
const lookBackMs = 24 * 3_600_000;
const askEveryMs = 1_000;

export function shareRuns(runs: SharedRuns, team: RunTeam): { stop(): Promise<void> } {
  const { database, host, log, clock } = runs;
  const ending = new AbortController();
  let since = new Date(clock.now() - lookBackMs);
  const elsewhere = new Set<string>();
  let isChanged = true;
  let isLate = false;
  let wake = () => {};
  const forget = runs.onVisible(() => {
    isChanged = true;
    wake();
  });

  const share = async () => {
    const { facts, newest } = await sharedFacts(database, host, since);
    for (const repository of await team.share(facts)) elsewhere.add(repository);
    since = newest ?? since;
    return true;
  };
  /** True while a gate waits for somebody elsewhere. */
  const ask = async () => {
    if (elsewhere.size === 0) return false;
    const asking = (await askingRepositories(database, host)).intersection(elsewhere);
    if (asking.size === 0) return false;
    for (const verdict of await team.verdicts(asking)) {
      const outcome = await applyVerdict(runs, verdict);
      if (outcome) await team.answer(verdict, outcome);
    }
    return true;
  };

  const loop = async () => {
    while (!ending.signal.aborted) {
      const pause = new AbortController();
      wake = () => pause.abort();
      if (isChanged || isLate) {
        isChanged = false;
        isLate = !(await bestEffort("share runs with the team", log, share));
      }
      const isAsking = (await bestEffort("apply verdicts of the team", log, ask)) ?? true;
      const signal = AbortSignal.any([pause.signal, ending.signal]);
      await (isAsking || isLate ? clock.sleep(askEveryMs, signal) : untilAborted(signal)).catch(() => {});
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

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
