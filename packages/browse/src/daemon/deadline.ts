/**
 * No page can hold up a command for ever.
 *
 * - `within(work, limits)` the work's result; rejects when the time is up or the caller is gone. The work itself is
 *   left behind: whoever hangs in a page cannot be called back.
 * - `freeTab(tab, work)` what is done about a page that does not answer: its script is ended, and when that does not help
 *   the tab must be replaced. A page that answers is left alone.
 */
import type { OpenTab } from "./tab.ts";

export class DeadlinePassed extends Error {}

export interface Limits {
  readonly ms: number;
  readonly signal: AbortSignal;
  /** Aborted when the work is left behind, for whoever listens in it. */
  readonly over?: AbortController;
}

export async function within<T>(work: Promise<T>, { ms, signal, over }: Limits): Promise<T> {
  work.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const limit = new Promise<never>((_, reject) => {
    const leave = (reason: unknown) => {
      reject(reason);
      over?.abort(reason);
    };
    timer = setTimeout(() => leave(new DeadlinePassed()), ms);
    onAbort = () => leave(signal.reason);
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

/** `work` is the command that was given up: it may be about to start its next script, so it has to come to an end too. */
export async function freeTab(tab: OpenTab, work: Promise<unknown>): Promise<Freed> {
  let freed: Freed = "the page answers";
  for (let tries = 0; tries < 3; tries++) {
    const now = await freeOnce(tab);
    if (now !== "the page answers") freed = now;
    if (freed === "the tab must be replaced") return freed;
    const isOver = await soon(work.then(settled, settled), probeMs);
    if (isOver) return freed;
  }
  return freed;
}

const settled = (): true => true;

async function freeOnce(tab: OpenTab): Promise<Freed> {
  if (await answers(tab, probeMs)) return "the page answers";
  const cdp = await soon(tab.cdp(), graceMs);
  // Taken from the renderer's input thread, so it arrives although the script runs.
  if (cdp) await soon(cdp.send("Runtime.terminateExecution"), graceMs);
  return (await answers(tab, graceMs)) ? "its script was ended" : "the tab must be replaced";
}

async function answers(tab: OpenTab, ms: number): Promise<boolean> {
  const cdp = await soon(tab.cdp(), ms);
  if (!cdp) return false;
  return (await soon(cdp.send("Runtime.evaluate", { expression: "1", returnByValue: true }), ms)) !== undefined;
}

/** The value, or undefined when it does not come in time or fails. */
export async function soon<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return await within(work, { ms, signal: never }).catch(() => undefined);
}

const never = new AbortController().signal;
