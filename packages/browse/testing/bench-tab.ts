/** A simple tab over a real page, for tests of what happens in pages. The daemon has its own implementation. */
import type { CDPSession, Frame, Page } from "playwright-core";
import type { ConsoleEntry, LogRing, NetworkEntry, Tab, TabLogs } from "../src/command.ts";
import { withoutCallSites } from "../src/page-world/without-call-sites.ts";
import { attachTab } from "../src/tab-events/attach-tab.ts";

export function benchTab(page: Page, id = "t1"): Tab {
  const memory = new Map<symbol, unknown>();
  let frame: Frame | undefined;
  let cdp: Promise<CDPSession> | undefined;
  const logs: TabLogs = { console: ring(), network: ring(), dialogs: ring(), downloads: ring() };
  const tab: Tab = {
    id,
    page,
    logs,
    frame: () => (frame && !frame.isDetached() ? frame : page.mainFrame()),
    selectFrame: (chosen) => {
      frame = chosen;
    },
    cdp: () => {
      cdp ??= page.context().newCDPSession(page).then(withoutCallSites);
      return cdp;
    },
    memory: <T>(key: symbol, make: () => T): T => {
      if (!memory.has(key)) memory.set(key, make());
      return memory.get(key) as T;
    },
  };
  watch(page, logs);
  attachTab(tab);
  return tab;
}

function watch(page: Page, logs: TabLogs): void {
  const levels: Record<string, ConsoleEntry["level"]> = {
    error: "error",
    warning: "warn",
    info: "info",
    debug: "debug",
  };
  page.on("console", (message) => logs.console.push({ level: levels[message.type()] ?? "log", text: message.text() }));
  page.on("pageerror", (error) => logs.console.push({ level: "uncaught", text: error.message }));
  page.on("response", (response) => {
    const request = response.request();
    const entry: NetworkEntry = {
      method: request.method(),
      url: request.url(),
      type: request.resourceType(),
      status: response.status(),
    };
    logs.network.push(entry);
  });
  page.on("requestfailed", (request) => {
    const failure = request.failure()?.errorText ?? "failed";
    logs.network.push({ method: request.method(), url: request.url(), type: request.resourceType(), failure });
  });
}

function ring<Entry>(): LogRing<Entry> {
  const entries: (Entry & { seq: number; at: string })[] = [];
  return {
    get seq() {
      return entries.length;
    },
    since: (seq) => entries.slice(seq),
    push: (entry) => {
      entries.push({ ...entry, seq: entries.length + 1, at: new Date().toISOString() });
    },
  };
}
