/** One Chromium for a test file, from its first page on; each test gets a page of its own that fails it when the console complains. */
import { afterAll, setDefaultTimeout } from "bun:test";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type Axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchChromium, wide } from "./chromium.ts";

export interface TestPage {
  readonly page: Page;
  /** What the console and the page complained about, network faults of a stopped server aside. */
  readonly complaints: string[];
  close(): Promise<void>;
}

export function withChromium({ isWhole = false } = {}) {
  // A slow machine is no fault; what never comes is told by the wait for it, before the test's own limit.
  setDefaultTimeout(180_000);
  let launched: Promise<Browser> | undefined;
  afterAll(async () => (await launched)?.close());

  return async function openPage(options: BrowserContextOptions = {}): Promise<TestPage> {
    launched ??= launchChromium({ isWhole });
    const browser = await launched;
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

/** axe-core gives these a lower impact than serious, whatever they find, so their work would be thrown away. */
const mildRules = [
  ...["aria-allowed-role", "aria-deprecated-role", "empty-heading", "empty-table-header", "focus-order-semantics"],
  ...["form-field-multiple-labels", "heading-order", "hidden-content", "html-xml-lang-mismatch", "image-redundant-alt"],
  ...["landmark-banner-is-top-level", "landmark-complementary-is-top-level", "landmark-contentinfo-is-top-level"],
  ...["landmark-main-is-top-level", "landmark-no-duplicate-banner", "landmark-no-duplicate-contentinfo"],
  ...["landmark-no-duplicate-main", "landmark-one-main", "landmark-unique", "meta-viewport", "meta-viewport-large"],
  ...["no-autoplay-audio", "page-has-heading-one", "presentation-role-conflict", "region", "scope-attr-valid"],
  ...["server-side-image-map", "skip-link", "table-duplicate-name"],
];

const axeSource = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Serious and critical findings of axe-core, of all rules or of some, one line each. */
export async function accessibilityFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Given to the page by the debugger, which the content policy does not concern; once per document.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
  const mild = Object.fromEntries(mildRules.map((id) => [id, { enabled: false }]));
  return await page.evaluate(
    async ([only, disabled]) => {
      const { axe } = window as unknown as { axe: typeof Axe };
      const { violations } = await axe.run({
        ...(only ? { runOnly: [...only] } : { rules: disabled }),
        // Of what passed one example each is enough, and no rule here reads style sheets.
        resultTypes: ["violations"],
        preload: false,
      });
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .flatMap(({ id, nodes }) =>
          nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`),
        );
    },
    [rules, mild] as const,
  );
}
