/** One Chromium for a test file; each test gets a page of its own that fails it when the console complains. */
import { afterAll, beforeAll, setDefaultTimeout } from "bun:test";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchChromium, wide } from "./chromium.ts";

export interface TestPage {
  readonly page: Page;
  /** What the console and the page complained about, network faults of a stopped server aside. */
  readonly complaints: string[];
  close(): Promise<void>;
}

export function withChromium() {
  // A slow machine is no fault; what never comes is told by the wait for it, before the test's own limit.
  setDefaultTimeout(180_000);
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  }, 120_000);
  afterAll(() => browser?.close());

  return async function openPage(options: BrowserContextOptions = {}): Promise<TestPage> {
    const context = await browser.newContext({
      viewport: wide,
      permissions: ["clipboard-read", "clipboard-write"],
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("dialog", (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("console", (message) => {
      const isNetwork = /net::ERR_|status of 401/.test(message.text());
      if (["error", "warning"].includes(message.type()) && !isNetwork) complaints.push(message.text());
    });
    return { page, complaints, close: () => context.close() };
  };
}

/** Serious and critical findings of axe-core, of all rules or of some, one line each. */
export async function accessibilityFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Given to the page by the debugger, which the content policy does not concern.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (only) => (window as unknown as { axe: typeof axe }).axe.run(only ? { runOnly: only } : {}),
    rules && [...rules],
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`));
}
