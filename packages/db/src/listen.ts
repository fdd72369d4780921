/**
 * - `listen(open, channel, onMessage, onConnected)` hears a channel for as long as it is wanted: a lost connection is
 *   opened again, and each time `onConnected` says that something may have been missed.
 */
import type { Log } from "@devflow/core/log";
import type { Line } from "./line.ts";

export interface Listening {
  stop(): Promise<void>;
}

export interface ListenOptions {
  /** A line of its own, which hands every notification to `onNotify`. */
  readonly open: (onNotify: (channel: string, text: string) => void) => Line;
  readonly channel: string;
  readonly onMessage: (text: string) => void;
  readonly onConnected: () => void;
  readonly log: Log;
}

const longestPauseMs = 2_000;

export async function listen(options: ListenOptions): Promise<Listening> {
  let line: Line | undefined;
  let isStopped = false;
  const connectOnce = async (): Promise<Line> => {
    const made = options.open((channel, text) => {
      if (channel === options.channel && !isStopped) options.onMessage(text);
    });
    try {
      await made.run(`listen "${options.channel.replaceAll('"', '""')}"`);
    } catch (error) {
      await made.end();
      throw error;
    }
    line = made;
    if (!isStopped) options.onConnected();
    return made;
  };

  const follow = async (first: Line): Promise<void> => {
    let current = first;
    while (!isStopped) {
      await current.died;
      for (let pauseMs = 20; !isStopped; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
        try {
          current = await connectOnce();
          break;
        } catch (error) {
          options.log.debug({ err: error, channel: options.channel }, "listening waits for Postgres");
          await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
        }
      }
    }
  };

  const following = follow(await connectOnce());
  following.catch((error) => options.log.error({ err: error }, "listening ended"));
  return {
    async stop() {
      isStopped = true;
      await line?.end();
    },
  };
}
