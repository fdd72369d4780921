/**
 * Takes a snapshot: the page as an agent reads it.
 *
 * - `takeSnapshot(tab, options)` captures the tree, folds it into the budget, asks for facts about what will be shown,
 *   and renders.
 * - `expandGroup(tab, id, range)` members of a folded group, from a fresh tree.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Frame, Locator } from "playwright-core";
import type { Tab } from "../command.ts";
import { askPage } from "../page-world/ask-page.ts";
import { isDirect } from "../page-world/direct-way.ts";
import type { ClickableElement, FrameInventory, LeftOut, PageRef } from "../page-world/questions.ts";
import {
  captureTree,
  factsFor,
  hasNoFrames,
  inspectFrames,
  lastTree,
  refsInView,
  rememberTree,
  wantsBoxes,
} from "./capture-tree.ts";
import { clickableLines, type Listening, listeningElements } from "./clickables.ts";
import { diffTrees } from "./diff.ts";
import { type Fold, type FoldedOutline, fits, foldOutline, runsUnder } from "./fold.ts";
import { tokensOf } from "./line.ts";
import { newsLines } from "./news-lines.ts";
import { type Outline, type OutlineNode, type OutlineOptions, outlineOf } from "./outline.ts";
import type { PageTree } from "./page-tree.ts";
import { type RefBook, refBookOf } from "./ref-book.ts";
import { type FoldedGroup, type RenderParts, renderData, renderText, type SnapshotNode } from "./render.ts";
import { unreadable } from "./unreadable.ts";

export const defaultBudget = 4_000;

export interface SnapshotOptions {
  readonly interactive?: boolean | undefined;
  readonly compact?: boolean | undefined;
  readonly depth?: number | undefined;
  readonly budget?: number | undefined;
  readonly within?: Locator | undefined;
  readonly scope?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Look at all elements that listen for clicks, however many they are. */
  readonly clickables?: boolean | undefined;
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

export async function takeSnapshot(tab: Tab, options: SnapshotOptions = {}): Promise<Snapshot> {
  const before = lastTree(tab);
  const boxes = options.boxes || wantsBoxes(tab);
  const wantsClickables = options.interactive || options.clickables;
  // Each listening element takes a round trip.
  const limits = options.clickables ? { listening: 1_000, others: 500 } : { listening: 150, others: 20 };
  // Devflow's code, which names what listens, is in the frames once they have been inspected. Where it already is, this is
  // asked first: the answer is long, and is read while the page's tree is made.
  const findListening = () => (wantsClickables ? listeningElements(tab, limits.listening) : nobodyListens);
  const isKnown = hasNoFrames(tab) && isDirect(tab.page.mainFrame());
  const listened = isKnown ? findListening() : undefined;
  const inspected = inspectFrames(tab);
  const [first, inventories, listening] = await Promise.all([
    captureTree(tab, { ...options, boxes }),
    inspected,
    listened ?? inspected.then(findListening),
  ]);
  const title = inventories.get(tab.page.mainFrame())?.title ?? "";
  const clickables = wantsClickables ? clickablesOf(inventories.values(), listening) : [];
  const outlineOptions = {
    ...options,
    editables: editablesOf(inventories.values()),
    clickables: new Set(clickables.map(({ ref }) => ref)),
  };
  const { tree, outline } = await withBoxesIfNeeded(tab, options, outlineOptions, first, boxes);
  if (!options.within) rememberTree(tab, tree);
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
  // Text without an element of its own in the tree has no place there.
  const known = new Set(tree.nodes.map(({ ref }) => ref));
  const isInScope = await scopeOf(options.within, inventories, clickables);
  const others = clickables.filter(({ ref }) => !known.has(ref) && isInScope(ref));
  const notes = [
    ...newsLines(
      tab,
      [...inventories.values()].flatMap(({ news }) => news),
      tree,
    ),
    ...leftClickables(others.length - limits.others, listening.skipped),
    ...(await unreadable(tab, inventories, isInScope)),
  ];
  return finish(
    tab,
    title,
    tree,
    outline,
    folded,
    outlineOptions,
    options.scope,
    notes,
    others.slice(0, limits.others),
  );
}

/** Whether an element without a line in the tree is part of what was asked for. */
async function scopeOf(
  within: SnapshotOptions["within"],
  inventories: ReadonlyMap<Frame, FrameInventory>,
  clickables: readonly ClickableElement[],
): Promise<(ref: PageRef) => boolean> {
  const drawn = [...inventories.values()].flatMap(({ canvases, closed }) => [
    ...canvases.map(({ ref }) => ref),
    ...closed,
  ]);
  const of = [...drawn, ...clickables.map(({ ref }) => ref)];
  if (!within || of.length === 0) return () => true;
  const inside = await askPage(within, { ask: "inside", of }).catch(() => []);
  const found = new Set(inside);
  return (ref) => found.has(ref);
}

/** Boxes show why elements have no ref. Few pages have such elements; for those, boxes are captured at once next time. */
async function withBoxesIfNeeded(
  tab: Tab,
  options: SnapshotOptions,
  outlineOptions: OutlineOptions,
  first: PageTree,
  hasBoxes: boolean,
): Promise<{ tree: PageTree; outline: Outline }> {
  const outline = outlineOf(first, outlineOptions);
  const isNeeded = wantsBoxes(
    tab,
    outline.some(({ role, page }) => page.ref === undefined && role !== "text"),
  );
  if (hasBoxes || !isNeeded) return { tree: first, outline };
  const tree = await captureTree(tab, { ...options, boxes: true });
  return { tree, outline: outlineOf(tree, outlineOptions) };
}

export async function expandGroup(tab: Tab, id: string, range: readonly [number, number] | undefined, budget: number) {
  const place = refBookOf(tab).group(id);
  if (!place) throw new DevflowError("browse_group_unknown", { details: { group: id } });
  const [tree, title] = await Promise.all([
    captureTree(tab, { boxes: wantsBoxes(tab) }),
    tab.page.title().catch(() => ""),
  ]);
  const outline = outlineOf(tree, place.options);
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
  return { ...(await finish(tab, title, tree, part, folded, place.options, place.scope, [])), total: members.length };
}

async function finish(
  tab: Tab,
  title: string,
  tree: PageTree,
  outline: Outline,
  folded: FoldedOutline,
  options: OutlineOptions,
  scope: string | undefined,
  notes: readonly string[],
  others: readonly ClickableElement[] = [],
): Promise<Snapshot> {
  const book = refBookOf(tab);
  const shown = folded.items.flatMap((item) => (item.kind === "line" ? [item.node.page] : []));
  const facts = await factsFor(
    tab,
    shown,
    tree.nodes.find(({ ref }) => ref !== undefined),
    options.clickables,
  );
  const parts: RenderParts = {
    outline,
    folded,
    facts: facts.of,
    refOf: ({ role, page }) => {
      if (page.ref === undefined || role === "text") return undefined;
      const isFound = role === "clickable" && !page.hasPointerCursor;
      return book.refFor(page.ref, { role, name: page.name || (page.text ?? "") }, isFound ? "c" : "e");
    },
    groupOf: (fold) => book.groupFor(placeOf(outline, fold, options, scope)),
  };
  const all = [...notes, ...facts.left.map((left) => leftOutLine(left, tree, book))];
  const lines = renderText(parts);
  const more = clickableLines(tab, others);
  const text = [lines, ...more.lines, ...all].filter(Boolean).join("\n");
  const { nodes, folded: groups } = renderData(parts);
  const data = { nodes: [...nodes, ...more.nodes], folded: groups };
  const truncated = folded.folded.length > 0 || facts.left.length > 0;
  return { url: tab.page.url(), title, text, ...data, notes: all, truncated, tokens: tokensOf(text), tree };
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

function placeOf(outline: Outline, fold: Fold, options: OutlineOptions, scope: string | undefined) {
  const parent = fold.parent < 0 ? undefined : outline[fold.parent]!.page.ref;
  return { parent, role: fold.role, run: fold.run, options, scope };
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

function editablesOf(inventories: Iterable<FrameInventory>): ReadonlySet<PageRef> {
  return new Set([...inventories].flatMap((inventory) => inventory.editables));
}

const nobodyListens: Listening = { elements: [], skipped: 0 };

function clickablesOf(inventories: Iterable<FrameInventory>, { elements }: Listening): ClickableElement[] {
  const all = [...[...inventories].flatMap((inventory) => inventory.clickables), ...elements];
  const byRef = new Map(all.filter(({ holdsControls }) => !holdsControls).map((one) => [one.ref, one]));
  return [...byRef.values()];
}

function leftClickables(more: number, skipped: number): string[] {
  return [
    ...(more > 0 ? [`… ${more} more clickable elements without a role: snapshot -i -C`] : []),
    ...(skipped > 0 ? [`… ${skipped} elements listen for clicks; those without a role: snapshot -i -C`] : []),
  ];
}

function changedRefs(before: PageTree, after: PageTree): Set<PageRef> {
  const diff = diffTrees(before, after);
  const nodes = [...diff.added, ...diff.changed.map((change) => change.after)];
  return new Set(nodes.flatMap((node) => (node.ref === undefined ? [] : [node.ref])));
}
