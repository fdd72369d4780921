/**
 * Performs an action on a page and reports what it changed.
 *
 * - `withReceipt(scope, action)` reads the page, acts, waits for the effect, reads the page again and compares.
 * - `openReceipt(scope)` for what someone else does: begins now, `finish` compares with the page as it was.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import type { Answer, TabScope } from "../command.ts";
import { documentOf } from "../page-world/questions.ts";
import { quote } from "../snapshot/line.ts";
import { newsLines } from "../snapshot/news-lines.ts";
import { type PageNode, type PageTree, wordsIn } from "../snapshot/page-tree.ts";
import { attachTab } from "../tab-events/attach-tab.ts";
import { downloadsBegun, downloadsUnderWay } from "../tab-events/downloads.ts";
import { type Found, labelOfNode } from "../targets/resolve-target.ts";
import { type Activity, watchActivity } from "./activity.ts";
import { changeLines } from "./change-lines.ts";
import { changesBetween } from "./describe-diff.ts";
import { type LogMarks, markLogs } from "./log-lines.ts";
import { type Receipt, receiptText } from "./receipt.ts";
import { seenChanges } from "./seen-changes.ts";
import {
  type PageState,
  rememberState,
  stateBefore,
  stateInView,
  type TabVersion,
  tabVersion,
  waitForEffect,
} from "./wait-for-effect.ts";

const maxChanges = 12;
/** How long to wait until a new tab has a URL. */
const openedMs = 2_000;
/** A download that takes longer is reported as started. */
const downloadMs = 3_000;

export interface ActionResult {
  /** `clicked @e3 button "Save"`; known after the action. */
  readonly did: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** What the action itself achieved, where the page may show nothing of it. */
  readonly effects?: readonly string[];
  /** How long to wait for a first sign of an effect. */
  readonly patienceMs?: number;
  /** The element acted on, if its facts are already known. */
  readonly on?: Found;
  /** The page as the action left it, if it was read along with the action. */
  readonly seen?: Promise<PageState | undefined> | undefined;
  /** The page when the next action began, if it already has: then there is nothing to wait for. */
  readonly now?: { readonly state: PageState; readonly url: string; readonly title: string } | undefined;
}

export interface Action<Prepared> {
  /** Finds what to act on. Must have no effect, since it runs while the page is being read. */
  prepare(): Promise<Prepared>;
  act(prepared: Prepared): Promise<ActionResult>;
}

export async function withReceipt<Prepared>(scope: TabScope, action: Action<Prepared>): Promise<Answer> {
  const { tab } = scope;
  const opened = openReceipt(scope);
  try {
    const [first, prepared] = await Promise.all([stateBefore(tab), action.prepare(), scope.mayAct]);
    const before = await stateInView(tab, first);
    const result = await action.act(prepared);
    const { receipt } = await opened.finish(before, result);
    return { text: receiptText(receipt), data: { ...receipt, ...result.data }, fromPage: true };
  } finally {
    opened.end();
  }
}

export interface OpenReceipt {
  /** Waits for the effect. May be called again when more was done in the meantime. */
  finish(before: PageState, result: ActionResult): Promise<{ readonly receipt: Receipt; readonly after: PageState }>;
  end(): void;
}

export function openReceipt(scope: TabScope): OpenReceipt {
  const { tab } = scope;
  const startedAt = performance.now();
  attachTab(tab);
  const downloads = downloadsBegun(tab);
  const marks = markLogs(tab.logs);
  const url = tab.page.url();
  const others = scope.session.tabs().filter((one) => one !== tab);
  const activity = watchActivity(tab, others);
  const isElsewhere = () => activity.opened.length > 0 || activity.elsewhere.size > 0;
  const hasSideEffect = () => marks.hasSideEffect() || isElsewhere() || downloadsBegun(tab) > downloads;
  return {
    async finish(before, result) {
      const { patienceMs, now: next } = result;
      const look = (seen?: ActionResult["seen"]) =>
        waitForEffect({ tab, activity, before, hasSideEffect, timeLeft: scope.timeLeft, patienceMs, seen });
      let after = next?.state ?? (await look(result.seen));
      // It may have left while it was being read: then it has another document by now.
      if (!next && tab.page.url() !== url && after.waitingFor === undefined) {
        const now = (await tabVersion(tab)).document;
        if (isOtherDocument(after.version.document, now)) after = await look();
      }
      const until = performance.now() + downloadMs;
      while (!next && downloadsUnderWay(tab) > 0 && performance.now() < until) await sleep(10);
      if (!next && after.waitingFor === undefined) rememberState(tab, after);
      const receipt = await writeReceipt(scope, result, { before, after, url, activity, marks, startedAt });
      return { receipt, after };
    },
    end: () => activity.end(),
  };
}

interface Observations {
  readonly before: PageState;
  readonly after: PageState;
  readonly url: string;
  readonly activity: Activity;
  readonly marks: LogMarks;
  readonly startedAt: number;
}

async function writeReceipt(scope: TabScope, result: ActionResult, observations: Observations): Promise<Receipt> {
  const { tab } = scope;
  const { before, after, activity, marks } = observations;
  const isNewPage = isOtherDocument(documentIn(before), documentIn(after));
  const isClosed = tab.page.isClosed();
  const nothing = { shown: [], more: 0, replaced: 0 };
  const diff = isNewPage || isClosed ? nothing : changesBetween(before.tree, after.tree, maxChanges);
  const changes = await changeLines(tab, diff.shown, result.on);
  const to = result.now?.url ?? tab.page.url();
  const focus = isNewPage ? undefined : focusOf(after.tree);
  const effects = {
    ...(after.waitingFor !== undefined && { waitingFor: after.waitingFor }),
    ...(to !== observations.url && { url: { from: observations.url, to } }),
    ...(isNewPage && { page: { title: result.now?.title ?? (await tab.page.title().catch(() => "")) } }),
    ...(focus && focus.ref !== focusOf(before.tree)?.ref && { focus: labelOfNode(tab, focus) }),
    ...(!isNewPage && scrolled(before.version, after.version)),
  };
  const isQuiet =
    !isClosed &&
    !("url" in effects || "waitingFor" in effects || isNewPage) &&
    changes.length + (result.effects?.length ?? 0) === 0;
  const shown = isQuiet && after.version.looks === undefined ? await tabVersion(tab, true) : after.version;
  const seen = isQuiet ? seenChanges(before.version, shown) : [];
  const own = [...(result.effects ?? []), ...changes, ...seen, ...(isClosed ? [closedLine(scope)] : [])];
  const alerts = isNewPage ? alertsIn(after.tree) : [];
  const lists = {
    changes: [...own, ...newsLines(tab, after.version.news, [...own, ...alerts]), ...alerts],
    console: marks.console(),
    failed: marks.failed(),
    dialogs: marks.dialogs(),
    downloads: marks.downloads(),
    opened: [
      ...(await Promise.all(activity.opened.map((page) => openedLine(scope, page)))),
      ...[...activity.elsewhere].map(({ id, page }) => `tab ${id} now shows ${page.url()}; go there: tab ${id}`),
    ],
  };
  const effect = Object.keys(effects).length > 0 || Object.values(lists).some((list) => list.length > 0);
  const ms = Math.round(performance.now() - observations.startedAt);
  return {
    did: result.did,
    ...effects,
    ...lists,
    more: diff.more,
    ...(diff.replaced > 0 && { replaced: diff.replaced }),
    effect,
    ms,
  };
}

/** An empty page has no refs, only a version; a page that hung has neither. */
const documentIn = ({ tree, version }: PageState): string =>
  documentOf(tree.nodes.find((node) => node.ref !== undefined)?.ref ?? "") || version.document;

const isOtherDocument = (before: string, after: string): boolean => before !== "" && after !== "" && before !== after;

/** A new page may open with what went wrong. */
function alertsIn(tree: PageTree): string[] {
  return tree.nodes.flatMap((node) => {
    const words = node.role === "alert" ? node.name || (node.text ?? wordsIn(tree.nodes, node)) : "";
    return words === "" ? [] : [`alert ${quote(words, 200)}`];
  });
}

/** Without generic elements: the body has the focus when nothing else has. */
function focusOf(tree: PageTree): PageNode | undefined {
  return tree.nodes.findLast(
    ({ ref, role, states }) => ref !== undefined && role !== "generic" && states.includes("focused"),
  );
}

function scrolled(before: TabVersion, after: TabVersion): { scrolled?: string } {
  if (before.x === after.x && before.y === after.y) return {};
  return { scrolled: `from ${before.x},${before.y} to ${after.x},${after.y}` };
}

/** Commands go to another tab from then on. */
function closedLine({ session, tab }: TabScope): string {
  const [first] = session.tabs().filter((one) => one !== tab);
  return `the page closed tab ${tab.id}; ${first ? `now in ${session.current().id}: snapshot -i` : "no tab is left"}`;
}

async function openedLine({ session }: TabScope, page: Page): Promise<string> {
  await page.waitForLoadState("domcontentloaded", { timeout: openedMs }).catch(() => undefined);
  const tab = session.tabs().find((one) => one.page === page);
  return tab
    ? `opened tab ${tab.id}: ${page.url()}; go there: tab ${tab.id}`
    : `opened a new tab: ${page.url()}; see: tabs`;
}
