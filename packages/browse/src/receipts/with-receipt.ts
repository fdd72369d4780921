/**
 * Does something to a page and says what that changed.
 *
 * - `withReceipt(scope, action)` looks, acts, waits for the effect, looks again and compares.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import type { Answer, TabScope } from "../command.ts";
import { documentOf } from "../page-world/questions.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { attachTab } from "../tab-events/attach-tab.ts";
import { downloadsBegun, downloadsUnderWay } from "../tab-events/downloads.ts";
import { type Found, labelOfNode } from "../targets/resolve-target.ts";
import { type Activity, watchActivity } from "./activity.ts";
import { changeLines } from "./change-lines.ts";
import { changesBetween } from "./describe-diff.ts";
import { type LogMarks, markLogs } from "./log-lines.ts";
import { type Receipt, receiptText } from "./receipt.ts";
import { type Glance, glanceBefore, rememberGlance, settle, type TabPulse } from "./settle.ts";

const maxChanges = 12;
/** Until a new tab has an address to tell. */
const openedMs = 2_000;
/** A download that takes longer is told as begun. */
const downloadMs = 3_000;

export interface Deed {
  /** `clicked @e3 button "Save"`; known after it was done. */
  readonly did: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** What it was done to, when the page has already told about it. */
  readonly on?: Found;
}

export interface Action<Prepared> {
  /** Finds what to act on. May take no effect, since it happens while the page is looked at. */
  prepare(): Promise<Prepared>;
  act(prepared: Prepared): Promise<Deed>;
}

export async function withReceipt<Prepared>(scope: TabScope, action: Action<Prepared>): Promise<Answer> {
  const { tab } = scope;
  const startedAt = performance.now();
  attachTab(tab);
  const downloads = downloadsBegun(tab);
  const marks = markLogs(tab.logs);
  const url = tab.page.url();
  const activity = watchActivity(tab.page);
  try {
    const [before, prepared] = await Promise.all([glanceBefore(tab), action.prepare()]);
    const deed = await action.act(prepared);
    const told = () => marks.told() || activity.opened.length > 0 || downloadsBegun(tab) > downloads;
    const after = await settle({ tab, activity, before, told });
    const until = performance.now() + downloadMs;
    while (downloadsUnderWay(tab) > 0 && performance.now() < until) await sleep(10);
    rememberGlance(tab, after);
    const receipt = await writeReceipt(scope, deed, { before, after, url, activity, marks, startedAt });
    return { text: receiptText(receipt), data: { ...receipt, ...deed.data }, fromPage: true };
  } finally {
    activity.end();
  }
}

interface Evidence {
  readonly before: Glance;
  readonly after: Glance;
  readonly url: string;
  readonly activity: Activity;
  readonly marks: LogMarks;
  readonly startedAt: number;
}

async function writeReceipt(scope: TabScope, deed: Deed, evidence: Evidence): Promise<Receipt> {
  const { tab } = scope;
  const { before, after, activity, marks } = evidence;
  const isNewPage = isOtherDocument(documentIn(before), documentIn(after));
  const told = isNewPage ? { shown: [], more: 0 } : changesBetween(before.tree, after.tree, maxChanges);
  const changes = await changeLines(tab, told.shown, deed.on);
  const to = tab.page.url();
  const focus = isNewPage ? undefined : focusOf(after.tree);
  const effects = {
    ...(to !== evidence.url && { url: { from: evidence.url, to } }),
    ...(isNewPage && { page: { title: await tab.page.title().catch(() => "") } }),
    ...(focus && focus.ref !== focusOf(before.tree)?.ref && { focus: labelOfNode(tab, focus) }),
    ...(!isNewPage && scrolled(before.pulse, after.pulse)),
  };
  const lists = {
    changes,
    console: marks.console(),
    failed: marks.failed(),
    dialogs: marks.dialogs(),
    downloads: marks.downloads(),
    opened: await Promise.all(activity.opened.map((page) => openedLine(scope, page))),
  };
  const effect = Object.keys(effects).length > 0 || Object.values(lists).some((list) => list.length > 0);
  const ms = Math.round(performance.now() - evidence.startedAt);
  return { did: deed.did, ...effects, ...lists, more: told.more, effect, ms };
}

/** Of an empty page only the pulse tells; of one that hung, nothing does. */
const documentIn = ({ tree, pulse }: Glance): string =>
  documentOf(tree.nodes.find((node) => node.ref !== undefined)?.ref ?? "") || pulse.document;

const isOtherDocument = (before: string, after: string): boolean => before !== "" && after !== "" && before !== after;

/** The body has the focus when nothing has. */
function focusOf(tree: PageTree): PageNode | undefined {
  return tree.nodes.findLast(
    ({ ref, role, states }) => ref !== undefined && role !== "generic" && states.includes("focused"),
  );
}

function scrolled(before: TabPulse, after: TabPulse): { scrolled?: string } {
  if (before.x === after.x && before.y === after.y) return {};
  return { scrolled: `from ${before.x},${before.y} to ${after.x},${after.y}` };
}

async function openedLine({ session }: TabScope, page: Page): Promise<string> {
  await page.waitForLoadState("domcontentloaded", { timeout: openedMs }).catch(() => undefined);
  const tab = session.tabs().find((one) => one.page === page);
  return tab
    ? `opened tab ${tab.id}: ${page.url()}; go there: tab ${tab.id}`
    : `opened a new tab: ${page.url()}; see: tabs`;
}
