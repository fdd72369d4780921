/**
 * Timers that a test file left behind. Bun's `process.getActiveResourcesInfo()` lists none of them (1.4: always empty), so
 * `setTimeout` and `setInterval` are wrapped: each active timer records its creator.
 *
 * - `watchTimers()` from now on; the returned `left()` lists those that would keep a process alive, `stop()` restores the
 *   originals.
 *
 * Not covered: `node:timers` and `node:timers/promises`, which do not use the globals.
 */
export interface LivingTimer {
  readonly kind: "setTimeout" | "setInterval";
  readonly ms: number;
  readonly madeAt: string;
}

interface Handle {
  hasRef(): boolean;
  readonly _destroyed?: boolean;
}

interface TimerWatch {
  left(): LivingTimer[];
  clearAll(): void;
  stop(): void;
}

export function watchTimers(): TimerWatch {
  const original = {
    setTimeout: globalThis.setTimeout,
    setInterval: globalThis.setInterval,
    clearTimeout: globalThis.clearTimeout,
    clearInterval: globalThis.clearInterval,
  };
  const living = new Map<number, { handle: Handle; kind: LivingTimer["kind"]; ms: number; stack: string }>();

  const make = (kind: LivingTimer["kind"]) =>
    function watched(callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) {
      const run =
        kind === "setTimeout" && typeof callback === "function"
          ? (...given: unknown[]) => {
              living.delete(id);
              callback(...given);
            }
          : callback;
      const handle = original[kind](run, ms, ...args) as unknown as Handle;
      const id = Number(handle);
      living.set(id, { handle, kind, ms: ms ?? 0, stack: new Error().stack ?? "" });
      return handle;
    };
  const clear = (kind: "clearTimeout" | "clearInterval") =>
    function watched(handle?: unknown) {
      living.delete(Number(handle));
      original[kind](handle as never);
    };
  Object.assign(globalThis, {
    setTimeout: Object.assign(make("setTimeout"), describe(original.setTimeout)),
    setInterval: Object.assign(make("setInterval"), describe(original.setInterval)),
    clearTimeout: clear("clearTimeout"),
    clearInterval: clear("clearInterval"),
  });

  return {
    left: () =>
      [...living.values()]
        .filter(({ handle }) => handle.hasRef() && handle._destroyed !== true)
        .map(({ kind, ms, stack }) => ({
          kind,
          ms,
          madeAt: callerOf(stack),
        })),
    clearAll: () => {
      for (const { handle } of living.values()) original.clearTimeout(handle as never);
      living.clear();
    },
    stop: () => void Object.assign(globalThis, original),
  };
}

/** `util.promisify(setTimeout)` finds its own version through a symbol on the function. */
function describe(original: object): object {
  return Object.fromEntries(
    Object.getOwnPropertySymbols(original).map((symbol) => [symbol, Reflect.get(original, symbol)]),
  );
}

function callerOf(stack: string): string {
  const frames = stack
    .split("\n")
    .slice(1)
    .map((line) => line.trim().replace(/^at /, ""));
  const outside = frames.filter((frame) => !frame.includes("leaks/timers.ts") && !frame.includes("native:"));
  // A clock or a queue sets timers for others, so its callers are named too.
  return outside.slice(0, 3).join(", from ") || "somewhere";
}
