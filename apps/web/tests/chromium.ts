/** The Chromium of this machine, and when a page of ours is ready to be looked at. Used by the tests and by scripts/screenshots.ts. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";

export type { Page } from "playwright-core";

const switches = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

export const wide = { width: 1280, height: 900 };
export const phone = { width: 375, height: 812 };

function findChromium(): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  for (const name of ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]) {
    for (const folder of folders) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not in this folder.
      }
    }
  }
  throw new Error("There is no Chromium on the PATH. npm test installs it; by hand: apt-get install chromium");
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: switches, timeout: 120_000 });
}

/** The page says that it is up to date. */
export async function waitUntilLive(page: Page): Promise<void> {
  await page.locator('[data-live="live"]').waitFor();
}
