/**
 * Converts cookies to Playwright's format.
 *
 * - `playwrightCookie(cookie)` for `context.addCookies`.
 */
import type { BrowserContext } from "playwright-core";
import type { ImportedCookie } from "./imported-cookie.ts";

type PlaywrightCookie = Parameters<BrowserContext["addCookies"]>[0][number];

export function playwrightCookie(cookie: ImportedCookie): PlaywrightCookie {
  return {
    name: cookie.name,
    value: cookie.value.reveal(),
    domain: cookie.domain,
    path: cookie.path,
    expires: cookie.expires ?? -1,
    secure: cookie.secure,
    httpOnly: cookie.httpOnly,
    ...(cookie.sameSite ? { sameSite: cookie.sameSite } : {}),
    ...(cookie.partitionKey ? { partitionKey: cookie.partitionKey } : {}),
  };
}
