/**
 * What a tab does during an action: pending requests, navigations, new tabs.
 *
 * - `watchActivity(page)` starts watching; `end()` stops.
 */
import type { Frame, Page, Request } from "playwright-core";

export interface Activity {
  /** Requests started since then that the page may need before it shows the effect. */
  pending(): number;
  /** When the last of them was answered; undefined if none was. */
  lastAnswerAt(): number | undefined;
  /** The main frame has requested, or already shows, another document. */
  isLeaving(): boolean;
  readonly opened: readonly Page[];
  end(): void;
}

/** Images, pings, sockets and streams do not matter for a click's effect, and streams never end. */
const awaited = new Set(["document", "xhr", "fetch", "script"]);

export function watchActivity(page: Page): Activity {
  const requests = new Set<Request>();
  const opened: Page[] = [];
  let lastAnswerAt: number | undefined;
  let leaving = false;
  const onRequest = (request: Request) => {
    if (!awaited.has(request.resourceType())) return;
    requests.add(request);
    if (request.isNavigationRequest() && isMainFrame(request, page)) leaving = true;
  };
  const onDone = (request: Request) => {
    if (requests.delete(request)) lastAnswerAt = performance.now();
  };
  const onNavigated = (frame: Frame) => {
    if (frame === page.mainFrame()) leaving = true;
  };
  const onPopup = (popup: Page) => {
    opened.push(popup);
  };
  page.on("request", onRequest);
  page.on("requestfinished", onDone);
  page.on("requestfailed", onDone);
  page.on("framenavigated", onNavigated);
  page.on("popup", onPopup);
  return {
    pending: () => requests.size,
    lastAnswerAt: () => lastAnswerAt,
    isLeaving: () => leaving,
    opened,
    end() {
      page.off("request", onRequest);
      page.off("requestfinished", onDone);
      page.off("requestfailed", onDone);
      page.off("framenavigated", onNavigated);
      page.off("popup", onPopup);
    },
  };
}

/** A service worker's request has no frame, and asking for it throws. */
function isMainFrame(request: Request, page: Page): boolean {
  try {
    return request.frame() === page.mainFrame();
  } catch {
    return false;
  }
}
