/**
 * Listening behind a connection pooler, where LISTEN would be heard by whichever connection happens to be borrowed: nothing is
 * heard, and every few seconds `onConnected` says that something may have been missed, so that the caller reads on.
 *
 * - `createPollListener(everyMs?)`
 */
import type { Listener } from "./listen.ts";

const defaultEveryMs = 2_000;

export function createPollListener(everyMs = defaultEveryMs): Listener {
  return {
    async listen(_channel, _onMessage, onConnected) {
      onConnected();
      const timer = setInterval(onConnected, everyMs);
      return {
        async stop() {
          clearInterval(timer);
        },
      };
    },
  };
}
