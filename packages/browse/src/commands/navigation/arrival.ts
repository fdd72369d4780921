/**
 * What came of a navigation.
 *
 * - `navigate(scope, work)` runs it and answers with status, redirects, title and what failed while loading.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Response } from "playwright-core";
import type { Answer, TabScope } from "../../command.ts";
import { markLogs } from "../../receipts/log-lines.ts";
import { quote } from "../../snapshot/line.ts";
import { attachTab } from "../../tab-events/attach-tab.ts";
import type { whenLoaded } from "../navigation.ts";
import { firstLine } from "../run-on-page.ts";

export type Until = (typeof whenLoaded)[number];

/** After the document can be read, its pictures and scripts get so long; pages that never end loading are common. */
const loadGraceMs = 2_000;
const idleGraceMs = 10_000;

export async function navigate(
  scope: TabScope,
  wanted: string,
  until: Until | undefined,
  work: (waitUntil: "commit" | "domcontentloaded") => Promise<Response | null>,
): Promise<Answer> {
  const { page, logs } = scope.tab;
  attachTab(scope.tab);
  const marks = markLogs(logs);
  scope.tab.selectFrame(undefined);
  const waitUntil = until === "commit" ? "commit" : "domcontentloaded";
  const response = await pastErrorPages(wanted, () => work(waitUntil)).catch((error: unknown) => {
    // A URL that is a download has no page; the download itself is told below.
    if (/Download is starting/.test(String(error))) return null;
    throw explainNavigation(wanted, error);
  });
  if (until === undefined || until === "load")
    await page.waitForLoadState("load", { timeout: loadGraceMs }).catch(late);
  const idle =
    until !== "idle" || (await page.waitForLoadState("networkidle", { timeout: idleGraceMs }).then(yes, late));
  const status = response?.status();
  const arrival = {
    url: page.url(),
    title: await page.title().catch(() => ""),
    ...(status !== undefined && { status }),
    ok: status === undefined || status < 400,
    redirects: redirectsOf(response),
    idle,
    console: marks.console(),
    failed: marks.failed(),
    dialogs: marks.dialogs(),
    downloads: marks.downloads(),
  };
  const lines = [
    `${status === undefined ? "" : `HTTP ${status} `}${quote(arrival.title, 120)} ${arrival.url}`,
    ...arrival.redirects.map(({ status: code, url }) => `redirected ${code} from ${url}`),
    ...(idle ? [] : ["the network did not become idle"]),
    ...arrival.dialogs,
    ...arrival.downloads,
    ...arrival.console.map((text) => `console error: ${text}`),
    ...arrival.failed.map((text) => `request failed: ${text}`),
  ];
  return { text: lines.join("\n"), data: arrival, fromPage: true };
}

/** The error page of a navigation that failed just before may arrive only now and break off this one. */
async function pastErrorPages<T>(wanted: string, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === maxErrorPages || !isErrorPage(String(error), wanted)) throw error;
      await sleep(tries * 50);
    }
  }
}

/** Seen: two in a row for one navigation that failed, on a busy machine. */
const maxErrorPages = 5;

/** That of a certificate comes under the address that was asked for. */
const isErrorPage = (said: string, wanted: string): boolean =>
  ["chrome-error:", wanted].some((start) => said.includes(`interrupted by another navigation to "${start}`));
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
    reason: "nothing listens there",
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
    reason: "it wants a name and a password, or does not accept these",
    next: "Give them: devflow browse goto {url} --auth <user:password>",
  },
  {
    pattern: /ERR_TOO_MANY_REDIRECTS/,
    reason: "it redirects in a circle",
    next: "See the requests: devflow browse network",
  },
  {
    pattern: /ERR_INTERNET_DISCONNECTED/,
    reason: "this tab is offline",
    next: "Go online again: devflow browse offline off",
  },
  {
    pattern: /ERR_BLOCKED_BY_(CLIENT|ADMINISTRATOR)|ERR_ACCESS_DENIED/,
    reason: "it is blocked here",
    next: "See what may be opened: devflow browse policy",
  },
  {
    pattern: /Timeout \d+ms exceeded|ERR_TIMED_OUT|ERR_CONNECTION_TIMED_OUT/,
    reason: "it took too long",
    next: "See what is there so far: devflow browse snapshot; or wait longer: devflow browse goto {url} --timeout 60000",
  },
  {
    pattern: /interrupted by another navigation|ERR_ABORTED/,
    reason: "another navigation came in between, or it answered with nothing to show",
    next: "See where the tab is: devflow browse tabs",
  },
  {
    pattern: /invalid URL|Cannot navigate to invalid/i,
    reason: "it is not a URL",
    next: "Like: devflow browse goto localhost:3000",
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
