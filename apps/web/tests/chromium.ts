/** The Chromium of this machine, and when a page of ours is ready to be looked at. Used by the tests and by scripts/screenshots.ts. */
import { testChromium } from "@devflow/testkit/chromium";
import { type Browser, chromium, type Page } from "playwright-core";

export type { Page } from "playwright-core";

export const wide = { width: 1280, height: 900 };
export const phone = { width: 375, height: 812 };

/** `keepsPages`: as people's browsers do, for the back button. */
export function launchChromium({
  keepsPages = false,
  ...options
}: {
  readonly isWhole?: boolean;
  readonly keepsPages?: boolean;
} = {}): Promise<Browser> {
  const ignoreDefaultArgs = keepsPages ? ["--disable-back-forward-cache"] : [];
  return chromium.launch({ ...testChromium(options), ignoreDefaultArgs, timeout: 120_000 });
}

/** The page says that it is up to date. */
export async function waitUntilLive(page: Page): Promise<void> {
  await page.locator('[data-live="live"]').waitFor();
}
