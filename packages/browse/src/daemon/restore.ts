/**
 * Brings a remembered session back and says what could not be.
 *
 * - `restoreTabs(session, remembered, policy)` opens its tabs with their names, storage and scroll; one sentence each for what was lost.
 */
import type { Page } from "playwright-core";
import type { PolicyGate } from "../command.ts";
import { soon } from "./deadline.ts";
import type { RememberedSession, RememberedTab } from "./remembered.ts";
import type { OpenSession } from "./session.ts";

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
      if (!isBack) return [`${tab.id} (${tab.url.slice(0, 100)}) did not open again`];
      return tab.isCut ? [`${tab.id} was opened without its query, which held a secret`] : [];
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
    ...(remembered.state ? [] : ["cookies and storage, which are never written to disk"]),
    "what was typed and not sent",
    "the tabs' history",
  ];
  return [
    `${why}; ${count === 1 ? "its tab was" : `its ${count} tabs were`} opened again.`,
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
  // A page without a response (data:) answers null, which is fine; a failure answers nothing.
  const opened = await soon(page.goto(tab.url, { waitUntil: "domcontentloaded" }), openLimitMs);
  await script?.dispose();
  if (opened === undefined) return false;
  if (tab.scroll.x !== 0 || tab.scroll.y !== 0) {
    await soon(page.waitForLoadState("load"), scrollLimitMs);
    await soon(
      page.evaluate(({ x, y }) => scrollTo(x, y), tab.scroll),
      scrollLimitMs,
    );
  }
  return true;
}

/** Runs in the page before its own scripts. */
function fillSessionStorage({ origin, items }: { origin: string; items: Readonly<Record<string, string>> }): void {
  if (location.origin !== origin || sessionStorage.length > 0) return;
  for (const [name, value] of Object.entries(items)) sessionStorage.setItem(name, value);
}
