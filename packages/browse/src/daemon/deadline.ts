/**
 * Deadlines, so that no page can block a command forever.
 *
 * - `within(work, limits)` the work's result; rejects when the time is up or the caller is gone. The work itself is
 *   abandoned, since a call that hangs in a page cannot be cancelled.
 * - `tryWithin(work, ms)` the work's result, or undefined.
 * - `answers(tab, ms)` whether the page answers within this time.
 * - `takePulse(tab, ms)` asks the page for a sign of life shortly before the deadline, so that at the deadline it is known
 *   whether the page hangs.
 * - `freeTab(tab, work, pulse, onProgress)` handles a page that does not answer: its script is terminated, and if that
 *   does not help the tab must be replaced. A page that answers is left alone. `onProgress` gets what is known so far.
 */
import { pendingNavigation, stopNavigation } from "../tab-events/navigations.ts";
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

export interface Pulse {
  /** The page was asked before the deadline and has not answered. */
  isSilent(): boolean;
  end(): void;
}

const longestPulseMs = 2_500;

export function takePulse(tab: OpenTab, ms: number): Pulse {
  let isSilent = false;
  const ask = () => {
    isSilent = true;
    void answers(tab, ms).then((isAlive) => {
      if (isAlive) isSilent = false;
    });
  };
  const timer = setTimeout(ask, ms - Math.min(ms / 2, longestPulseMs));
  return { isSilent: () => isSilent, end: () => clearTimeout(timer) };
}

export type Freed = "the page answers" | "its script was ended" | "the tab must be replaced";

const probeMs = 150;
/** All that a deadline that holds within half a second leaves a page that is known to hang. */
const hungMs = 400;
/** For a page that answered not long ago: on a busy machine it may only be slow. */
const graceMs = 1_500;
const settleMs = 500;

/** `work` is the abandoned command. It may be about to start another script, so it has to end too. */
export async function freeTab(
  tab: OpenTab,
  work: Promise<unknown>,
  pulse: Pulse,
  onProgress: (freed: Freed) => void,
): Promise<Freed> {
  let freed: Freed = "the page answers";
  for (let tries = 0; tries < 3; tries++) {
    const now = await freeOnce(tab, pulse);
    if (now !== "the page answers") freed = now;
    onProgress(freed);
    if (freed === "the tab must be replaced") return freed;
    const isOver = await tryWithin(work.then(settled, settled), settleMs);
    if (isOver) return freed;
  }
  return freed;
}

const settled = (): true => true;

async function freeOnce(tab: OpenTab, pulse: Pulse): Promise<Freed> {
  const isHung = pulse.isSilent() && !pendingNavigation(tab);
  // A page that waits for its next document answers nothing either; stopping that is enough.
  void stopNavigation(tab).catch(() => {});
  if (!isHung && (await answers(tab, probeMs))) return "the page answers";
  // Handled on the renderer's input thread, so it arrives while the script runs. A stopped process never answers it.
  void tab
    .cdp()
    .then((cdp) => cdp.send("Runtime.terminateExecution"))
    .catch(() => {});
  const limitMs = isHung ? hungMs : pulse.isSilent() ? probeMs : graceMs;
  return (await answers(tab, limitMs)) ? "its script was ended" : "the tab must be replaced";
}

export async function answers(tab: OpenTab, ms: number): Promise<boolean> {
  const asked = tab.cdp().then((cdp) => cdp.send("Runtime.evaluate", { expression: "1", returnByValue: true }));
  return (await tryWithin(asked, ms)) !== undefined;
}

/** The value, or undefined when the work fails or takes too long. */
export async function tryWithin<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return await within(work, { ms, signal: never }).catch(() => undefined);
}

const never = new AbortController().signal;
