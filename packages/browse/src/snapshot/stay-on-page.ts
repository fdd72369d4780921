/**
 * Reads a page that may be navigating away.
 *
 * - `stayOnPage(tab, signal, read)` reads as usual. If the page has navigated twice before that ended, its further
 *   navigations are stopped, so that it can be read at all. If it waits for a server that does not answer, that is
 *   reported instead of waiting as well.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Frame, Request } from "playwright-core";
import type { Tab } from "../command.ts";
import { isOfMainFrame, pendingNavigation, stopNavigation } from "../tab-events/navigations.ts";

const restlessAfter = 2;
/** A slower server has a problem. */
const arrivalMs = 8_000;
const checkMs = 250;

export async function stayOnPage<T>(
  tab: Tab,
  signal: AbortSignal | undefined,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { page } = tab;
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
  return await readWhileStopping(tab, signal ?? new AbortController().signal, read);
}

async function readWhileStopping<T>(
  tab: Tab,
  signal: AbortSignal,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stops: Promise<unknown>[] = [];
  const stop = () => void stops.push(stopNavigation(tab).catch(() => undefined));
  const onRequest = (request: Request) => {
    if (isOfMainFrame(tab, request)) stop();
  };
  tab.page.on("request", onRequest);
  try {
    if (pendingNavigation(tab)) stop();
    return await read(signal);
  } finally {
    tab.page.off("request", onRequest);
    // One that arrived later would stop the next command's navigation.
    await Promise.all(stops);
  }
}

function waiting(url: string): DevflowError {
  const reason = `The page is waiting for ${url}, which does not answer.`;
  const next = "Stay on the page: devflow browse stop-loading; or wait: devflow browse wait --idle";
  return new DevflowError("browse_page_failed", { details: { reason, next } });
}
