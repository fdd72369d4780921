/**
 * What a page has: its most useful lines.
 *
 * - `newPage(tab, tree, title)` of a document that an action led to.
 * - `contentOf(tab, activity, timeLeft)` of one that has just been opened, once it has what it asks for.
 * - `sinceTold(tab)` what changed since the page was last told; of another page, what it has; undefined where it was never told, or
 *   does not answer in time.
 * - `hasChanged(tab)` whether there is something of it to tell.
 * - `linesOnReturn(tab)` the same for a tab that one comes back to, whatever was told of it.
 * - `stillLoading(activity, before, state)` what it waits for, if it does.
 * - `pathOf(url)` without what follows a `?`, which may be a secret.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Tab } from "../command.ts";
import { documentOf } from "../page-world/questions.ts";
import { lastTree } from "../snapshot/capture-tree.ts";
import { hasNews, newsLines } from "../snapshot/news-lines.ts";
import type { PageTree } from "../snapshot/page-tree.ts";
import type { Activity } from "./activity.ts";
import { isWayStation } from "./at-work.ts";
import { changeLines } from "./change-lines.ts";
import { type Change, type Changes, changesBetween, linesOfPage } from "./describe-diff.ts";
import { firstRef } from "./late-changes.ts";
import { countLine, withNewClickables } from "./new-clickables.ts";
import { atWorkLine, loadingLine, maxChanges, moreLines, type NewPage, pageLines } from "./receipt.ts";
import { isRestless } from "./restless.ts";
import { type PageState, rememberState, stateNow, waitForContent } from "./wait-for-effect.ts";

/** The largest pages take longer to read, and an agent that only wants to go there need not wait for that. */
const contentMs = 5_000;
const toldMenu = Symbol("browse told menu");
const mostOfMenu = 120;
const otherTabMs = 1_500;

export async function newPage(tab: Tab, tree: PageTree, known: string | undefined): Promise<NewPage> {
  const fresh = await withNewClickables(tab, { nodes: [] }, tree);
  const { shown, more, moreControls, moreIn, menu = [] } = linesOfPage(fresh.tree, maxChanges);
  const [title, found] = await Promise.all([known ?? tab.page.title().catch(() => ""), changeLines(tab, shown)]);
  const lines = [...found, ...countLine(fresh.wordless)];
  const untold = untoldOf(tab, menu);
  return {
    title,
    lines: lines.map((line) => line.slice("+ ".length)),
    ...{ more, moreControls, ...(moreIn && { moreIn }), ...(untold.length > 0 && { menu: untold }) },
  };
}

/** A site's menu is on all of its pages, and is used by its words: they are told once, as far as they are few. */
function untoldOf(tab: Tab, menu: readonly string[]): string[] {
  const told = tab.memory(toldMenu, () => new Set<string>());
  const untold = menu.filter((name) => !told.has(name));
  for (const name of untold) told.add(name);
  let left = mostOfMenu;
  return untold.filter((name) => {
    left -= name.length + 4;
    return left >= 0;
  });
}

export async function contentOf(tab: Tab, activity: Activity, timeLeft: () => number) {
  const reading = waitForContent(tab, activity, timeLeft).catch(() => undefined);
  const state = await Promise.race([reading, sleep(Math.max(0, Math.min(contentMs, timeLeft())), undefined)]);
  if (!state || state.tree.nodes.length === 0) return [];
  rememberState(tab, state);
  const page = await newPage(tab, state.tree, "");
  const loading = stillLoading(activity, undefined, state);
  const next = loading ? [loadingLine(loading)] : isWayStation(state.tree) ? [atWorkLine] : [];
  return [...(page.lines ?? []), ...moreLines(page), ...next];
}

export interface SinceTold {
  readonly isNewPage: boolean;
  readonly lines: readonly string[];
}

export async function sinceTold(tab: Tab, limitMs: number): Promise<SinceTold | undefined> {
  const told = lastTree(tab);
  return told && (await compared(tab, told, limitMs));
}

export async function hasChanged(tab: Tab): Promise<boolean> {
  const told = lastTree(tab);
  const state = await stateNow(tab);
  if (!told || hasNews(tab)) return true;
  if (state.tree.nodes.length === 0) return false;
  return isOther(told, state) || telling(tab, told, state).shown.length > 0;
}

export async function linesOnReturn(tab: Tab): Promise<readonly string[]> {
  const since = await compared(tab, lastTree(tab), otherTabMs);
  if (!since || since.isNewPage) return since?.lines ?? [];
  return since.lines.length === 0 ? ["as you left it: snapshot -i"] : ["changed since you left it:", ...since.lines];
}

async function compared(tab: Tab, told: PageTree | undefined, limitMs: number): Promise<SinceTold | undefined> {
  const state = await Promise.race([stateNow(tab), sleep(limitMs, undefined)]).catch(() => undefined);
  if (!state) return undefined;
  rememberState(tab, state);
  const isNewPage = told === undefined || isOther(told, state);
  if (isNewPage) return { isNewPage, lines: pageLines(await newPage(tab, state.tree, undefined)) };
  const found = telling(tab, told, state);
  const changes = await changeLines(tab, found.shown);
  return { isNewPage, lines: [...changes, ...newsLines(tab, changes), ...moreLines(found)] };
}

const isOther = (told: PageTree, { tree }: PageState): boolean =>
  documentOf(firstRef(told)) !== documentOf(firstRef(tree));

/** Without clocks and counters. */
function telling(tab: Tab, told: PageTree, { tree }: PageState): Changes {
  const changes = changesBetween(told, tree, maxChanges);
  const isTick = (change: Change) => change.kind === "changed" && isRestless(tab, tree, change.change);
  return { ...changes, shown: changes.shown.filter((change) => !isTick(change)) };
}

export const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname : url);

export function stillLoading(
  activity: Activity,
  before: PageState | undefined,
  { version }: PageState,
): string | undefined {
  const [method = "", url = ""] = activity.unanswered()?.split(" ") ?? [];
  if (url !== "") return `${method} ${pathOf(url)}`;
  return version.busy && !before?.version.busy ? "the page says so" : undefined;
}
