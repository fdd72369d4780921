/**
 * A live stream that reconnects until it is stopped. It is opened with fetch, so that the token is sent in a header, and resumes
 * where it stopped.
 *
 * States: `connecting` until the server's `ready`, which ends the replay; then `live`; `lost` after an end, an error or silence,
 * with the time of the next try; `closed` once stopped. Only `become` changes the state.
 *
 * - `startLiveStream(options)` → `{ stop, retryNow }`.
 */
import { heartbeatMs } from "@devflow/protocol";
import { ApiFault } from "./api-fault.ts";
import { backoffMs } from "./backoff.ts";
import { createEventStreamParser } from "./event-stream-parser.ts";

export type LiveState =
  | { readonly is: "connecting" }
  | { readonly is: "live" }
  | { readonly is: "lost"; readonly retryAt: number; readonly attempt: number }
  | { readonly is: "closed" };

export interface LiveStreamOptions<Event extends string> {
  /** The events of the stream; others are ignored. `ready` makes the state `live`. */
  readonly events: readonly Event[];
  open(lastEventId: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** Called for each try. */
  lastEventId(): string;
  onEvent(event: Event, data: string): void;
  onState(state: LiveState): void;
  readonly now: () => number;
  readonly random: () => number;
  /** The stream counts as lost after this long without data. */
  readonly silenceMs?: number;
}

export function startLiveStream<Event extends string>(
  options: LiveStreamOptions<Event>,
): { stop(): void; retryNow(): void } {
  const silenceMs = options.silenceMs ?? heartbeatMs * 2.5;
  let state: LiveState = { is: "connecting" };
  let attempt = 0;
  let request: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function become(next: LiveState): void {
    if (state.is === "closed") return;
    state = next;
    options.onState(state);
  }

  async function connect(): Promise<void> {
    const own = new AbortController();
    request = own;
    become({ is: "connecting" });
    const resetSilenceTimer = () => {
      clearTimeout(timer);
      timer = setTimeout(() => own.abort(), silenceMs);
    };
    try {
      resetSilenceTimer();
      const body = await options.open(options.lastEventId(), own.signal);
      const parser = createEventStreamParser((frame) => {
        const event = options.events.find((name) => name === frame.event);
        if (own.signal.aborted || event === undefined) return;
        if (event === "ready") {
          attempt = 0;
          become({ is: "live" });
        }
        options.onEvent(event, frame.data);
      });
      const reader = body.getReader();
      own.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}));
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        resetSilenceTimer();
        parser.push(value);
      }
    } catch (fault) {
      if (fault instanceof ApiFault && fault.kind === "unauthorised") stop();
    }
    if (request === own && state.is !== "closed") retryLater();
  }

  function retryLater(): void {
    const delay = backoffMs(attempt, options.random);
    attempt += 1;
    become({ is: "lost", retryAt: options.now() + delay, attempt });
    clearTimeout(timer);
    timer = setTimeout(() => void connect(), delay);
  }

  function stop(): void {
    clearTimeout(timer);
    become({ is: "closed" });
    request?.abort();
  }

  void connect();
  return {
    stop,
    retryNow() {
      if (state.is !== "lost") return;
      clearTimeout(timer);
      void connect();
    },
  };
}
