/**
 * Runs a navigation and reports its result.
 *
 * - `navigate(scope, wanted, until, work)` answers with status, redirects, title and what failed while loading. Ends before
 *   the command's deadline: a document that has arrived but is still loading counts as opened, and the answer says so.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Frame, Page, Request, Response } from "playwright-core";
import type { Answer, TabScope } from "../../command.ts";
import { markLogs } from "../../receipts/log-lines.ts";
import { quote } from "../../snapshot/line.ts";
import { attachTab } from "../../tab-events/attach-tab.ts";
import { isOfMainFrame, pendingNavigation, stopNavigation } from "../../tab-events/navigations.ts";
import type { whenLoaded } from "../navigation.ts";
import { firstLine } from "../run-action.ts";

export type Until = (typeof whenLoaded)[number];

export interface NavigationLimits {
  readonly waitUntil: "commit";
  readonly timeout: number;
}

/** How long images and scripts may still load after the document can be read; pages that never finish are common. */
const loadGraceMs = 2_000;
const idleGraceMs = 10_000;
/** Kept for the answer. */
const reserveMs = 150;
const titleMs = 2_000;

export async function navigate(
  scope: TabScope,
  wanted: string,
  until: Until | undefined,
  work: (limits: NavigationLimits) => Promise<Response | null>,
): Promise<Answer> {
  const { page, logs } = scope.tab;
  attachTab(scope.tab);
  const marks = markLogs(logs);
  scope.tab.selectFrame(undefined);
  const startedAt = performance.now();
  const left = () => Math.max(1, Math.floor(scope.timeLeft() - reserveMs));
  const response = await untilArrived(scope, wanted, () => work({ waitUntil: "commit", timeout: left() })).catch(
    (error: unknown) => {
      // A download URL has no page; the download is reported below.
      if (/Download is starting/.test(String(error))) return null;
      // Until it is stopped, the page that is still shown would answer nothing.
      if (/Timeout \d+ms/.test(String(error))) void stopNavigation(scope.tab).catch(() => undefined);
      throw explainNavigation(wanted, error);
    },
  );
  const reaches = (state: "domcontentloaded" | "load" | "networkidle", limitMs: number) =>
    page.waitForLoadState(state, { timeout: Math.min(limitMs, left()) }).then(yes, late);
  const isWhole = until === "commit" || (await reaches("domcontentloaded", left() - Math.min(titleMs, left() / 4)));
  if (isWhole && (until === undefined || until === "load")) await reaches("load", loadGraceMs);
  const idle = until !== "idle" || (await reaches("networkidle", idleGraceMs));
  const status = response?.status();
  const arrival = {
    url: page.url(),
    title: await titleOf(page, Math.max(reserveMs / 2, Math.min(titleMs, left()))),
    ...(status !== undefined && { status }),
    ok: status === undefined || status < 400,
    redirects: redirectsOf(response),
    idle,
    loading: !isWhole,
    console: marks.console(),
    failed: marks.failed(),
    dialogs: marks.dialogs(),
    downloads: marks.downloads(),
  };
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const lines = [
    `${status === undefined ? "" : `HTTP ${status} `}${quote(arrival.title, 120)} ${arrival.url}`,
    ...arrival.redirects.map(({ status: code, url }) => `redirected ${code} from ${url}`),
    ...(isWhole ? [] : [`still loading after ${seconds} s; it can be read; end it: stop-loading`]),
    ...(idle ? [] : ["the network did not become idle"]),
    ...arrival.dialogs,
    ...arrival.downloads,
    ...arrival.console.map((text) => `console error: ${text}`),
    ...arrival.failed.map((text) => `request failed: ${text}`),
  ];
  return { text: lines.join("\n"), data: arrival, fromPage: true };
}

/** A page that navigates on has no title to ask for. */
async function titleOf(page: Page, limitMs: number): Promise<string> {
  return await Promise.race([page.title().catch(() => ""), sleep(limitMs, "")]);
}

/**
 * Repeats a navigation that another one aborted: the page that is being left may navigate by itself at any moment, and the
 * error page of an earlier failed navigation may arrive only now.
 */
async function untilArrived(
  scope: TabScope,
  wanted: string,
  work: () => Promise<Response | null>,
): Promise<Response | null> {
  const { page } = scope.tab;
  let isForeign = false;
  const onRequest = (request: Request) => {
    if (isOfMainFrame(scope.tab, request) && !isSamePage(request.url(), wanted))
      isForeign ||= request.redirectedFrom() === null;
  };
  const onNavigated = (frame: Frame) => {
    if (frame === page.mainFrame() && !isSamePage(frame.url(), wanted)) isForeign = true;
  };
  let answer: Response | undefined;
  const onResponse = (response: Response) => {
    if (isSamePage(response.url(), wanted) && isOfMainFrame(scope.tab, response.request())) answer = response;
  };
  page.on("request", onRequest);
  page.on("response", onResponse);
  page.on("framenavigated", onNavigated);
  try {
    for (let tries = 1; ; tries++) {
      isForeign = pendingNavigation(scope.tab) !== undefined;
      answer = undefined;
      try {
        if (isForeign) await stopNavigation(scope.tab).catch(() => undefined);
        const arrived = await work();
        if (arrived !== null && !(isForeign && isOfOther(arrived, wanted) && tries < mostTries)) return arrived;
        // Playwright has lost track of it between two navigations of the page, but it is there.
        if (answer && isSamePage(page.url(), wanted)) return answer;
        // Without a response, the other navigation won.
        if (!isForeign || tries === mostTries || !/^https?:/.test(wanted)) return null;
      } catch (error) {
        const wasInterrupted = /interrupted by another navigation/.test(String(error));
        // An empty response and a download abort a navigation too; those are not repeated.
        const wasAborted = (isForeign || !answer) && /net::ERR_ABORTED/.test(String(error));
        if (tries === mostTries || !(wasInterrupted || wasAborted) || scope.signal.aborted) throw error;
        await sleep(Math.min(tries * 10, 50));
      }
    }
  } finally {
    page.off("request", onRequest);
    page.off("response", onResponse);
    page.off("framenavigated", onNavigated);
  }
}

/** It answers a navigation of the page's own, which won at the last moment. */
function isOfOther(response: Response, wanted: string): boolean {
  let request = response.request();
  for (let before = request.redirectedFrom(); before; before = request.redirectedFrom()) request = before;
  return !isSamePage(request.url(), wanted);
}

/** `http://localhost:3000` is requested as `http://localhost:3000/`, and no server gets what follows a `#`. */
function isSamePage(one: string, other: string): boolean {
  const plain = (url: string) => (URL.canParse(url) ? new URL(url).href : url).replace(/#.*/s, "");
  return plain(one) === plain(other);
}

/** Seen: two error pages in a row for one navigation that failed; a page that leaves every 50 ms aborts one in four. */
const mostTries = 10;

const late = (): false => false;
const yes = (): true => true;

function redirectsOf(response: Response | null): { status: number; url: string }[] {
  const hops: { status: number; url: string }[] = [];
  for (let request = response?.request().redirectedFrom(); request; request = request.redirectedFrom()) {
    hops.unshift({ status: request.existingResponse()?.status() ?? 0, url: request.url() });
  }
  return hops;
}

interface Reason {
  readonly pattern: RegExp;
  readonly reason: string;
  readonly next: string;
}

const reasons: readonly Reason[] = [
  {
    pattern: /ERR_CONNECTION_REFUSED/,
    reason: "nothing is listening there",
    next: "Start the server, then: devflow browse goto {url}",
  },
  {
    pattern: /ERR_NAME_NOT_RESOLVED/,
    reason: "the host name is unknown",
    next: "Check its spelling, then: devflow browse goto {url}",
  },
  {
    pattern: /ERR_CERT_|ERR_SSL_/,
    reason: "its certificate cannot be verified",
    next: "If you trust it: devflow browse goto {url} --insecure",
  },
  {
    pattern: /ERR_INVALID_AUTH_CREDENTIALS/,
    reason: "it requires a user name and password, or rejected these",
    next: "Pass them: devflow browse goto {url} --auth <user:password>",
  },
  {
    pattern: /ERR_TOO_MANY_REDIRECTS/,
    reason: "it redirects in a loop",
    next: "See the requests: devflow browse network",
  },
  {
    pattern: /ERR_INTERNET_DISCONNECTED/,
    reason: "this tab is offline",
    next: "Go online again: devflow browse offline off",
  },
  {
    pattern: /ERR_BLOCKED_BY_(CLIENT|ADMINISTRATOR)|ERR_ACCESS_DENIED/,
    reason: "the policy blocks it",
    next: "See what may be opened: devflow browse policy",
  },
  {
    pattern: /Timeout \d+ms exceeded|ERR_TIMED_OUT|ERR_CONNECTION_TIMED_OUT/,
    reason: "the server did not answer in time",
    next: "Is the server running? Wait longer with: devflow browse goto {url} --timeout 60000",
  },
  {
    pattern: /interrupted by another navigation|ERR_ABORTED/,
    reason: "another navigation interrupted it, or the response had no content",
    next: "See where the tab is: devflow browse tabs",
  },
  {
    pattern: /invalid URL|Cannot navigate to invalid/i,
    reason: "it is not a URL",
    next: "For example: devflow browse goto localhost:3000",
  },
];

function explainNavigation(url: string, error: unknown): DevflowError {
  if (error instanceof DevflowError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const known = reasons.find(({ pattern }) => pattern.test(text));
  const reason = known?.reason ?? /net::ERR_\w+/.exec(text)?.[0] ?? firstLine(text);
  const next = (known?.next ?? "See the requests: devflow browse network").replaceAll("{url}", url);
  return new DevflowError("browse_navigation_failed", { details: { url, reason, next }, cause: error });
}
