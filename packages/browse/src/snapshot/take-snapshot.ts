/**
 * Takes a snapshot: the page as an agent reads it.
 *
 * - `takeSnapshot(tab, options)` captures the tree, folds it into the budget, asks for facts about what will be shown,
 *   and renders.
 * - `expandGroup(tab, id, range)` members of a folded group, from a fresh tree.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Frame, Locator } from "playwright-core";
import type { Tab } from "../command.ts";
import { askPage } from "../page-world/ask-page.ts";
import { isDirect } from "../page-world/direct-way.ts";
import {
  type ClickableElement,
  documentOf,
  type FrameInventory,
  type LeftOut,
  type PageRef,
} from "../page-world/questions.ts";
import { untoldDialogs } from "../receipts/log-lines.ts";
import { behindIn } from "./behind.ts";
import {
  captureTree,
  type Facts,
  factsFor,
  hasNoFrames,
  inspectFrames,
  lastTree,
  refsInView,
  rememberTree,
  wantsBoxes,
} from "./capture-tree.ts";
import { type Listening, listeningElements } from "./clickables.ts";
import { coverLine, namedOnce } from "./covers.ts";
import { diffTrees } from "./diff.ts";
import { type Fold, type FoldedOutline, fits, foldOutline, runsUnder } from "./fold.ts";
import { isInteractive } from "./interactive.ts";
import { tokensOf } from "./line.ts";
import { hearNews, newsLines } from "./news-lines.ts";
import { type Outline, type OutlineNode, type OutlineOptions, outlineOf } from "./outline.ts";
import type { PageTree } from "./page-tree.ts";
import { placeTargets } from "./place-targets.ts";
import { type RefBook, refBookOf } from "./ref-book.ts";
import { type FoldedGroup, type RenderParts, renderData, renderText, type SnapshotNode } from "./render.ts";
import { clickablesIn, editablesIn, mostListening, rememberClickables } from "./roleless-controls.ts";
import { withoutSpinners } from "./spinners.ts";
import { tellApart } from "./tell-apart.ts";
import { unreadable } from "./unreadable.ts";

export const defaultBudget = 4_000;
const frameMs = 16;
const mostSettleMs = 400;
/** The page removes what has faded a moment later. */
const mostWaits = 2;

export interface SnapshotOptions {
  readonly interactive?: boolean | undefined;
  readonly compact?: boolean | undefined;
  readonly depth?: number | undefined;
  readonly budget?: number | undefined;
  readonly within?: Locator | undefined;
  readonly scope?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Look at all elements that listen for clicks, however many they are. */
  readonly allClickables?: boolean | undefined;
  /** Include element boxes in the tree. */
  readonly boxes?: boolean | undefined;
}

export interface Snapshot {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly nodes: readonly SnapshotNode[];
  readonly folded: readonly FoldedGroup[];
  readonly notes: readonly string[];
  readonly truncated: boolean;
  readonly tokens: number;
  readonly tree: PageTree;
}

export async function takeSnapshot(tab: Tab, options: SnapshotOptions = {}, waits = 0): Promise<Snapshot> {
  const before = lastTree(tab);
  const page = await readPage(tab, options, options.boxes || wantsBoxes(tab));
  const { tree, outline, outlineOptions, inventories } = page;
  // Computed only when something has to be left out.
  let changed: ReadonlySet<PageRef> | undefined;
  // Leaves some room for the marks, which are added afterwards.
  const budget = Math.floor((options.budget ?? defaultBudget) * 0.95);
  const inView = fits(outline, budget) ? new Set() : await refsInView(tab, tree);
  const folded = foldOutline(outline, {
    budget,
    isInView: ({ page }) => page.ref !== undefined && inView.has(page.ref),
    isChanged: ({ page }) => {
      changed ??= before ? changedRefs(before, tree) : new Set();
      return page.ref !== undefined && changed.has(page.ref);
    },
  });
  const facts = await factsOf(tab, tree, folded);
  const isFading = facts.settlesMs > 0 || (waits === 1 && isAnyCovered(facts));
  if (isFading && waits < mostWaits) {
    // A backdrop fades out: soon nothing is behind it.
    await sleep(Math.min(facts.settlesMs + (waits + 1) * 2 * frameMs, mostSettleMs));
    return takeSnapshot(tab, options, waits + 1);
  }
  if (!options.within) rememberTree(tab, tree);
  for (const { news } of inventories.values()) hearNews(tab, news);
  const notes = [
    ...untoldDialogs(tab.logs),
    ...newsLines(tab, tree),
    ...(options.interactive ? behind(tree) : []),
    ...leftClickables(page.skipped),
    ...(await unreadable(tab, inventories, page.isInScope)),
  ];
  const title = inventories.get(tab.page.mainFrame())?.title ?? "";
  return finish(tab, title, tree, outline, folded, facts, outlineOptions, options.scope, notes);
}

const isAnyCovered = ({ of: facts }: Facts): boolean =>
  [...facts.values()].some(({ marks = [] }) => marks.some((mark) => mark.startsWith("covered by ")));

function factsOf(tab: Tab, tree: PageTree, folded: FoldedOutline): Promise<Facts> {
  const shown = shownIn(folded);
  return factsFor(
    tab,
    shown.map(({ page }) => page),
    tree.nodes.find(({ ref }) => ref !== undefined),
    new Set(shown.flatMap(({ interactive, page }) => (interactive ? (page.ref ?? []) : []))),
  );
}

const shownIn = ({ items }: FoldedOutline): OutlineNode[] =>
  items.flatMap((item) => (item.kind === "line" ? [item.node] : []));

type ReadOptions = SnapshotOptions & OutlineOptions;

interface ReadPage {
  /** As Playwright gives it. */
  readonly tree: PageTree;
  /** With what can be clicked without having a role. */
  readonly outline: Outline;
  readonly outlineOptions: ReadOptions;
  readonly inventories: ReadonlyMap<Frame, FrameInventory>;
  /** How many listening elements were not looked at. */
  readonly skipped: number;
  readonly isInScope: (ref: PageRef) => boolean;
}

async function readPage(tab: Tab, options: SnapshotOptions, boxes: boolean): Promise<ReadPage> {
  const { within } = options;
  const wantsClickables = options.interactive || options.allClickables;
  const most = options.allClickables ? 1_000 : mostListening;
  // Devflow's code, which names what listens, is in the frames once they have been inspected. Where it already is, this is
  // asked first: the answer is long, and is read while the page's tree is made.
  const findListening = () => (wantsClickables ? listeningElements(tab, most, within) : nobodyListens);
  const isKnown = hasNoFrames(tab) && isDirect(tab.page.mainFrame());
  const listened = isKnown ? findListening() : undefined;
  const inspected = inspectFrames(tab);
  const [first, inventories, listening] = await Promise.all([
    captureTree(tab, { ...options, boxes }),
    inspected,
    listened ?? inspected.then(findListening),
  ]);
  const all = wantsClickables ? clickablesIn(inventories.values(), listening) : [];
  const document = documentOf(first.nodes.find(({ ref }) => ref !== undefined)?.ref ?? "");
  if (wantsClickables && !within) rememberClickables(tab, document, all);
  const isInScope = await scopeOf(within, inventories, all);
  const clickables = all.filter(({ ref }) => isInScope(ref));
  const outlineOptions = {
    ...options,
    editables: editablesIn(inventories.values()),
    clickables: new Set(clickables.map(({ ref }) => ref)),
  };
  const outlineWith = (tree: PageTree): Outline => outlineOf(placeTargets(tree, clickables, true), outlineOptions);
  const read = { outlineOptions, inventories, skipped: listening.skipped, isInScope };
  const outline = outlineWith(first);
  const isNeeded = wantsBoxes(
    tab,
    outline.some(({ role, page }) => page.ref === undefined && role !== "text"),
  );
  // Boxes show why elements have no ref. Few pages have such elements; for those, boxes are captured at once next time.
  if (boxes || !isNeeded) return { ...read, tree: first, outline };
  const tree = await captureTree(tab, { ...options, boxes: true });
  return { ...read, tree, outline: outlineWith(tree) };
}

/** Whether an element without a line in the tree is part of what was asked for. */
async function scopeOf(
  within: SnapshotOptions["within"],
  inventories: ReadonlyMap<Frame, FrameInventory>,
  clickables: readonly ClickableElement[],
): Promise<(ref: PageRef) => boolean> {
  const drawn = [...inventories.values()].flatMap(({ canvases, maps, closed }) => [
    ...[...canvases, ...maps].map(({ ref }) => ref),
    ...closed,
  ]);
  const of = [...drawn, ...clickables.map(({ ref }) => ref)];
  if (!within || of.length === 0) return () => true;
  const inside = await askPage(within, { ask: "inside", of }).catch(() => []);
  const found = new Set(inside);
  return (ref) => found.has(ref);
}

export async function expandGroup(tab: Tab, id: string, range: readonly [number, number] | undefined, budget: number) {
  const place = refBookOf(tab).group(id);
  if (!place) throw new DevflowError("browse_group_unknown", { details: { group: id } });
  const { tree, outline, outlineOptions, inventories } = await readPage(tab, place.options, wantsBoxes(tab));
  const title = inventories.get(tab.page.mainFrame())?.title ?? "";
  const parent = place.parent === undefined ? -1 : outline.findIndex((node) => node.page.ref === place.parent);
  if (parent < 0 && place.parent !== undefined) {
    throw new DevflowError("browse_group_unknown", { details: { group: id } });
  }
  const members = membersOf(outline, parent, place.role, place.run);
  const [from, to] = range ?? [1, members.length];
  const chosen = members.slice(from - 1, to);
  if (chosen.length === 0) {
    throw new DevflowError("browse_group_range", { details: { group: id, count: members.length } });
  }
  const part = cutOut(outline, chosen);
  const folded = foldOutline(part, { budget });
  const facts = await factsOf(tab, tree, folded);
  const shown = finish(tab, title, tree, part, folded, facts, outlineOptions, place.scope, []);
  return { ...shown, total: members.length };
}

function finish(
  tab: Tab,
  title: string,
  tree: PageTree,
  outline: Outline,
  folded: FoldedOutline,
  facts: Facts,
  options: ReadOptions,
  scope: string | undefined,
  notes: readonly string[],
): Snapshot {
  const book = refBookOf(tab);
  const kept = withoutSpinners(folded, outline, facts.of);
  const shown = shownIn(kept);
  const named = namedOnce(shown, facts.of, options.interactive === true);
  const items = kept.items.filter((item) => item.kind === "fold" || !named.leftOut.has(item.node));
  const parts: RenderParts = {
    outline,
    folded: { ...kept, items },
    facts: tellApart(shown, named.facts),
    refOf: ({ role, page }) => {
      if (page.ref === undefined || role === "text") return undefined;
      const isFound = role === "clickable" && !page.hasPointerCursor;
      return book.refFor(page.ref, { role, name: page.name || (page.text ?? "") }, isFound ? "c" : "e");
    },
    groupOf: (fold) => book.groupFor(placeOf(outline, fold, options, scope)),
  };
  const all = [...notes, ...facts.left.map((left) => leftOutLine(left, tree, book))];
  const lines = renderText(parts);
  const over = named.covers.map((cover) => coverLine(cover, parts.refOf));
  const text = [...over, lines, ...all].filter(Boolean).join("\n");
  const data = renderData(parts);
  const truncated = folded.folded.length > 0 || facts.left.length > 0;
  return {
    url: tab.page.url(),
    title,
    text,
    ...data,
    notes: [...over, ...all],
    truncated,
    tokens: tokensOf(text),
    tree,
  };
}

/** What was not read, where it is, and how to get it. */
function leftOutLine({ total, read, places }: LeftOut, tree: PageTree, book: RefBook): string {
  const parts = places.flatMap(([ref, count]) => {
    const node = tree.nodes.find((one) => one.ref === ref);
    return node ? [`@${book.refFor(ref, node)} ${node.role} (${count} more)`] : [];
  });
  const where = parts.length === 0 ? "" : `, or a part: snapshot -s ${parts.join(", ")}`;
  return `… of ${total} elements only ${read} were read, those in view. For the others: scroll, find <words>${where}`;
}

function placeOf(outline: Outline, fold: Fold, options: ReadOptions, scope: string | undefined) {
  const parent = fold.parent < 0 ? undefined : outline[fold.parent]!.page.ref;
  const { interactive, compact, depth, allClickables } = options;
  return { parent, role: fold.role, run: fold.run, options: { interactive, compact, depth, allClickables }, scope };
}

function membersOf(outline: Outline, parent: number, role: string, run: number): number[] {
  const runs = runsUnder(outline, parent);
  if (role === "rest") return runs.flatMap(({ members }) => members).sort((a, b) => a - b);
  return [...(runs.find((found) => found.role === role && found.run === run)?.members ?? [])];
}

/** These subtrees as a separate outline. */
function cutOut(outline: Outline, roots: readonly number[]): Outline {
  const part: OutlineNode[] = [];
  for (const root of roots) {
    const { end, depth } = outline[root]!;
    const shift = root - part.length;
    for (let at = root; at < end; at++) {
      const node = outline[at]!;
      part.push({
        ...node,
        index: at - shift,
        end: node.end - shift,
        parent: at === root ? -1 : node.parent - shift,
        depth: node.depth - depth,
      });
    }
  }
  return part;
}

const nobodyListens: Listening = { elements: [], skipped: 0 };

function behind(tree: PageTree): string[] {
  const isBehind = behindIn(tree);
  const count = tree.nodes.filter((node) => isInteractive(node, noEditables) && isBehind(node)).length;
  return count === 0 ? [] : [`… ${count} behind what is open, out of reach until it is closed`];
}

const noEditables: ReadonlySet<PageRef> = new Set();

function leftClickables(skipped: number): string[] {
  return skipped > 0 ? [`… ${skipped} elements listen for clicks; those without a role: snapshot -i -C`] : [];
}

function changedRefs(before: PageTree, after: PageTree): Set<PageRef> {
  const diff = diffTrees(before, after);
  const nodes = [...diff.added, ...diff.changed.map((change) => change.after)];
  return new Set(nodes.flatMap((node) => (node.ref === undefined ? [] : [node.ref])));
}
