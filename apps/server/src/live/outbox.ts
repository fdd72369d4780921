/**
 * The bounded send buffer of one client: a client that reads too slowly is disconnected and can resume from the last id it
 * saw, so no client can make the server keep the log in memory.
 *
 * - `push(bytes)` false when the limit is exceeded: the stream is broken off and nothing more is sent.
 * - `drained()` resolves when nothing is pending, for a replay that must not outrun its reader.
 * - `drop()` breaks the stream off: its reader stopped reading.
 * - `end()` closes the stream cleanly after what is pending; `onGone` is called once, whichever side ended it.
 */
export interface Outbox {
  readonly stream: ReadableStream<Uint8Array>;
  readonly isOpen: boolean;
  readonly waitingBytes: number;
  push(bytes: Uint8Array): boolean;
  drained(): Promise<void>;
  drop(): void;
  end(): void;
}

export type GoneReason = "ended" | "left" | "too slow";

export function openOutbox(options: {
  readonly maxBytes: number;
  readonly onGone: (reason: GoneReason) => void;
}): Outbox {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let state: "open" | "ending" | "gone" = "open";
  let wake: (() => void) | undefined;
  const drainedWaiters: (() => void)[] = [];
  let controller: ReadableStreamDefaultController<Uint8Array>;

  const stream = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      async pull() {
        if (waitingBytes === 0 && state === "open") {
          const { promise, resolve } = Promise.withResolvers<void>();
          wake = resolve;
          await promise;
        }
        flush();
      },
      cancel() {
        gone("left");
      },
    },
    // Nothing is read ahead of the socket, so that pending bytes are counted only here.
    { highWaterMark: 0 },
  );

  function flush(): void {
    if (state === "gone") return;
    if (waitingBytes > 0) controller.enqueue(joined());
    if (state === "ending") {
      controller.close();
      gone("ended");
    }
    releaseDrained();
  }

  /** One chunk for any number of pending frames: a burst takes one write per client. */
  function joined(): Uint8Array {
    const only = waiting.length === 1 ? waiting[0] : undefined;
    const chunk = only ?? Buffer.concat(waiting, waitingBytes);
    waiting = [];
    waitingBytes = 0;
    return chunk;
  }

  function gone(reason: GoneReason): void {
    if (state === "gone") return;
    state = "gone";
    waiting = [];
    waitingBytes = 0;
    releaseDrained();
    wakeUp();
    options.onGone(reason);
  }

  function drop(): void {
    if (state === "gone") return;
    gone("too slow");
    controller.error(new Error("the reader is too slow"));
  }

  function releaseDrained(): void {
    for (const resolve of drainedWaiters.splice(0)) resolve();
  }

  function wakeUp(): void {
    wake?.();
    wake = undefined;
  }

  return {
    stream,
    get isOpen() {
      return state === "open";
    },
    get waitingBytes() {
      return waitingBytes;
    },
    push(bytes) {
      if (state !== "open") return false;
      if (waitingBytes + bytes.length > options.maxBytes) {
        drop();
        return false;
      }
      waiting.push(bytes);
      waitingBytes += bytes.length;
      wakeUp();
      return true;
    },
    drained() {
      if (waitingBytes === 0 || state !== "open") return Promise.resolve();
      return new Promise((resolve) => drainedWaiters.push(resolve));
    },
    drop,
    end() {
      if (state !== "open") return;
      state = "ending";
      wakeUp();
    },
  };
}
