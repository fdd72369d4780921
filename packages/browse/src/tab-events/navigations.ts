/**
 * The navigation of a tab's page that has been requested but has not arrived. Until it arrives or fails, Chromium answers no
 * question to the page, and only stopping it brings the old page back.
 *
 * - `followNavigations(tab)` from now on.
 * - `pendingNavigation(tab)` the one that is under way.
 * - `stopNavigation(tab)` stops it.
 */
import type { Frame, Request } from "playwright-core";
import type { Tab } from "../command.ts";

export interface PendingNavigation {
  readonly url: string;
  readonly since: number;
  /** The server has answered, but the document is not shown yet. */
  readonly isAnswered: boolean;
}

interface Navigations {
  pending: (Omit<PendingNavigation, "isAnswered"> & { isAnswered: boolean; request: Request }) | undefined;
}

const navigationsOfTab = Symbol("browse navigations");
const navigationsOf = (tab: Tab): Navigations => tab.memory(navigationsOfTab, () => ({ pending: undefined }));

export const pendingNavigation = (tab: Tab): PendingNavigation | undefined => navigationsOf(tab).pending;

export function followNavigations(tab: Tab): void {
  const { page } = tab;
  const known = navigationsOf(tab);
  page.on("request", (request) => {
    if (!isOfMainFrame(tab, request)) return;
    const since = known.pending && request.redirectedFrom() ? known.pending.since : performance.now();
    known.pending = { url: request.url(), since, isAnswered: false, request };
  });
  page.on("response", (response) => {
    if (known.pending?.request === response.request()) known.pending.isAnswered = true;
  });
  page.on("framenavigated", (frame: Frame) => {
    // The document that arrives may be an earlier one than the one that is under way.
    if (frame === page.mainFrame() && known.pending && isSameDocument(frame.url(), known.pending.url))
      known.pending = undefined;
  });
  const ended = (request: Request) => {
    if (known.pending?.request === request) known.pending = undefined;
  };
  page.on("requestfailed", ended);
  page.on("requestfinished", ended);
}

const isSameDocument = (one: string, other: string): boolean => one.split("#")[0] === other.split("#")[0];

export async function stopNavigation(tab: Tab): Promise<void> {
  const cdp = await tab.cdp();
  try {
    // Answered by the browser process, so it arrives while the page is silent.
    await cdp.send("Page.stopLoading");
  } catch (error) {
    // The page is being replaced at this moment: that navigation has arrived, and there is nothing left to stop.
    if (!/Not attached to an active page/.test(String(error))) throw error;
  }
}

/** A service worker's request has no frame, and asking for it throws. */
export function isOfMainFrame(tab: Tab, request: Request): boolean {
  try {
    return request.isNavigationRequest() && request.frame() === tab.page.mainFrame();
  } catch {
    return false;
  }
}
