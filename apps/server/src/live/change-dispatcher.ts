/**
 * Notifies other processes that a team's log has grown. One per server, at most once per 50 ms, for any number of writers:
 * a NOTIFY inside each writing transaction would make them queue for one lock at commit.
 *
 * - `wrote(teamId)` a data-plane write was committed, in this team if it is known.
 */
import { bestEffort } from "@devflow/core/best-effort";
import type { Log } from "@devflow/core/log";
import type { ChangeStore } from "./change-store.ts";

export interface ChangeDispatcher {
  wrote(teamId: string | undefined): void;
  /** Sends what is pending. */
  stop(): Promise<void>;
}

export function changeDispatcher(options: {
  readonly store: ChangeStore;
  readonly log: Log;
  readonly throttleMs: number;
}): ChangeDispatcher {
  const { store, log, throttleMs } = options;
  const announced = new Map<string, number>();
  let touched = new Set<string>();
  let anyTeam = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<unknown> = Promise.resolve();
  let stopped = false;

  async function send(): Promise<void> {
    const teams = anyTeam ? undefined : [...touched];
    touched = new Set();
    anyTeam = false;
    const heads = await store.heads(teams);
    const grown = new Map([...heads].filter(([team, seq]) => seq > (announced.get(team) ?? 0)));
    if (grown.size === 0) return;
    await store.announce(grown);
    for (const [team, seq] of grown) announced.set(team, seq);
  }

  function fire(): void {
    timer = undefined;
    // Others poll too, so a lost notification only delays them.
    sending = sending.then(() => bestEffort("announce changes", log, send));
  }

  return {
    wrote(teamId) {
      if (stopped) return;
      if (teamId === undefined) anyTeam = true;
      else touched.add(teamId);
      timer ??= setTimeout(fire, throttleMs);
    },
    async stop() {
      stopped = true;
      if (timer) {
        clearTimeout(timer);
        fire();
      }
      await sending;
    },
  };
}
