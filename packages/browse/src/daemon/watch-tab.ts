/** Writes into a tab's logs what happens in its page. */
import type { ConsoleMessage, Request } from "playwright-core";
import type { ConsoleEntry } from "../command.ts";
import { attachTab } from "../tab-events/attach-tab.ts";
import type { OpenTab } from "./tab.ts";

export function watchTab(tab: OpenTab): void {
  const { page, logs } = tab;
  attachTab(tab);
  page.on("console", (message) => logs.console.push(consoleEntry(message)));
  page.on("pageerror", (error) => {
    const text = error.stack?.split("\n").slice(0, 5).join("\n") ?? String(error);
    logs.console.push({ level: "uncaught", text });
  });
  page.on("requestfinished", (request) => void finished(tab, request).catch(() => {}));
  page.on("requestfailed", (request) => {
    logs.network.push({
      method: request.method(),
      url: request.url(),
      type: request.resourceType(),
      failure: request.failure()?.errorText ?? "failed",
    });
  });
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
