/**
 * Does something to a page and says what that changed.
 *
 * - `withReceipt(scope, act)` looks, acts, waits for the effect, looks again and compares.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, TabScope } from "../command.ts";
import { documentOf, type Pulse } from "../page-world/questions.ts";
import { isField } from "../snapshot/interactive.ts";
import { factsFor, lookAt, rememberLook } from "../snapshot/look.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { refBookOf } from "../snapshot/ref-book.ts";
import { attachTab } from "../tab-events/attach-tab.ts";
import { downloadsBegun, downloadsUnderWay } from "../tab-events/downloads.ts";
import { labelOfNode } from "../targets/resolve-target.ts";
import { type Activity, watchActivity } from "./activity.ts";
import { type Change, changesBetween, changeText } from "./describe-diff.ts";
import { type LogMarks, markLogs } from "./log-lines.ts";
import { type Receipt, receiptText } from "./receipt.ts";
import { pulseOf, settle } from "./settle.ts";

const mostChanges = 12;
/** A page that changes all the time is looked at again for so long, then taken as it is. */
const restlessMs = 120;
/** A download that takes longer is told as begun. */
const downloadMs = 3_000;

export interface Deed {
  /** `clicked @e3 button "Save"`; known after it was done. */
  readonly did: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export async function withReceipt(scope: TabScope, act: () => Promise<Deed>): Promise<Answer> {
  const { tab } = scope;
  const startedAt = performance.now();
  attachTab(tab);
  const downloads = downloadsBegun(tab);
  const marks = markLogs(tab.logs);
  const url = tab.page.url();
  const activity = watchActivity(tab.page);
  try {
    const before = await glance(scope);
    const deed = await act();
    const isDownloading = () => downloadsUnderWay(tab) > 0;
    const told = () => marks.told() || activity.opened.length > 0 || downloadsBegun(tab) > downloads;
    await settle(tab, activity, before.pulse.version, told);
    const until = performance.now() + downloadMs;
    while (isDownloading() && performance.now() < until) await sleep(10);
    const after = await glanceWhenStill(scope);
    rememberLook(tab, after.tree);
    const receipt = await writeReceipt(scope, deed, { before, after, url, activity, marks, startedAt });
    return { text: receiptText(receipt), data: { ...receipt, ...deed.data }, fromPage: true };
  } finally {
    activity.end();
  }
}

interface Glance {
  readonly tree: PageTree;
  readonly pulse: Pulse;
}

async function glance({ tab }: TabScope): Promise<Glance> {
  const [pulse, tree] = await Promise.all([pulseOf(tab), lookAt(tab).catch(() => ({ nodes: [] }))]);
  return { pulse, tree };
}

/** Both pulses and the look between them are sent together, so a quiet page costs one round trip. */
async function glanceWhenStill(scope: TabScope): Promise<Glance> {
  const until = performance.now() + restlessMs;
  for (;;) {
    const [{ pulse, tree }, later] = await Promise.all([glance(scope), pulseOf(scope.tab)]);
    if (pulse.version === later.version || performance.now() > until) return { pulse: later, tree };
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
  const isNewPage = documentIn(before.tree) !== documentIn(after.tree) && documentIn(after.tree) !== "";
  const told = isNewPage ? { shown: [], more: 0 } : changesBetween(before.tree, after.tree, mostChanges);
  const changes = await changeLines(scope, told.shown);
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
    opened: await Promise.all(activity.opened.map((page) => openedLine(page))),
  };
  const effect = Object.keys(effects).length > 0 || Object.values(lists).some((list) => list.length > 0);
  const ms = Math.round(performance.now() - evidence.startedAt);
  return { did: deed.did, ...effects, ...lists, more: told.more, effect, ms };
}

async function changeLines({ tab }: TabScope, changes: readonly Change[]): Promise<string[]> {
  const book = refBookOf(tab);
  const nodes = changes.map((change) => (change.kind === "changed" ? change.change.after : change.node.page));
  const facts = await factsFor(tab, nodes.filter(isField));
  const refOf = (node: PageNode) =>
    node.ref === undefined || node.role === "generic" ? undefined : book.refFor(node.ref, node);
  return changes.map((change, at) => changeText(change, refOf, facts.get(nodes[at]!.ref ?? "")));
}

const documentIn = (tree: PageTree): string => documentOf(tree.nodes.find((node) => node.ref !== undefined)?.ref ?? "");

/** The page's body has the focus when nothing has. */
function focusOf(tree: PageTree): PageNode | undefined {
  return tree.nodes.findLast((node) => node.ref !== undefined && node.parent >= 0 && node.states.includes("focused"));
}

function scrolled(before: Pulse, after: Pulse): { scrolled?: string } {
  if (before.x === after.x && before.y === after.y) return {};
  return { scrolled: `from ${before.x},${before.y} to ${after.x},${after.y}` };
}

async function openedLine(page: { url(): string; title(): Promise<string> }): Promise<string> {
  return `opened a new tab: ${page.url()}; see: tabs`;
}
