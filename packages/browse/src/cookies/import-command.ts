/** `browse cookie-import`: imports cookies from a browser on this machine, or a file, into the session. */

import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { type Environment, processEnvironment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import type { Answer, BrowseInput, BrowseSession, SessionScope } from "../command.ts";
import type { cookieImportRecord } from "../commands/index.ts";
import { type CookieBrowser, cookieBrowsers } from "./browsers.ts";
import { parseCookieFile } from "./cookie-file.ts";
import { type CookieReading, domainCounts, type ImportedCookie, matchesDomain } from "./imported-cookie.ts";
import { openPicker } from "./picker-server.ts";
import { readBrowserCookies } from "./read-cookies.ts";
import { playwrightCookie } from "./to-playwright.ts";

type ImportInput = BrowseInput<typeof cookieImportRecord>;

export async function importCookies(input: ImportInput, scope: SessionScope): Promise<Answer> {
  const reading = await read(input, scope);
  const { cookies } = reading;
  if (input.list) return listed(input.source, reading);
  const wanted = input.domain ?? [];
  const isFile = !isBrowser(input.source);
  // A file has only what the person exported; a browser has all their logins, so they choose the sites.
  if (wanted.length === 0 && !input.all && !isFile) return await pick(input.source, reading, scope);
  const chosen =
    wanted.length === 0 ? cookies : cookies.filter((one) => wanted.some((name) => matchesDomain(one, name)));
  if (chosen.length === 0) {
    throw new DevflowError("not_found", {
      details: {
        what: `A cookie of ${wanted.join(", ") || input.source}`,
        next: `List them: devflow browse cookie-import ${input.source} --list`,
      },
    });
  }
  const refused = await addCookies(scope.session, chosen);
  const domains = domainCounts(chosen);
  const unreadable = { ...reading.unreadable, ...refused };
  const imported = chosen.length - Object.values(refused).reduce((sum, count) => sum + count, 0);
  const lines = [`${imported} cookies of ${domains.length} sites: ${shown(domains)}`, ...reasons(unreadable)];
  return { text: lines.join("\n"), data: { imported, domains, unreadable } };
}

async function read({ source, profile }: ImportInput, { files }: SessionScope): Promise<CookieReading> {
  const env: Environment = processEnvironment();
  if (!isBrowser(source)) {
    if (!/[./\\]/.test(source)) throw unknownBrowser(source);
    return { cookies: parseCookieFile(await readFile(await files.forReading(source), "utf8")), unreadable: {} };
  }
  return await readBrowserCookies(source, { home: env.HOME || homedir(), platform: process.platform, env, profile });
}

async function pick(browser: string, { cookies, unreadable }: CookieReading, scope: SessionScope): Promise<Answer> {
  const { context } = scope.session;
  const picker = await openPicker({
    browser,
    domains: domainCounts(cookies),
    choose: async (domains) => {
      const chosen = cookies.filter(({ domain }) => domains.includes(domain.replace(/^\./, "")));
      const refused = await addCookies(scope.session, chosen);
      return chosen.length - Object.values(refused).reduce((sum, count) => sum + count, 0);
    },
  });
  context.once("close", () => picker.close());
  const text = [
    "Ask the person to choose the sites on this page within five minutes. It works once:",
    picker.url,
    "Or name them: devflow browse cookie-import <browser> --domain <site>",
    ...reasons(unreadable),
  ];
  return { text: text.join("\n"), data: { pickerUrl: picker.url, sites: domainCounts(cookies).length, unreadable } };
}

/** Shorter values are words and numbers; hiding those would garble every log. */
const secretLength = 12;

/** A cookie that Chromium refuses (such as a `__Host-` cookie with a domain) must not block the others. */
async function addCookies(session: BrowseSession, cookies: readonly ImportedCookie[]): Promise<Record<string, number>> {
  const { context } = session;
  // A page may print its cookies; the session's logs must not show them.
  const logs = session.tabs()[0]?.logs;
  for (const { value } of cookies) if (value.reveal().length >= secretLength) logs?.hide?.(value.reveal());
  try {
    await context.addCookies(cookies.map(playwrightCookie));
    return {};
  } catch {
    let refused = 0;
    for (const cookie of cookies) await context.addCookies([playwrightCookie(cookie)]).catch(() => (refused += 1));
    return refused > 0 ? { "refused by Chromium": refused } : {};
  }
}

function listed(source: string, { cookies, unreadable }: CookieReading): Answer {
  const domains = domainCounts(cookies);
  const rows = domains.map(({ domain, count }) => `${String(count).padStart(5)}  ${domain}`);
  const text = [`${cookies.length} cookies of ${domains.length} sites in ${source}`, ...rows, ...reasons(unreadable)];
  return { text: text.join("\n"), data: { domains, unreadable } };
}

const shown = (domains: readonly { domain: string; count: number }[]): string =>
  domains
    .slice(0, 10)
    .map(({ domain, count }) => `${domain} ${count}`)
    .join(", ") + (domains.length > 10 ? ", …" : "");

const reasons = (unreadable: CookieReading["unreadable"]): string[] =>
  Object.entries(unreadable).map(([reason, count]) => `${count} not read: ${reason}`);

const isBrowser = (source: string): source is CookieBrowser => (cookieBrowsers as readonly string[]).includes(source);

function unknownBrowser(source: string): DevflowError {
  return new DevflowError("input_invalid", {
    details: {
      problem: `Devflow cannot import cookies from "${source}".`,
      next: `Known: ${cookieBrowsers.join(", ")}, and files: devflow browse cookie-import ./cookies.json`,
    },
  });
}
