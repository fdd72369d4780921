/**
 * Keeps a page that navigates by itself where it is. Its requests are held before they are sent: stopping them afterwards comes too late
 * where the server is quicker than we are.
 *
 * - `holdNavigations(tab, mayGo)` from now on the main frame requests no document, except those that may go and what they
 *   redirect to. `pause()` and `resume()` it, and `end()` it.
 * - `settleNavigation(tab)` what was requested before arrives, or is stopped where its server does not answer.
 * - `nextArrival(tab)` the next document of the main frame, for a moment at most.
 */
import type { Frame } from "playwright-core";
import type { Tab } from "../command.ts";
import { pendingNavigation, stopNavigation } from "./navigations.ts";

const settleMs = 500;
const documents = { patterns: [{ resourceType: "Document" as const }] };

export interface Hold {
  pause(): Promise<unknown>;
  resume(): Promise<unknown>;
  end(): Promise<void>;
}

export async function holdNavigations(tab: Tab, mayGo: (url: string) => boolean = () => false): Promise<Hold> {
  const cdp = await tab.page.context().newCDPSession(tab.page);
  const { targetInfo } = await cdp.send("Target.getTargetInfo");
  const gone = new Set<string>();
  cdp.on("Fetch.requestPaused", ({ requestId, frameId, request, redirectedRequestId }) => {
    const isRedirect = redirectedRequestId !== undefined && gone.has(redirectedRequestId);
    const mayPass = frameId !== targetInfo.targetId || isRedirect || mayGo(request.url);
    if (mayPass) gone.add(requestId);
    const answer = mayPass
      ? cdp.send("Fetch.continueRequest", { requestId })
      : cdp.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
    answer.catch(() => undefined);
  });
  const hold: Hold = {
    pause: () => cdp.send("Fetch.disable"),
    resume: () => cdp.send("Fetch.enable", documents),
    end: () => cdp.detach().catch(() => undefined),
  };
  try {
    await hold.resume();
  } catch (error) {
    await hold.end();
    throw error;
  }
  return hold;
}

export async function settleNavigation(tab: Tab): Promise<void> {
  if (!pendingNavigation(tab)) return;
  await nextArrival(tab);
  if (pendingNavigation(tab)) await stopNavigation(tab);
}

export async function nextArrival({ page }: Tab): Promise<void> {
  const isMain = (frame: Frame) => frame === page.mainFrame();
  await page.waitForEvent("framenavigated", { predicate: isMain, timeout: settleMs }).catch(() => undefined);
}
