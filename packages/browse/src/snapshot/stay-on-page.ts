/**
 * Reads a page that may be navigating away.
 *
 * - `stayOnPage(tab, signal, read)` reads as usual. If the page has navigated twice before that ended, its further
 *   navigations are stopped, so that it can be read at all. If it waits for a server that does not answer, that is
 *   reported instead of waiting as well.
 * - `readWhileStopping(tab, signal, read)` does so from the beginning.
 * - `patienceWith(tab, ms)` how long to wait for further answers of the page: not long if it had to be stopped, because its
 *   next documents come and go faster than they can answer.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Frame } from "playwright-core";
import type { Tab } from "../command.ts";
import { type Hold, holdNavigations, nextArrival, settleNavigation } from "../tab-events/hold-navigations.ts";
import { pendingNavigation } from "../tab-events/navigations.ts";

const restlessAfter = 2;
/** A slower server has a problem. */
const arrivalMs = 8_000;
const checkMs = 250;
/** A document that does not answer in that time is given up for the next one; the last attempt has all the time that is left. */
const attemptsMs = [1_000, 3_000];
/** Several questions follow a reading, and a person waits for all of them. */
const restlessPatienceMs = 400;

const memoryKey = Symbol("restless page");
const memoryOf = (tab: Tab): { isRestless: boolean } => tab.memory(memoryKey, () => ({ isRestless: false }));

export function patienceWith(tab: Tab, ms: number): number {
  return memoryOf(tab).isRestless ? Math.min(ms, restlessPatienceMs) : ms;
}

export async function stayOnPage<T>(
  tab: Tab,
  signal: AbortSignal | undefined,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { page } = tab;
  const memory = memoryOf(tab);
  memory.isRestless = false;
  const given = new AbortController();
  let navigations = 0;
  let stopped: DevflowError | "restless" | undefined;
  const stop = (why: DevflowError | "restless") => {
    stopped = why;
    given.abort();
  };
  const onNavigated = (frame: Frame) => {
    if (frame === page.mainFrame() && ++navigations === restlessAfter) stop("restless");
  };
  page.on("framenavigated", onNavigated);
  const timer = setInterval(() => {
    const pending = pendingNavigation(tab);
    if (pending && performance.now() - pending.since > arrivalMs) stop(waiting(pending.url));
  }, checkMs);
  try {
    return await read(signal ? AbortSignal.any([signal, given.signal]) : given.signal);
  } catch (error) {
    if (signal?.aborted || stopped === undefined) throw error;
    if (stopped !== "restless") throw stopped;
  } finally {
    clearInterval(timer);
    page.off("framenavigated", onNavigated);
  }
  memory.isRestless = true;
  return await readWhileStopping(tab, signal ?? new AbortController().signal, read);
}

export async function readWhileStopping<T>(
  tab: Tab,
  signal: AbortSignal,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const hold = await holdNavigations(tab);
  try {
    await settleNavigation(tab);
    for (const ms of attemptsMs) {
      try {
        return await read(AbortSignal.any([signal, AbortSignal.timeout(ms)]));
      } catch (error) {
        if (signal.aborted) throw error;
        await letOneArrive(tab, hold);
      }
    }
    return await read(signal);
  } finally {
    await hold.end();
  }
}

/** Chromium may be left without a document when a navigation is stopped while it is about to begin. */
async function letOneArrive(tab: Tab, hold: Hold): Promise<void> {
  await hold.pause();
  await nextArrival(tab);
  await hold.resume();
  await settleNavigation(tab);
}

function waiting(url: string): DevflowError {
  const reason = `The page is waiting for ${url}, which does not answer.`;
  const next = "Stay on the page: devflow browse stop-loading; or wait: devflow browse wait --idle";
  return new DevflowError("browse_page_failed", { details: { reason, next } });
}
