/**
 * The cookies of a browser on this machine.
 *
 * - `readBrowserCookies(browser, place)` everything in its store.
 */
import { readFile } from "node:fs/promises";
import { type CookieBrowser, findStore, type StorePlace } from "./browsers.ts";
import { readChromiumCookies } from "./chromium-store.ts";
import { readFirefoxCookies } from "./firefox-store.ts";
import type { CookieReading } from "./imported-cookie.ts";
import { parseSafariCookies } from "./safari-store.ts";
import { type KeyPlace, systemKeys } from "./system-keys.ts";

export async function readBrowserCookies(browser: CookieBrowser, place: StorePlace & KeyPlace): Promise<CookieReading> {
  const store = findStore(browser, place);
  switch (store.kind) {
    case "chromium":
      return await readChromiumCookies(store.path, (prefixes) => systemKeys(store, prefixes, place));
    case "firefox":
      return await readFirefoxCookies(store.path);
    case "safari":
      return { cookies: parseSafariCookies(await readFile(store.path)), unreadable: {} };
  }
}
