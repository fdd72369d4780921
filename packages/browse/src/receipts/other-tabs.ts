/**
 * What an action did to other tabs.
 *
 * - `closedLines(scope)` when it closed its own tab; `openerLines(scope)` in the tab that opened this one.
 * - `openedLine(scope, page)` a tab that it opened.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import type { TabScope } from "../command.ts";
import { lastTree } from "../snapshot/capture-tree.ts";
import { lateChanges } from "./late-changes.ts";
import { rememberState, stateNow } from "./wait-for-effect.ts";

/** How long to wait until a new tab has a URL. */
const openedMs = 2_000;
const otherTabMs = 1_500;

/** Commands go to another tab from then on, where the closed one may have changed something. */
export async function closedLines({ session, tab }: TabScope): Promise<string[]> {
  const closed = `the page closed tab ${tab.id};`;
  if (session.tabs().every((one) => one === tab)) return [`${closed} no tab is left`];
  const now = session.current();
  const told = lastTree(now);
  const state = await Promise.race([stateNow(now), sleep(otherTabMs, undefined)]).catch(() => undefined);
  const lines = state ? await lateChanges(now, told, state.tree) : [];
  if (state) rememberState(now, state);
  const there = lines.length === 0 ? ": snapshot -i" : ", where this changed:";
  return [`${closed} now in ${now.id}${there}`, ...lines.map((line) => `  ${line}`)];
}

/** A popup often reports to the page that opened it, and shows nothing itself. */
export async function openerLines({ session, tab }: TabScope): Promise<string[]> {
  if (session.tabs().length < 2) return [];
  const page = await tab.page.opener().catch(() => null);
  const opener = session.tabs().find((one) => one.page === page);
  const told = opener && lastTree(opener);
  const state = told && (await Promise.race([stateNow(opener), sleep(otherTabMs, undefined)]).catch(() => undefined));
  const lines = state ? await lateChanges(opener, told, state.tree) : [];
  if (lines.length === 0) return [];
  rememberState(opener!, state!);
  return [`in tab ${opener!.id} this changed; go there: tab ${opener!.id}`, ...lines.map((line) => `  ${line}`)];
}

export async function openedLine({ session }: TabScope, page: Page): Promise<string> {
  await page.waitForLoadState("domcontentloaded", { timeout: openedMs }).catch(() => undefined);
  const tab = session.tabs().find((one) => one.page === page);
  return tab
    ? `opened tab ${tab.id}: ${page.url()}; go there: tab ${tab.id}`
    : `opened a new tab: ${page.url()}; see: tabs`;
}
