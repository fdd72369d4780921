/**
 * Restores a remembered session and reports what could not be restored.
 *
 * - `restoreTabs(session, remembered, policy)` opens its tabs with their ids, storage and scroll; one sentence for each loss.
 */
import type { Page } from "playwright-core";
import type { PolicyGate } from "../command.ts";
import { tryWithin } from "./deadline.ts";
import type { OpenSession } from "./session.ts";
import type { RememberedSession, RememberedTab } from "./session-memory.ts";

const openLimitMs = 15_000;
const scrollLimitMs = 3_000;

export async function restoreTabs(
  session: OpenSession,
  remembered: RememberedSession,
  policy: PolicyGate,
): Promise<string[]> {
  const pages: [RememberedTab, Page][] = [];
  for (const tab of remembered.tabs) pages.push([tab, (await session.open(undefined, tab.id)).page]);
  const results = await Promise.all(
    pages.map(async ([tab, page]) => {
      const isBack = await restoreTab(page, tab, policy);
      if (!isBack) return [`${tab.id} (${tab.url.slice(0, 100)}) could not be reopened`];
      return tab.isCut ? [`${tab.id} was reopened without its query, which contained a secret`] : [];
    }),
  );
  if (remembered.current !== undefined && session.tabs().some(({ id }) => id === remembered.current)) {
    session.select(remembered.current);
  }
  return results.flat();
}

export function restoredNote(remembered: RememberedSession, why: string, failed: readonly string[]): string {
  const count = remembered.tabs.length;
  const lost = [
    ...(remembered.state ? [] : ["cookies and storage, which are kept only when the browser ends idle"]),
    "unsent input",
    "the tabs' history",
  ];
  return [
    `${why}; ${count === 1 ? "its tab was" : `its ${count} tabs were`} reopened.`,
    `Lost: ${lost.join(", ")}.`,
    ...failed.map((one) => `${one}.`),
  ].join(" ");
}

async function restoreTab(page: Page, tab: RememberedTab, policy: PolicyGate): Promise<boolean> {
  if (tab.url === "about:blank") return true;
  try {
    policy.checkUrl(tab.url);
  } catch {
    return false;
  }
  const { origin, sessionStorage } = tab;
  const script =
    origin && sessionStorage && Object.keys(sessionStorage).length > 0
      ? await page.addInitScript(fillSessionStorage, { origin, items: sessionStorage })
      : undefined;
  // null for a page without a response (data:), which is fine; undefined for a failure.
  const opened = await tryWithin(page.goto(tab.url, { waitUntil: "domcontentloaded" }), openLimitMs);
  await script?.dispose();
  if (opened === undefined) return false;
  if (tab.scroll.x !== 0 || tab.scroll.y !== 0) {
    await tryWithin(page.waitForLoadState("load"), scrollLimitMs);
    await tryWithin(
      page.evaluate(({ x, y }) => scrollTo(x, y), tab.scroll),
      scrollLimitMs,
    );
  }
  return true;
}

/** Runs in the page before the page's scripts. */
function fillSessionStorage({ origin, items }: { origin: string; items: Readonly<Record<string, string>> }): void {
  if (location.origin !== origin || sessionStorage.length > 0) return;
  for (const [name, value] of Object.entries(items)) sessionStorage.setItem(name, value);
}
