/**
 * Captures a tab's accessibility tree and asks the page's frames for what the tree lacks.
 *
 * - `captureTree(tab)` the whole tree of the tab's frame.
 * - `lastTree(tab)`, `rememberTree(tab, tree)` the previous tree, for diffs.
 * - `refsInView(tab, tree)` the refs that are in view.
 * - `inspectFrames(tab)` editable elements, canvases and possible closed shadow roots of each frame.
 * - `factsFor(tab, nodes)` marks, values and secrets of the nodes that will be shown, frame by frame.
 */
import type { Frame, Locator, Page } from "playwright-core";
import type { Tab } from "../command.ts";
import { askPage, preparePages } from "../page-world/ask-page.ts";
import { askDirectly } from "../page-world/direct-way.ts";
import {
  documentOf,
  type Fact,
  type FrameInventory,
  type Labels,
  type LeftOut,
  numberOf,
  type PageRef,
} from "../page-world/questions.ts";
import { noteHeirs } from "./heirs.ts";
import { isField, isInteractive } from "./interactive.ts";
import { withLostWords } from "./lost-words.ts";
import { type PageNode, type PageTree, readPageTree } from "./page-tree.ts";
import { placeTargets } from "./place-targets.ts";
import { refBookOf } from "./ref-book.ts";
import { patienceWith, stayOnPage } from "./stay-on-page.ts";

interface TreeMemory {
  last: PageTree | undefined;
  /** The last snapshot showed elements without a ref; their boxes show why they have none. */
  wantsBoxes: boolean;
  readonly frames: Map<string, Frame>;
}

const treeMemoryKey = Symbol("browse trees");
const treeMemoryOf = (tab: Tab): TreeMemory =>
  tab.memory(treeMemoryKey, () => ({ last: undefined, wantsBoxes: false, frames: new Map() }));

export interface CaptureOptions {
  readonly within?: Locator | undefined;
  readonly signal?: AbortSignal | undefined;
  /** On a page too large to be read whole, read what matches instead of what is in view. */
  readonly pattern?: string | undefined;
  /** Include element boxes. This takes half as long again: 136 instead of 89 ms on a page of 1,800 elements. */
  readonly boxes?: boolean | undefined;
}

export async function captureTree(tab: Tab, options: CaptureOptions = {}): Promise<PageTree> {
  await preparePages();
  const frame = tab.frame();
  if (options.pattern !== undefined) {
    const question = { ask: "lookFor", pattern: options.pattern } as const;
    await Promise.all(liveFrames(tab).map((one) => askPage(one, question, { timeoutMs: 3_000 }).catch(() => null)));
  }
  const whole: Page | Locator = frame === tab.page.mainFrame() ? tab.page : frame.locator("body,frameset").first();
  const boxes = options.boxes ?? false;
  const isWhole = options.within === undefined && frame === tab.page.mainFrame();
  return await stayOnPage(tab, options.signal, async (signal) => {
    const direct = isWhole && hasNoFrames(tab) ? await treeDirectly(frame, boxes, signal) : undefined;
    if (direct) return direct;
    const [json, labels] = await Promise.all([
      (options.within ?? whole).ariaSnapshotJSON({ mode: "ai", boxes, timeout: readMs, signal }),
      labelsIn(tab),
    ]);
    return labelledTree(json, labels, isWhole);
  });
}

/** Of all frames; a frame that hangs has none. */
async function labelsIn(tab: Tab): Promise<Required<Labels>> {
  const timeoutMs = patienceWith(tab, 3_000);
  const asked = liveFrames(tab).map((frame) => askPage(frame, { ask: "labels" }, { timeoutMs }).catch(() => undefined));
  const all = (await Promise.all(asked)).filter((answer) => answer !== undefined);
  return {
    labelled: all.flatMap(({ labelled = [] }) => labelled),
    frames: all.flatMap(({ frames = [] }) => frames),
    values: all.flatMap(({ values = [] }) => values),
    icons: all.flatMap(({ icons = [] }) => icons),
  };
}

/** As the page itself gives it. */
export const treeFrom = (json: unknown, labels: Labels): PageTree => labelledTree(json, labels, true);

function labelledTree(json: unknown, labels: Labels, isWhole: boolean): PageTree {
  const { labelled = [], frames = [] } = labels;
  const tree = withLostWords(readPageTree(json), labels);
  const titles = new Map(frames.map(({ ref, title }) => [ref, title]));
  const titled = (node: PageNode): PageNode => {
    const title = node.role === "iframe" && node.ref !== undefined ? titles.get(node.ref) : undefined;
    return title === undefined ? node : { ...node, title };
  };
  const named = titles.size === 0 ? tree : { ...tree, nodes: tree.nodes.map(titled) };
  return placeTargets(named, labelled, isWhole);
}

const readMs = 15_000;

/** Frames are read by Playwright, which puts their trees together. */
export const hasNoFrames = (tab: Tab): boolean => tab.page.frames().length === 1;

async function treeDirectly(frame: Frame, boxes: boolean, signal: AbortSignal): Promise<PageTree | undefined> {
  const answer = await askDirectly(frame, { ask: "tree", boxes }, { timeoutMs: readMs, signal });
  const { tree, inView, ...labels } = answer?.value ?? { tree: null };
  if (tree === null) return undefined;
  return { ...treeFrom(tree, labels), ...(inView && { inView: new Set(inView) }) };
}

export function lastTree(tab: Tab): PageTree | undefined {
  return treeMemoryOf(tab).last;
}

export function rememberTree(tab: Tab, tree: PageTree): void {
  const memory = treeMemoryOf(tab);
  if (memory.last && memory.last !== tree) noteHeirs(refBookOf(tab), memory.last, tree);
  memory.last = tree;
}

/** Whether boxes are likely to be needed. `now` is what the current snapshot needs. */
export function wantsBoxes(tab: Tab, now?: boolean): boolean {
  const memory = treeMemoryOf(tab);
  if (now !== undefined) memory.wantsBoxes = now;
  return memory.wantsBoxes;
}

/** The refs in view of their own frame, for all frames; the frame itself may be out of view. */
export async function refsInView(tab: Tab, tree: PageTree): Promise<ReadonlySet<PageRef>> {
  const byDocument = Map.groupBy(
    tree.nodes.flatMap(({ ref }) => ref ?? []),
    (ref) => documentOf(ref),
  );
  const found = await Promise.all(
    [...byDocument.values()].map(async (refs) => {
      const seen = tree.inView ?? new Set(await numbersInView(tab, refs[0]!));
      return refs.filter((ref) => seen.has(numberOf(ref)));
    }),
  );
  return new Set(found.flat());
}

async function numbersInView(tab: Tab, ref: PageRef): Promise<readonly number[] | undefined> {
  const frame = await frameOf(tab, ref);
  if (!frame) return undefined;
  return await askPage(frame, { ask: "inView" }, { timeoutMs: patienceWith(tab, 5_000) }).catch(() => undefined);
}

/** An inventory of each frame. Frames that are added or removed meanwhile are left out. */
export async function inspectFrames(tab: Tab): Promise<ReadonlyMap<Frame, FrameInventory>> {
  const inventories = new Map<Frame, FrameInventory>();
  const { frames } = treeMemoryOf(tab);
  for (const [document, frame] of frames) if (frame.isDetached()) frames.delete(document);
  await Promise.all(
    liveFrames(tab).map(async (frame) => {
      const inventory = await askPage(frame, { ask: "inventory" }, { timeoutMs: patienceWith(tab, 3_000) }).catch(
        () => undefined,
      );
      if (!inventory) return;
      inventories.set(frame, inventory);
      frames.set(inventory.document, frame);
    }),
  );
  return inventories;
}

export function liveFrames(tab: Tab): Frame[] {
  return tab.page.frames().filter((frame) => !frame.isDetached());
}

/**
 * The frame whose document assigned this ref; undefined when no frame has that document. A frame that has navigated since
 * is not detected here: its new document does not know the ref, which has the same result.
 */
export async function frameOf(tab: Tab, ref: PageRef): Promise<Frame | undefined> {
  const { frames } = treeMemoryOf(tab);
  const wanted = documentOf(ref);
  const known = frames.get(wanted);
  if (known && !known.isDetached()) return known;
  await Promise.all(
    liveFrames(tab).map(async (frame) => {
      const current = await askPage(frame, { ask: "document" }, { timeoutMs: patienceWith(tab, 3_000) }).catch(
        () => undefined,
      );
      if (current) frames.set(current, frame);
    }),
  );
  const found = frames.get(wanted);
  return found?.isDetached() ? undefined : found;
}

export interface Facts {
  readonly of: ReadonlyMap<PageRef, Fact>;
  /** Of each document that was too large to be read whole. */
  readonly left: readonly LeftOut[];
  /** For how long something that covers one of them will still fade or move. */
  readonly settlesMs: number;
}

/**
 * `also` is a node of a document that is asked even if none of its nodes is shown: what it left out must be said.
 * `clickables` have no role, so without words they need a hint, too.
 */
export async function factsFor(
  tab: Tab,
  nodes: readonly PageNode[],
  also?: PageNode,
  clickables = noEditables,
): Promise<Facts> {
  const byDocument = Map.groupBy(
    [...nodes, ...(also ? [also] : [])].filter((node) => node.ref !== undefined),
    (node) => documentOf(node.ref!),
  );
  const facts = new Map<PageRef, Fact>();
  const left: LeftOut[] = [];
  let settlesMs = 0;
  await Promise.all(
    [...byDocument].map(async ([document, group]) => {
      const frame = await frameOf(tab, group[0]!.ref!);
      if (!frame) return;
      const byNumber = new Map(group.map((node) => [numberOf(node.ref!), node.ref!]));
      const wordless = group.filter((node) => isWordless(node, clickables)).map(({ ref }) => numberOf(ref!));
      const question = { ask: "facts", of: [...byNumber.keys()], wordless, document } as const;
      const answer = await askPage(frame, question, { timeoutMs: patienceWith(tab, readMs) }).catch(() => undefined);
      for (const [number, fact] of Object.entries(answer?.found ?? {})) facts.set(byNumber.get(Number(number))!, fact);
      if (answer?.left) left.push(answer.left);
      settlesMs = Math.max(settlesMs, answer?.settlesMs ?? 0);
    }),
  );
  return { of: facts, left, settlesMs };
}

const noEditables: ReadonlySet<PageRef> = new Set();
export const isWordless = (node: PageNode, clickables: ReadonlySet<PageRef> = noEditables): boolean =>
  node.name === "" &&
  (node.text === undefined || isField(node)) &&
  !node.placeholder &&
  isInteractive(node, clickables);
