/**
 * The requests that a tab's page waits for.
 *
 * - `followRequests(tab)` from now on.
 * - `requestsUnderWay(tab)` how many that may bring words to the page. One that takes very long is rather a stream.
 * - `isStream(response)` pure: one that goes on for ever, which nobody waits for.
 * - `noteAct(tab)` something was done to the page: it may ask for something a moment later, as when nothing more is typed.
 * - `quietMs(tab)` for how long nothing was done and there was no request; 0 while there is one.
 */
import type { Request, Response } from "playwright-core";
import type { Tab } from "../command.ts";

interface Requests {
  /** With the time when they began. */
  readonly underWay: Map<Request, number>;
  /** The end of the last one, or of what was done last. */
  lastEndAt: number;
}

const requestsOfTab = Symbol("browse requests");
const requestsOf = (tab: Tab): Requests =>
  tab.memory(requestsOfTab, () => ({ underWay: new Map<Request, number>(), lastEndAt: Number.NEGATIVE_INFINITY }));

const awaited = new Set(["document", "fetch", "script", "xhr"]);
const streamMs = 10_000;

export function followRequests(tab: Tab): void {
  const { page } = tab;
  const known = requestsOf(tab);
  page.on("request", (request) => {
    if (awaited.has(request.resourceType())) known.underWay.set(request, performance.now());
  });
  page.on("response", (response) => {
    if (isStream(response)) known.underWay.delete(response.request());
  });
  for (const end of ["requestfinished", "requestfailed"] as const) {
    page.on(end as "requestfinished", (request) => {
      if (known.underWay.delete(request)) known.lastEndAt = performance.now();
    });
  }
}

/** It never ends, and brings words at any time. */
export const isStream = (response: Response): boolean =>
  (response.headers()["content-type"] ?? "").startsWith("text/event-stream");

export function noteAct(tab: Tab): void {
  requestsOf(tab).lastEndAt = performance.now();
}

export function requestsUnderWay(tab: Tab): number {
  const since = performance.now() - streamMs;
  return [...requestsOf(tab).underWay.values()].filter((begun) => begun > since).length;
}

export function quietMs(tab: Tab): number {
  return requestsUnderWay(tab) > 0 ? 0 : performance.now() - requestsOf(tab).lastEndAt;
}
