/**
 * The start of an agent, with a limit: one that never answers would leave a holder that nobody knows.
 *
 * - `openWithin(wire, limitMs)` what the wire's `open` resolves to; after the limit the agent is ended, and it rejects.
 */
import type { OpenedAgent, Wire } from "./wire.ts";

export async function openWithin(wire: Pick<Wire, "open" | "close">, limitMs: number): Promise<OpenedAgent> {
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), limitMs);
  const opening = wire.open();
  opening.catch(() => undefined);
  try {
    const opened = await Promise.race([opening, late.promise]);
    if (opened !== "late") return opened;
  } finally {
    clearTimeout(timer);
  }
  await wire.close();
  throw new Error(`the agent's program runs, but did not answer within ${limitMs / 1000} s`);
}
