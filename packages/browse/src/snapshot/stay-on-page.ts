/**
 * Reads a page that may be navigating away.
 *
 * - `stayOnPage(tab, signal, read)` reads as usual. If the page has navigated twice before that ended, its further
 *   navigations are stopped, so that it can be read at all. If it waits for a server that does not answer, that is
 *   reported instead of waiting as well.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Frame } from "playwright-core";
import type { Tab } from "../command.ts";
import { pendingNavigation, stopNavigation } from "../tab-events/navigations.ts";

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

/** Its requests are held before they are sent: stopping them afterwards comes too late where the server is quicker than we are. */
async function readWhileStopping<T>(
  tab: Tab,
  signal: AbortSignal,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const cdp = await tab.page.context().newCDPSession(tab.page);
  try {
    const { targetInfo } = await cdp.send("Target.getTargetInfo");
    cdp.on("Fetch.requestPaused", ({ requestId, frameId }) => {
      const isMain = frameId === targetInfo.targetId;
      const answer = isMain
        ? cdp.send("Fetch.failRequest", { requestId, errorReason: "Aborted" })
        : cdp.send("Fetch.continueRequest", { requestId });
      answer.catch(() => undefined);
    });
    await cdp.send("Fetch.enable", { patterns: [{ resourceType: "Document" }] });
    // One that was sent before.
    if (pendingNavigation(tab)) await stopNavigation(tab);
    return await read(signal);
  } finally {
    await cdp.detach().catch(() => undefined);
  }
}

function waiting(url: string): DevflowError {
  const reason = `The page is waiting for ${url}, which does not answer.`;
  const next = "Stay on the page: devflow browse stop-loading; or wait: devflow browse wait --idle";
  return new DevflowError("browse_page_failed", { details: { reason, next } });
}
