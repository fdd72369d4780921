/**
 * The live side of a running server: the hub, the dispatcher, and what wakes them. Writes of this process wake them at once,
 * writes of others through LISTEN, and a slow poll finds what both missed.
 *
 * - `subscribe(request)` a stream. The first one starts listening; without any, there is no connection and no timer.
 * - `wrote(teamId)` call after each committed data-plane write.
 */
import { bestEffort } from "@devflow/core/best-effort";
import type { Clock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import { isUuid } from "@devflow/core/ids";
import type { Log } from "@devflow/core/log";
import type { Database } from "@devflow/db";
import { changeDispatcher } from "./change-dispatcher.ts";
import { type ChangeHub, changeHub, type HubLimits } from "./change-hub.ts";
import { changeStore, channel } from "./change-store.ts";

export interface LiveStreams extends Pick<ChangeHub, "subscribe" | "subscribers"> {
  wrote(teamId: string | undefined): void;
  stop(): Promise<void>;
}

export interface LiveTimes {
  readonly heartbeatMs: number;
  readonly pollMs: number;
  readonly announceMs: number;
}

export function liveStreams(options: {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: HubLimits;
  readonly times: LiveTimes;
}): LiveStreams {
  const { database, clock, log, limits, times } = options;
  const store = changeStore(database);
  const hub = changeHub({ store, clock, log, limits });
  const dispatcher = changeDispatcher({ store, log, throttleMs: times.announceMs });
  let attention: Promise<() => Promise<void>> | undefined;
  let opening = 0;
  let isStopped = false;

  function attend(): Promise<unknown> {
    if (attention) return attention;
    const begun = listenAndPoll();
    attention = begun;
    begun.catch(() => {
      if (attention === begun) attention = undefined;
    });
    return begun;
  }

  /** Returns a function that ends it. */
  async function listenAndPoll(): Promise<() => Promise<void>> {
    const listening = await database.listen(
      channel,
      (message) => {
        const [teamId = "", seq = ""] = message.split(":");
        if (isUuid(teamId)) hub.hint(teamId, Number(seq));
      },
      // Notifications sent while nobody listened are lost; the log itself is not.
      () => hub.hint(),
    );
    const poll = setInterval(() => hub.hint(), times.pollMs);
    const beat = setInterval(() => void bestEffort("heartbeat", log, beatOrRest), times.heartbeatMs);
    return async () => {
      clearInterval(poll);
      clearInterval(beat);
      await listening.stop();
    };
  }

  async function beatOrRest(): Promise<void> {
    if (opening + hub.subscribers === 0) await rest();
    else await hub.beat();
  }

  async function rest(): Promise<void> {
    const ending = attention;
    attention = undefined;
    // Nothing to end if listening never began.
    const end = await ending?.catch(() => undefined);
    await end?.();
  }

  return {
    async subscribe(request) {
      if (isStopped) throw new DevflowError("server_busy");
      // Counted here until the hub counts it, so that listening does not stop in between.
      opening += 1;
      try {
        await attend();
        return await hub.subscribe(request);
      } finally {
        opening -= 1;
      }
    },
    get subscribers() {
      return hub.subscribers;
    },
    wrote(teamId) {
      hub.hint();
      dispatcher.wrote(teamId);
    },
    async stop() {
      isStopped = true;
      await hub.stop();
      await dispatcher.stop();
      await rest();
    },
  };
}
