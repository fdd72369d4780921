/**
 * Deadlines, so that no page can block a command forever.
 *
 * - `within(work, limits)` the work's result; rejects when the time is up or the caller is gone. The work itself is
 *   abandoned, since a call that hangs in a page cannot be cancelled.
 * - `tryWithin(work, ms)` the work's result, or undefined.
 * - `freeTab(tab, work)` handles a page that does not answer: its script is terminated, and if that does not help
 *   the tab must be replaced. A page that answers is left alone.
 */
import type { OpenTab } from "./tab.ts";

export class DeadlinePassed extends Error {}

export interface Limits {
  readonly ms: number;
  readonly signal: AbortSignal;
  /** Aborted when the work is abandoned, so that the work can stop. */
  readonly over?: AbortController;
}

export async function within<T>(work: Promise<T>, { ms, signal, over }: Limits): Promise<T> {
  work.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const limit = new Promise<never>((_, reject) => {
    const abandon = (reason: unknown) => {
      reject(reason);
      over?.abort(reason);
    };
    timer = setTimeout(() => abandon(new DeadlinePassed()), ms);
    onAbort = () => abandon(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
    if (onAbort) signal.removeEventListener("abort", onAbort);
  }
}

export type Freed = "the page answers" | "its script was ended" | "the tab must be replaced";

const probeMs = 500;
const graceMs = 1_500;

/** `work` is the abandoned command. It may be about to start another script, so it has to end too. */
export async function freeTab(tab: OpenTab, work: Promise<unknown>): Promise<Freed> {
  let freed: Freed = "the page answers";
  for (let tries = 0; tries < 3; tries++) {
    const now = await freeOnce(tab);
    if (now !== "the page answers") freed = now;
    if (freed === "the tab must be replaced") return freed;
    const isOver = await tryWithin(work.then(settled, settled), probeMs);
    if (isOver) return freed;
  }
  return freed;
}

const settled = (): true => true;

async function freeOnce(tab: OpenTab): Promise<Freed> {
  if (await answers(tab, probeMs)) return "the page answers";
  const cdp = await tryWithin(tab.cdp(), graceMs);
  // Handled on the renderer's input thread, so it arrives while the script runs.
  if (cdp) await tryWithin(cdp.send("Runtime.terminateExecution"), graceMs);
  return (await answers(tab, graceMs)) ? "its script was ended" : "the tab must be replaced";
}

async function answers(tab: OpenTab, ms: number): Promise<boolean> {
  const cdp = await tryWithin(tab.cdp(), ms);
  if (!cdp) return false;
  return (await tryWithin(cdp.send("Runtime.evaluate", { expression: "1", returnByValue: true }), ms)) !== undefined;
}

/** The value, or undefined when the work fails or takes too long. */
export async function tryWithin<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return await within(work, { ms, signal: never }).catch(() => undefined);
}

const never = new AbortController().signal;
