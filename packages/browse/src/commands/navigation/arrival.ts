/**
 * Runs a navigation and reports its result.
 *
 * - `navigate(scope, wanted, until, work)` answers with status, redirects, title and what failed while loading. Ends before
 *   the command's deadline: a document that has arrived but is still loading counts as opened, and the answer says so. A
 *   step in the history is not repeated once it has arrived, since it would be a second step.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Frame, Page, Request, Response } from "playwright-core";
import type { Answer, Tab, TabScope } from "../../command.ts";
import { type Activity, watchActivity } from "../../receipts/activity.ts";
import { markLogs, untoldDialogs } from "../../receipts/log-lines.ts";
import { contentOf } from "../../receipts/page-content.ts";
import { tabVersion } from "../../receipts/wait-for-effect.ts";
import { quote } from "../../snapshot/line.ts";
import { newsLines } from "../../snapshot/news-lines.ts";
import { attachTab } from "../../tab-events/attach-tab.ts";
import { type Hold, holdNavigations, settleNavigation } from "../../tab-events/hold-navigations.ts";
import { whileLeaving } from "../../tab-events/leave-page.ts";
import { isOfMainFrame, pendingNavigation, stopNavigation } from "../../tab-events/navigations.ts";
import { untilSilent } from "../../tab-events/shows-life.ts";
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
const lastNewsMs = 150;
/** Scripts of pages that are slow to start keep them busy for a second, on a slow machine. */
const silentMs = 1_500;

type Work = (limits: NavigationLimits) => Promise<Response | null>;

export async function navigate(
  scope: TabScope,
  wanted: string,
  until: Until | undefined,
  work: Work,
  kind: "place" | "step" = "place",
): Promise<Answer> {
  attachTab(scope.tab);
  const activity = watchActivity(scope.tab, []);
  try {
    return await arrive(scope, wanted, until, work, kind, activity);
  } finally {
    activity.end();
  }
}

async function arrive(
  scope: TabScope,
  wanted: string,
  until: Until | undefined,
  work: Work,
  kind: "place" | "step",
  activity: Activity,
): Promise<Answer> {
  const { page, logs } = scope.tab;
  const dialogs = untoldDialogs(logs);
  const marks = markLogs(logs);
  const said = [...dialogs, ...(await lastNews(scope.tab))];
  scope.tab.selectFrame(undefined);
  const startedAt = performance.now();
  const left = () => Math.max(1, Math.floor(scope.timeLeft() - reserveMs));
  let wasHeld = false;
  const go = () =>
    whileLeaving(scope.tab, work({ waitUntil: "commit", timeout: left() }), () => {
      wasHeld = true;
    });
  const response = await untilArrived(scope, wanted, go, kind === "place").catch((error: unknown) => {
    // A download URL has no page; the download is reported below.
    if (/Download is starting/.test(String(error))) return null;
    // Until it is stopped, the page that is still shown would answer nothing.
    const isStuck = pendingNavigation(scope.tab)?.isAnswered === true;
    if (/Timeout \d+ms/.test(String(error))) void stopNavigation(scope.tab).catch(() => undefined);
    throw isStuck ? notLeft(wanted, error) : explainNavigation(wanted, error);
  });
  const reaches = (state: "domcontentloaded" | "load" | "networkidle", limitMs: number) =>
    page.waitForLoadState(state, { timeout: Math.min(limitMs, left()) }).then(yes, late);
  const titleWithin = () => titleOf(page, Math.max(reserveMs / 2, Math.min(titleMs, left())));
  const isWhole = until === "commit" || (await reaches("domcontentloaded", left() - Math.min(titleMs, left() / 4)));
  if (isWhole && (until === undefined || until === "load")) await reaches("load", loadGraceMs);
  const idle = until !== "idle" || (await reaches("networkidle", idleGraceMs));
  const status = response?.status();
  const isShown = isWhole && until !== "commit" && until !== "dom" && /^https?:|^file:/.test(page.url());
  const shown = isShown ? await contentOrSilence(scope.tab, activity, left) : [];
  const hangs = shown === "silent";
  const content = hangs ? [] : shown;
  const arrival = {
    url: page.url(),
    title: hangs ? "" : await titleWithin(),
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
  const meanwhile = said.length === 0 ? {} : { meanwhile: said };
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const lines = [
    ...said.map((line) => `meanwhile: ${line}`),
    `${status === undefined ? "" : `HTTP ${status} `}${quote(arrival.title, 120)} ${arrival.url}`,
    ...(wasHeld ? ["the script of the page before it did not end when it was left, and was terminated"] : []),
    ...arrival.redirects.map(({ status: code, url }) => `redirected ${code} from ${url}`),
    ...content.map((line) => `  ${line}`),
    ...(isWhole ? [] : [`still loading after ${seconds} s; it can be read; end it: stop-loading`]),
    ...(hangs ? ["the page does not answer, since a script of it does not end; leave it: goto"] : []),
    ...(idle ? [] : ["the network did not become idle"]),
    ...arrival.dialogs,
    ...arrival.downloads,
    ...arrival.console.map((text) => `console error: ${text}`),
    ...arrival.failed.map((text) => `request failed: ${text}`),
  ];
  return { text: lines.join("\n"), data: { ...arrival, content, ...meanwhile }, fromPage: true };
}

/** What the page that is left announced last. One that hangs, or is on its way elsewhere, is not asked. */
async function lastNews(tab: Tab): Promise<string[]> {
  if (tab.page.url() !== "about:blank" && !pendingNavigation(tab)) {
    await Promise.race([tabVersion(tab).catch(() => undefined), sleep(lastNewsMs)]);
  }
  return newsLines(tab, []);
}

async function contentOrSilence(tab: Tab, activity: Activity, left: () => number): Promise<string[] | "silent"> {
  const over = new AbortController();
  try {
    const silence = untilSilent(tab, silentMs, over.signal).then(() => "silent" as const);
    return await Promise.race([contentOf(tab, activity, left), silence]);
  } finally {
    over.abort();
  }
}

/** A page that navigates on has no title to ask for. */
async function titleOf(page: Page, limitMs: number): Promise<string> {
  return await Promise.race([page.title().catch(() => ""), sleep(limitMs, "")]);
}

/**
 * Repeats a navigation that another one aborted: the page that is being left may navigate by itself at any moment, and the
 * error page of an earlier failed navigation may arrive only now. A page that is seen to do so is kept from it.
 */
async function untilArrived(
  scope: TabScope,
  wanted: string,
  work: () => Promise<Response | null>,
  canRepeat: boolean,
): Promise<Response | null> {
  const { tab } = scope;
  const { page } = tab;
  const watched = watchArrival(tab, wanted);
  let hold: Hold | undefined;
  try {
    for (let tries = 1; ; tries++) {
      const isLast = tries === mostTries;
      const hasPending = pendingNavigation(tab) !== undefined;
      watched.begin(hasPending);
      try {
        if (tries > 1 || hasPending) {
          const mayGo = (url: string) => isSamePage(url, wanted) || watched.hasArrived();
          // A page that has crashed cannot be held, and need not be.
          hold ??= await holdNavigations(tab, mayGo).catch(() => undefined);
        }
        if (tries > 1) await settleNavigation(tab).catch(() => undefined);
        else if (hasPending) await stopNavigation(tab).catch(() => undefined);
        const arrived = await work();
        // What such a page requested in the meantime may still arrive on top.
        if (canRepeat && watched.isForeign() && !hold && !isLast) continue;
        const isOther = arrived !== null && watched.isOther(arrived);
        if (arrived !== null && (!isOther || isLast)) return arrived;
        // Playwright has lost track of it between two navigations of the page, but it is there.
        const answer = watched.answer();
        if (answer && isSamePage(page.url(), wanted) && !watched.isBeingLeft()) return answer;
        // Without a response, the other navigation won.
        if (!isOther && (!watched.isForeign() || isLast || !/^https?:/.test(wanted))) return null;
      } catch (error) {
        const wasInterrupted = /interrupted by another navigation/.test(String(error));
        // An empty response and a download abort a navigation too; those are not repeated.
        const wasAborted = (watched.isForeign() || !watched.answer()) && /net::ERR_ABORTED/.test(String(error));
        if (isLast || !(wasInterrupted || wasAborted) || scope.signal.aborted) throw error;
        await sleep(Math.min(tries * 10, 50));
      }
    }
  } finally {
    watched.end();
    await hold?.end();
  }
}

/** What happens in a tab while it is on its way to a URL; `begin` before each try. */
function watchArrival(tab: Tab, wanted: string) {
  const { page } = tab;
  let isForeign = false;
  let answer: Response | undefined;
  /** The URLs that the tab has had since the try began, and when it first had the wanted one or what that redirects to. */
  let visited: string[] = [];
  let arrivedAt: number | undefined;
  let redirects: string[] = [];
  const isWanted = (url: string): boolean => [wanted, ...redirects].some((one) => isSamePage(one, url));
  const onRequest = (request: Request) => {
    // Where the new page goes by itself is its own matter.
    if (arrivedAt !== undefined || !isOfMainFrame(tab, request) || isSamePage(request.url(), wanted)) return;
    if (isSamePage(firstOf(request).url(), wanted)) redirects.push(request.url());
    else isForeign = true;
  };
  const onNavigated = (frame: Frame) => {
    if (frame !== page.mainFrame()) return;
    visited.push(frame.url());
    if (isWanted(frame.url())) arrivedAt ??= performance.now();
    else if (arrivedAt === undefined) isForeign = true;
  };
  const onResponse = (response: Response) => {
    if (isSamePage(response.url(), wanted) && isOfMainFrame(tab, response.request())) answer = response;
  };
  page.on("request", onRequest);
  page.on("response", onResponse);
  page.on("framenavigated", onNavigated);
  /** By a navigation of the page before it. */
  const isBeingLeft = (): boolean => {
    const pending = pendingNavigation(tab);
    return pending !== undefined && arrivedAt !== undefined && pending.since < arrivedAt;
  };
  return {
    begin(hasPending: boolean) {
      isForeign = hasPending;
      answer = undefined;
      visited = [];
      arrivedAt = undefined;
      redirects = [];
    },
    isForeign: () => isForeign,
    answer: () => answer,
    hasArrived: () => arrivedAt !== undefined,
    isBeingLeft,
    /** It answers a navigation of the page's own, or the page that is being left won after it. */
    isOther(response: Response): boolean {
      const isHere = [...visited, page.url()].some((url) => isSamePage(url, response.url()));
      return (isForeign && isOfOther(response, wanted)) || !isHere || isBeingLeft();
    },
    end() {
      page.off("request", onRequest);
      page.off("response", onResponse);
      page.off("framenavigated", onNavigated);
    },
  };
}

/** It answers a navigation of the page's own, which won at the last moment. */
const isOfOther = (response: Response, wanted: string): boolean =>
  !isSamePage(firstOf(response.request()).url(), wanted);

/** The request that was redirected to this one. */
function firstOf(request: Request): Request {
  let first = request;
  for (let before = first.redirectedFrom(); before; before = first.redirectedFrom()) first = before;
  return first;
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

/** Its answer is here, but the page that is shown does not make room for it. */
function notLeft(url: string, cause: unknown): DevflowError {
  const reason = "the server answered, but the page before it could not be left in time";
  const next = `Try once more: devflow browse goto ${url}`;
  return new DevflowError("browse_navigation_failed", { details: { url, reason, next }, cause });
}

function explainNavigation(url: string, error: unknown): DevflowError {
  if (error instanceof DevflowError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const known = reasons.find(({ pattern }) => pattern.test(text));
  const reason = known?.reason ?? /net::ERR_\w+/.exec(text)?.[0] ?? firstLine(text);
  const next = (known?.next ?? "See the requests: devflow browse network").replaceAll("{url}", url);
  return new DevflowError("browse_navigation_failed", { details: { url, reason, next }, cause: error });
}
