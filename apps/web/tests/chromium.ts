/** The Chromium of this machine, and when a page of ours is ready to be looked at. Used by the tests and by scripts/screenshots.ts. */
import { testChromium } from "@devflow/testkit/chromium";
import { type Browser, chromium, type Page } from "playwright-core";

export type { Page } from "playwright-core";

export const wide = { width: 1280, height: 900 };
export const phone = { width: 375, height: 812 };

export function launchChromium(options: { readonly isWhole?: boolean } = {}): Promise<Browser> {
  return chromium.launch({ ...testChromium(options), timeout: 120_000 });
}

/** The page says that it is up to date. */
export async function waitUntilLive(page: Page): Promise<void> {
  await page.locator('[data-live="live"]').waitFor();
}
