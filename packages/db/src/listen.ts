/**
 * - `createListener(open, log)` listens to channels over one connection, opened with the first channel.
 * - `listener.listen(channel, onMessage, onConnected)` until it is ended. A lost connection is reopened, and each time
 *   `onConnected` reports that something may have been missed.
 */
import type { Log } from "@devflow/core/log";
import type { Line } from "./line.ts";

export interface Listening {
  stop(): Promise<void>;
}

export interface Listener {
  listen(channel: string, onMessage: (text: string) => void, onConnected: () => void): Promise<Listening>;
}

interface Subscription {
  readonly channel: string;
  readonly onMessage: (text: string) => void;
  readonly onConnected: () => void;
}

const firstPauseMs = 20;
const longestPauseMs = 2_000;

/** `open` creates a separate connection, which passes every notification to `onNotify`. */
export function createListener(open: (onNotify: (channel: string, text: string) => void) => Line, log: Log): Listener {
  const subscriptions = new Set<Subscription>();
  let connection: Promise<Line> | undefined;

  const connect = async (): Promise<Line> => {
    const line = open((channel, text) => {
      for (const one of [...subscriptions]) if (one.channel === channel) one.onMessage(text);
    });
    try {
      for (const channel of new Set([...subscriptions].map((one) => one.channel))) await line.run(listenTo(channel));
    } catch (error) {
      await line.end();
      throw error;
    }
    void line.died.then(() => reconnect(line)).catch((error) => log.error({ err: error }, "listening ended"));
    return line;
  };

  const reconnect = async (lost: Line): Promise<void> => {
    if (subscriptions.size === 0 || (await connection?.catch(() => undefined)) !== lost) return;
    connection = patiently();
    // There may be no listeners left by the time Postgres is back.
    const isBack = await connection.then(
      () => true,
      () => false,
    );
    if (!isBack) connection = undefined;
    else for (const one of [...subscriptions]) one.onConnected();
  };

  const patiently = async (): Promise<Line> => {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return await connect();
      } catch (error) {
        if (subscriptions.size === 0) throw error;
        log.debug({ err: error }, "listening waits for Postgres");
        await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
      }
    }
  };

  const close = async (): Promise<void> => {
    const line = connection;
    connection = undefined;
    await (await line?.catch(() => undefined))?.end();
  };

  return {
    async listen(channel, onMessage, onConnected) {
      const subscription: Subscription = { channel, onMessage, onConnected };
      subscriptions.add(subscription);
      try {
        if (connection) await (await connection).run(listenTo(channel));
        else {
          connection = connect();
          await connection;
        }
      } catch (error) {
        subscriptions.delete(subscription);
        if (subscriptions.size === 0) await close();
        throw error;
      }
      onConnected();
      return {
        async stop() {
          subscriptions.delete(subscription);
          if (subscriptions.size === 0) await close();
        },
      };
    },
  };
}

const listenTo = (channel: string): string => `listen "${channel.replaceAll('"', '""')}"`;
