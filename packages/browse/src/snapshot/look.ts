/**
 * One look at a tab: its tree now, and what the page's world adds to it.
 *
 * - `lookAt(tab)` the whole tree of the tab's frame, remembered as the last one.
 * - `lastLook(tab)` the tree of the look before, for diffs.
 * - `refsInView(tab, tree)` what of it is in view.
 * - `factsFor(tab, nodes)` marks, values and secrets of the nodes that will be shown, asked frame by frame.
 */
import type { Frame, Locator, Page } from "playwright-core";
import type { Tab } from "../command.ts";
import { askPage, preparePages } from "../page-world/ask-page.ts";
import { documentOf, type Fact, numberOf, type PageRef, type Survey } from "../page-world/questions.ts";
import { type PageNode, type PageTree, readPageTree } from "./page-tree.ts";

interface Looks {
  last: PageTree | undefined;
  /** The last snapshot showed elements without a ref, whose boxes tell why they have none. */
  wantsBoxes: boolean;
  readonly frames: Map<string, Frame>;
}

const looksOfTab = Symbol("browse looks");
const looksOf = (tab: Tab): Looks =>
  tab.memory(looksOfTab, () => ({ last: undefined, wantsBoxes: false, frames: new Map() }));

export interface LookOptions {
  readonly within?: Locator | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Where everything is. It makes a look half as long again: 136 instead of 89 ms on a page of 1,800 elements. */
  readonly boxes?: boolean | undefined;
}

export async function lookAt(tab: Tab, options: LookOptions = {}): Promise<PageTree> {
  await preparePages();
  const frame = tab.frame();
  const whole: Page | Locator = frame === tab.page.mainFrame() ? tab.page : frame.locator("body,frameset").first();
  const json = await (options.within ?? whole).ariaSnapshotJSON({
    mode: "ai",
    boxes: options.boxes ?? false,
    timeout: 15_000,
    ...(options.signal && { signal: options.signal }),
  });
  return readPageTree(json);
}

export function lastLook(tab: Tab): PageTree | undefined {
  return looksOf(tab).last;
}

export function rememberLook(tab: Tab, tree: PageTree): void {
  looksOf(tab).last = tree;
}

/** Are boxes likely to be wanted? `now` is what the snapshot that was just taken says. */
export function wantsBoxes(tab: Tab, now?: boolean): boolean {
  const looks = looksOf(tab);
  if (now !== undefined) looks.wantsBoxes = now;
  return looks.wantsBoxes;
}

/** The refs of what is in view, of all frames; what is in a frame that is out of view counts too. */
export async function refsInView(tab: Tab, tree: PageTree): Promise<ReadonlySet<PageRef>> {
  const byDocument = Map.groupBy(
    tree.nodes.flatMap(({ ref }) => ref ?? []),
    (ref) => documentOf(ref),
  );
  const found = await Promise.all(
    [...byDocument.values()].map(async (refs) => {
      const frame = await frameOf(tab, refs[0]!);
      const numbers = frame && (await askPage(frame, { ask: "inView" }, { timeoutMs: 5_000 }).catch(() => undefined));
      const seen = new Set(numbers);
      return refs.filter((ref) => seen.has(numberOf(ref)));
    }),
  );
  return new Set(found.flat());
}

/** What Devflow's world says of each frame that is there. Frames that come and go meanwhile are left out. */
export async function surveyFrames(tab: Tab): Promise<ReadonlyMap<Frame, Survey>> {
  const surveys = new Map<Frame, Survey>();
  const { frames } = looksOf(tab);
  for (const [document, frame] of frames) if (frame.isDetached()) frames.delete(document);
  await Promise.all(
    liveFrames(tab).map(async (frame) => {
      const survey = await askPage(frame, { ask: "survey" }, { timeoutMs: 3_000 }).catch(() => undefined);
      if (!survey) return;
      surveys.set(frame, survey);
      frames.set(survey.document, frame);
    }),
  );
  return surveys;
}

function liveFrames(tab: Tab): Frame[] {
  return tab.page.frames().filter((frame) => !frame.isDetached());
}

/**
 * The frame whose document gave this ref; undefined when none has that document. A frame that has gone on to another
 * document since is not noticed here: its new document knows no such ref, which is the same as gone.
 */
export async function frameOf(tab: Tab, ref: PageRef): Promise<Frame | undefined> {
  const { frames } = looksOf(tab);
  const wanted = documentOf(ref);
  const known = frames.get(wanted);
  if (known && !known.isDetached()) return known;
  await Promise.all(
    liveFrames(tab).map(async (frame) => {
      const current = await askPage(frame, { ask: "document" }, { timeoutMs: 3_000 }).catch(() => undefined);
      if (current) frames.set(current, frame);
    }),
  );
  const found = frames.get(wanted);
  return found?.isDetached() ? undefined : found;
}

export async function factsFor(tab: Tab, nodes: readonly PageNode[]): Promise<ReadonlyMap<PageRef, Fact>> {
  const byDocument = Map.groupBy(
    nodes.filter((node) => node.ref !== undefined),
    (node) => documentOf(node.ref!),
  );
  const facts = new Map<PageRef, Fact>();
  if (byDocument.size === 0) return facts;
  await Promise.all(
    [...byDocument.values()].map(async (group) => {
      const frame = await frameOf(tab, group[0]!.ref!);
      if (!frame) return;
      const byNumber = new Map(group.map((node) => [numberOf(node.ref!), node.ref!]));
      const found = await askPage(frame, { ask: "facts", of: [...byNumber.keys()] }, { timeoutMs: 5_000 }).catch(
        () => ({}),
      );
      for (const [number, fact] of Object.entries(found)) facts.set(byNumber.get(Number(number))!, fact);
    }),
  );
  return facts;
}
