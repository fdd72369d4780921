/**
 * Logs what happens in a tab's page, and moves the page off URLs that the policy forbids.
 *
 * - `watchTab(tab, { failureOf, urlRefusal })`.
 */
import type { ConsoleMessage, Request } from "playwright-core";
import type { ConsoleEntry } from "../command.ts";
import type { Failure } from "../policy/index.ts";
import { attachTab } from "../tab-events/attach-tab.ts";
import type { OpenTab } from "./tab.ts";

export interface WatchOptions {
  /** Why a connection failed; Chromium only knows that its proxy refused. */
  readonly failureOf: (host: string, port: number) => Failure | undefined;
  readonly urlRefusal: (url: string) => string | undefined;
}

export function watchTab(tab: OpenTab, options: WatchOptions): void {
  const { page, logs } = tab;
  attachTab(tab);
  page.on("console", (message) => logs.console.push(consoleEntry(message)));
  page.on("pageerror", (error) => {
    logs.console.push({ level: "uncaught", text: uncaughtText(error) });
  });
  page.on("crash", () => logs.console.push({ level: "uncaught", text: "The tab crashed." }));
  page.on("requestfinished", (request) => void finished(tab, request).catch(() => {}));
  page.on("requestfailed", (request) => failed(tab, request, options));
  page.on("framenavigated", (frame) => {
    const url = frame.url();
    if (url.startsWith("chrome-error:") && frame === page.mainFrame()) tab.errorPages += 1;
    if (url === "" || url.startsWith("chrome-error:")) return;
    const reason = options.urlRefusal(url);
    if (!reason) return;
    logs.network.push({ method: "GET", url, type: "document", failure: `blocked by policy: ${reason}` });
    void page.goto("about:blank").catch(() => {});
  });
  void guardFiles(tab, options).catch(() => {});
}

/** A file page may show other files in frames. Chromium does not know the allowed roots, so each request is checked. */
async function guardFiles(tab: OpenTab, { urlRefusal }: WatchOptions): Promise<void> {
  const cdp = await tab.cdp();
  cdp.on("Fetch.requestPaused", ({ requestId, request }) => {
    const answer = urlRefusal(request.url)
      ? cdp.send("Fetch.failRequest", { requestId, errorReason: "AccessDenied" })
      : cdp.send("Fetch.continueRequest", { requestId });
    answer.catch(() => {});
  });
  await cdp.send("Fetch.enable", { patterns: [{ urlPattern: "file://*" }] });
}

async function finished(tab: OpenTab, request: Request): Promise<void> {
  const response = await request.response();
  const { responseEnd } = request.timing();
  const length = Number(response?.headers()["content-length"]);
  tab.logs.network.push({
    method: request.method(),
    url: request.url(),
    type: request.resourceType(),
    ...(response ? { status: response.status() } : {}),
    ...(responseEnd >= 0 ? { ms: Math.round(responseEnd) } : {}),
    ...(Number.isInteger(length) ? { bytes: length } : {}),
  });
}

function failed(tab: OpenTab, request: Request, { failureOf }: WatchOptions): void {
  const url = request.url();
  const error = request.failure()?.errorText ?? "failed";
  tab.logs.network.push({
    method: request.method(),
    url,
    type: request.resourceType(),
    failure: /ERR_SOCKS/.test(error) ? (reasonOf(url, failureOf) ?? error) : error,
  });
}

const chromiumErrors: Readonly<Record<Failure["kind"], string | undefined>> = {
  "nothing listens": "net::ERR_CONNECTION_REFUSED",
  "no such host": "net::ERR_NAME_NOT_RESOLVED",
  unreachable: "net::ERR_ADDRESS_UNREACHABLE",
  "refused by policy": undefined,
};

function reasonOf(url: string, failureOf: WatchOptions["failureOf"]): string | undefined {
  const { hostname, port, protocol } = new URL(url);
  const isSecure = protocol === "https:" || protocol === "wss:";
  const failure = failureOf(hostname, Number(port || (isSecure ? 443 : 80)));
  return failure && (chromiumErrors[failure.kind] ?? `blocked by policy: ${failure.reason}`);
}

/** What is no Error (`throw "words"`), or comes from the browser itself, has an empty stack. */
function uncaughtText({ name, message, stack }: Error): string {
  const words = [name, message].filter((part) => part !== "").join(": ");
  return stack ? stack.split("\n").slice(0, 5).join("\n") : words || "an exception without words";
}

const levels: Readonly<Record<string, ConsoleEntry["level"]>> = {
  error: "error",
  assert: "error",
  warning: "warn",
  info: "info",
  debug: "debug",
};

function consoleEntry(message: ConsoleMessage): ConsoleEntry {
  const { url, lineNumber, columnNumber } = message.location();
  return {
    level: levels[message.type()] ?? "log",
    text: message.text(),
    ...(url ? { place: `${url}:${lineNumber + 1}:${columnNumber + 1}` } : {}),
  };
}
