/**
 * Sends the messages of the outbox, one after another, while the server runs.
 *
 * - `wake()` there may be a new one. `start()`, `stop()`.
 * - `problems()` what could not be sent, as text.
 *
 * Without a webhook nothing is kept: a URL that is set later tells of what happens from then on.
 */
import type { Clock } from "@devflow/core/clock";
import { faultPoint } from "@devflow/core/fault-point";
import type { Log } from "@devflow/core/log";
import type { NotificationState } from "@devflow/protocol";
import { composeMessage } from "./compose-message.ts";
import { dropAll, nextDueInMs, type Outbox, outboxState, settle, takeDue } from "./outbox.ts";
import { sendMessage, type Webhook } from "./send-message.ts";

export interface NotifierOptions extends Outbox {
  readonly clock: Clock;
  readonly log: Log;
  /** As configured now. */
  readonly webhook: () => Webhook | undefined;
}

export interface Notifier {
  wake(): void;
  problems(): Promise<string[]>;
  start(): void;
  stop(): Promise<void>;
}

/** When nothing wakes it; a row of another process, or after Postgres was gone. */
const idleMs = 60_000;

export function createNotifier(options: NotifierOptions): Notifier {
  const end = new AbortController();
  let pause = new AbortController();
  let isWoken = false;
  let running: Promise<void> = Promise.resolve();

  const loop = async (): Promise<void> => {
    while (!end.signal.aborted) {
      isWoken = false;
      pause = new AbortController();
      const wait = await sendAllDue(options, end.signal).catch((error: unknown) => {
        if (!end.signal.aborted) options.log.warn({ err: error }, "messages about runs could not be read");
        return idleMs;
      });
      if (isWoken) continue;
      await options.clock.sleep(wait, AbortSignal.any([end.signal, pause.signal])).catch(() => undefined);
    }
  };

  return {
    wake() {
      isWoken = true;
      pause.abort();
    },
    async problems() {
      return problemsOf(await outboxState(options));
    },
    start() {
      running = loop();
    },
    async stop() {
      end.abort();
      await running;
    },
  };
}

/** Milliseconds until the next one is due. */
async function sendAllDue(options: NotifierOptions, signal: AbortSignal): Promise<number> {
  const webhook = options.webhook();
  if (!webhook) {
    await dropAll(options);
    return idleMs;
  }
  for (;;) {
    const notice = await takeDue(options);
    if (!notice) return Math.min(idleMs, (await nextDueInMs(options)) ?? idleMs);
    const error = await sendMessage(webhook, composeMessage(notice), signal);
    // Broken off, so it is due again soon after the next start; one that has arrived is not sent twice.
    if (signal.aborted && error !== undefined) return 0;
    faultPoint("after_message_sent");
    await settle(options, notice, error);
    const { runId, seq, attempts } = notice;
    if (error !== undefined) options.log.warn({ runId, seq, attempts, reason: error }, "a message was not sent");
  }
}

function problemsOf({ failing, givenUp, lastError }: NotificationState): string[] {
  const count = failing + givenUp;
  if (count === 0) return [];
  const what = `${count} ${count === 1 ? "message" : "messages"} about runs could not be sent: ${lastError}`;
  const then = givenUp === 0 ? "; it is tried again" : givenUp === count ? "; given up" : `; ${givenUp} given up`;
  return [`${what}${then}. Check the setting: devflow config set webhook_url <url>`];
}
