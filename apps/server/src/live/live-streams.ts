/**
 * The live side of a running server: the hub, the dispatcher, and what wakes them. Writes of this process hint at once,
 * writes of others arrive by LISTEN, and a slow poll finds what both have missed.
 *
 * - `wrote(teamId)` call after each committed data-plane write.
 */
import { bestEffort } from "@devflow/core/best-effort";
import type { Clock } from "@devflow/core/clock";
import { isUuid } from "@devflow/core/ids";
import type { Log } from "@devflow/core/log";
import type { Database } from "@devflow/db";
import { changeDispatcher } from "./change-dispatcher.ts";
import { type ChangeHub, changeHub, type HubLimits } from "./change-hub.ts";
import { changeStore, channel } from "./change-store.ts";

export interface LiveStreams {
  readonly hub: ChangeHub;
  wrote(teamId: string | undefined): void;
  stop(): Promise<void>;
}

export interface LiveTimes {
  readonly heartbeatMs: number;
  readonly pollMs: number;
  readonly announceMs: number;
}

export async function startLiveStreams(options: {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: HubLimits;
  readonly times: LiveTimes;
}): Promise<LiveStreams> {
  const { database, clock, log, limits, times } = options;
  const store = changeStore(database);
  const hub = changeHub({ store, clock, log, limits });
  const dispatcher = changeDispatcher({ store, log, throttleMs: times.announceMs });
  const listening = await database.listen(
    channel,
    (message) => {
      const [teamId = "", seq = ""] = message.split(":");
      if (isUuid(teamId)) hub.hint(teamId, Number(seq));
    },
    // What was announced while nobody listened is lost; the log itself is not.
    () => hub.hint(),
  );
  const poll = setInterval(() => hub.hint(), times.pollMs);
  const beat = setInterval(() => void bestEffort("heartbeat", log, hub.beat), times.heartbeatMs);

  return {
    hub,
    wrote(teamId) {
      hub.hint();
      dispatcher.wrote(teamId);
    },
    async stop() {
      clearInterval(poll);
      clearInterval(beat);
      await hub.stop();
      await dispatcher.stop();
      await listening.stop();
    },
  };
}
