/**
 * What a tab does during an action: pending requests, navigations, new tabs.
 *
 * - `watchActivity(tab, others)` starts watching; `end()` stops, when the action is over.
 */
import type { Frame, Page, Request, Response } from "playwright-core";
import type { Tab } from "../command.ts";
import { isOfMainFrame } from "../tab-events/navigations.ts";
import { isStream, noteAct } from "../tab-events/requests.ts";
import { windowsAsked } from "../tab-events/windows.ts";

export interface Activity {
  /** Requests started since then that the page may need before it shows the effect, and windows that it asked for. */
  pending(): number;
  /** The oldest of those requests that have no answer yet: `GET https://…`. */
  unanswered(): string | undefined;
  /** When the last of them was answered; undefined if none was. */
  lastAnswerAt(): number | undefined;
  /** The main frame has requested, or already shows, another document. */
  isLeaving(): boolean;
  /** Resolves when it does. */
  readonly left: Promise<void>;
  readonly opened: readonly Page[];
  /** Other tabs that got another document: a window with a name is used again. */
  readonly elsewhere: ReadonlySet<Tab>;
  end(): void;
}

/** Images, pings, sockets and streams do not matter for a click's effect, and streams never end. */
const awaited = new Set(["document", "xhr", "fetch", "script"]);

export function watchActivity(tab: Tab, others: readonly Tab[]): Activity {
  const { page } = tab;
  const requests = new Set<Request>();
  const opened: Page[] = [];
  const windows = windowsAsked(tab);
  let lastAnswerAt: number | undefined;
  let leaving = false;
  const left = Promise.withResolvers<void>();
  const leave = () => {
    leaving = true;
    left.resolve();
  };
  const onRequest = (request: Request) => {
    if (!awaited.has(request.resourceType())) return;
    requests.add(request);
    if (isOfMainFrame(tab, request)) leave();
  };
  const onDone = (request: Request) => {
    if (requests.delete(request)) lastAnswerAt = performance.now();
  };
  const onResponse = (response: Response) => {
    if (isStream(response)) onDone(response.request());
  };
  const onNavigated = (frame: Frame) => {
    if (frame === page.mainFrame()) leave();
  };
  const onPopup = (popup: Page) => {
    opened.push(popup);
  };
  const elsewhere = new Set<Tab>();
  const watched = others.map((other) => {
    const onOther = (frame: Frame) => {
      if (frame === other.page.mainFrame()) elsewhere.add(other);
    };
    other.page.on("framenavigated", onOther);
    return () => other.page.off("framenavigated", onOther);
  });
  page.on("request", onRequest);
  page.on("response", onResponse);
  page.on("requestfinished", onDone);
  page.on("requestfailed", onDone);
  page.on("framenavigated", onNavigated);
  page.on("popup", onPopup);
  return {
    pending: () => requests.size + Math.max(0, windowsAsked(tab) - windows - opened.length),
    unanswered() {
      const [request] = requests;
      return request && `${request.method()} ${request.url()}`;
    },
    lastAnswerAt: () => lastAnswerAt,
    isLeaving: () => leaving,
    left: left.promise,
    opened,
    elsewhere,
    end() {
      noteAct(tab);
      for (const unwatch of watched) unwatch();
      page.off("request", onRequest);
      page.off("response", onResponse);
      page.off("requestfinished", onDone);
      page.off("requestfailed", onDone);
      page.off("framenavigated", onNavigated);
      page.off("popup", onPopup);
    },
  };
}
