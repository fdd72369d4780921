/**
 * What was added, removed and changed between two readings of a page, without what only moved or was rendered anew.
 *
 * - `changesOfPage(before, after)` pure.
 */
import { documentOf, numberOf, type PageRef } from "../page-world/questions.ts";
import { behindIn } from "../snapshot/behind.ts";
import { diffTrees, type NodeChange } from "../snapshot/diff.ts";
import { isField, isInteractive } from "../snapshot/interactive.ts";
import { type OutlineNode, outlineOf } from "../snapshot/outline.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { wordsAround } from "../snapshot/places.ts";
import { isRow, rowsOf } from "../snapshot/rows.ts";
import { hiddenFromReaders } from "./hidden-from-readers.ts";
import { retoldRows } from "./retold-rows.ts";
import { boxOf, offersOf } from "./select-boxes.ts";
import { isScope } from "./telling-lines.ts";

export interface PageChanges {
  readonly changed: readonly NodeChange[];
  readonly added: readonly OutlineNode[];
  readonly removed: readonly OutlineNode[];
  /** Controls that took the place of others like them, as when a page renders itself anew, and have refs that were not told. */
  readonly renewed: readonly PageRef[];
}

const nothing: ReadonlySet<string> = new Set();

/** `away` is out of a pointer's reach for a while, or has come back. */
export function changesOfPage(before: PageTree, after: PageTree, away = nothing): PageChanges {
  const diff = diffTrees(before, after);
  const isBehind = behindIn(after);
  const hidden = hiddenFromReaders(before, after);
  const changed = diff.changed.filter((change) => {
    const isTold = !isOnlyMarkup(change) && !isEcho(change, diff.changed, diff.added);
    return isTold && !isBehind(change.after) && !hidden.isChanged(change);
  });
  const added = nodesUnder(after, diff.added, refsOf(before));
  const removed = nodesUnder(before, diff.removed, refsOf(after));
  const { equal, bare } = equalNodes(after, added, before, removed);
  const isDoubtful = amongTwins(before, equal);
  const isOutOfReach = outOfReach(before, after);
  const isReach = ({ page }: OutlineNode, isHidden: (node: PageNode) => boolean) =>
    (page.ref !== undefined && away.has(page.ref)) || isHidden(page);
  const reach = new Set([
    ...added.filter((node) => !equal.has(node) && isReach(node, hidden.isAdded)),
    ...removed.filter((node) => !equal.has(node) && isReach(node, hidden.isRemoved)),
  ]);
  const rewritten = rewrittenTexts(before, after, added, removed, equal);
  const isRetold = retoldRows(before, after, rewritten.changes);
  const isSwapped = (node: OutlineNode) => bare.size > 2 * mostBare && bare.has(node) && !reach.has(node);
  const said = new Set(added.flatMap(({ page }) => (page.ref === undefined ? [] : [wordsOf(page)])));
  const isSaidOtherwise = (node: OutlineNode) =>
    isNothing(node) || isRetold(node) || equal.has(node) || reach.has(node) || rewritten.nodes.has(node);
  return {
    changed: [...changed, ...rewritten.changes].toSorted((a, b) => a.after.index - b.after.index),
    added: added.filter((node) => {
      const isGiven = isSaidOtherwise(node) || isBehind(node.page) || isSwapped(node);
      return !isGiven && !(isOutOfReach(node) && said.has(wordsOf(node.page)));
    }),
    removed: removed.filter((node) => {
      return !isSaidOtherwise(node) && !bare.has(node) && !isOutOfReach(node);
    }),
    renewed: added.flatMap((node) => {
      const isTold = !isDoubtful(equal.get(node)) && !isSwapped(node);
      return node.interactive && node.page.ref !== undefined && !isTold ? [node.page.ref] : [];
    }),
  };
}

/** The same words in another element of no use. */
const isOnlyMarkup = ({ before, after, what }: NodeChange): boolean =>
  what.every((one) => one === "role") && !isInteractive(before, nothing) && !isInteractive(after, nothing);

/** It has a role, and no pointer can reach it: it has no size, or lies behind something. The options of a select box are chosen. */
function outOfReach(...trees: readonly PageTree[]): (node: OutlineNode) => boolean {
  const offered = new Set(trees.flatMap((tree) => tree.nodes.filter((node) => boxOf(tree, node))));
  return ({ role, page }) => page.ref === undefined && role !== "text" && !offered.has(page);
}

const wordsOf = ({ name, text }: PageNode): string => name || (text ?? "");

/** It has no words, and nobody can use it: its place says which one it is, and that changes with what stands before it. */
const isNothing = (node: OutlineNode): boolean =>
  node.page.ref === undefined && isBare(node) && !node.page.text && !isScope(node.page) && !node.page.holdsRefs;

/** Words that were replaced by others in the same place, where an element was rendered anew: `"1"` became `"2"` beside `"Ivy"`. */
function rewrittenTexts(
  before: PageTree,
  after: PageTree,
  added: readonly OutlineNode[],
  removed: readonly OutlineNode[],
  known: ReadonlyMap<OutlineNode, OutlineNode>,
) {
  const isWords = (node: OutlineNode) => !known.has(node) && node.page.text !== undefined && !node.interactive;
  const keyIn = (tree: PageTree) => {
    return ({ page }: OutlineNode) => `${page.role}\n${wordsAround(tree, page)}`;
  };
  const gone = Map.groupBy(removed.filter(isWords), keyIn(before));
  const come = Map.groupBy(added.filter(isWords), keyIn(after));
  const nodes = new Set<OutlineNode>();
  const changes: NodeChange[] = [];
  for (const [key, [is, ...others]] of come) {
    const [was, ...rest] = gone.get(key) ?? [];
    if (!is || !was || others.length + rest.length > 0 || key.endsWith("\n")) continue;
    nodes.add(is).add(was);
    changes.push({ before: was.page, after: is.page, what: ["text"] });
  }
  return { nodes, changes };
}

/** More controls without words than these are counted. */
const mostBare = 4;

/**
 * Those that were removed and added again with the same words and states; and `bare` ones, which have no words, so that nobody can
 * tell whether they are the same. What could not be used before, and is another element now, is new to an agent.
 */
function equalNodes(after: PageTree, added: readonly OutlineNode[], before: PageTree, removed: readonly OutlineNode[]) {
  const equal = new Map<OutlineNode, OutlineNode>();
  const bare = new Set<OutlineNode>();
  if (added.length === 0 || removed.length === 0) return { equal, bare };
  const wordsBefore = identityIn(before);
  const gone = Map.groupBy(removed, wordsBefore);
  const wordsAfter = identityIn(after);
  const isLater = laterThan(before);
  for (const node of added) {
    const pair = gone.get(wordsAfter(node))?.shift();
    if (!pair) continue;
    const isNew = node.interactive && pair.page.ref === undefined && isLater(node.page.ref);
    // An empty list that gets its options is the same list.
    const wasEmpty = isScope(pair.page) && pair.page.end === pair.page.index + 1;
    if (!wasEmpty && isBare(node) && node.page.ref !== undefined) bare.add(node).add(pair);
    else if (wasEmpty || !isNew) equal.set(node, pair).set(pair, node);
  }
  return { equal, bare };
}

const isBare = ({ interactive, page }: OutlineNode): boolean =>
  interactive && page.name === "" && (page.text === undefined || isField(page)) && !page.placeholder;

/** Whether an element was read for the first time after all that a page had. */
function laterThan({ nodes }: PageTree): (ref: PageRef | undefined) => boolean {
  const last = new Map<string, number>();
  for (const { ref } of nodes) {
    if (ref === undefined) continue;
    const document = documentOf(ref);
    last.set(document, Math.max(last.get(document) ?? 0, numberOf(ref)));
  }
  return (ref) => ref !== undefined && numberOf(ref) > (last.get(documentOf(ref)) ?? 0);
}

/** It had a ref, and others were equal to it: that ref is not passed on. */
function amongTwins(before: PageTree, equal: ReadonlyMap<OutlineNode, OutlineNode>) {
  const identity = identityIn(before);
  const counts = new Map<string, number>();
  const removed = new Set([...equal.keys()].filter((node) => before.nodes[node.page.index] === node.page));
  for (const node of removed) counts.set(identity(node), (counts.get(identity(node)) ?? 0) + 1);
  return (node: OutlineNode | undefined): boolean =>
    node?.page.ref !== undefined && (counts.get(identity(node)) ?? 0) > 1;
}

/** A button in a row is the button of that row: the next row has one of the same name. */
function identityIn(tree: PageTree): (node: OutlineNode) => string {
  const rows = rowsOf(tree);
  return ({ role, page }) => {
    const row = isRow(page) ? page : rows.around(page);
    const states = page.states.filter((state) => state !== "focused");
    const words = [page.name, page.text ?? "", page.placeholder ?? "", ...offersOf(tree, page)];
    return JSON.stringify([role, words, states, row && rows.wordsOf(row)]);
  };
}

/** A container whose name or text comes from its content changes with it; only the innermost change is reported. */
function isEcho(change: NodeChange, all: readonly NodeChange[], added: readonly PageNode[]): boolean {
  if (change.what.includes("states") || isField(change.after)) return false;
  const { index, end } = change.after;
  const inside = (node: PageNode) => node.index > index && node.index < end;
  return all.some((other) => inside(other.after)) || added.some(inside);
}

const refsOf = ({ nodes }: PageTree): ReadonlySet<string | undefined> => new Set(nodes.map(({ ref }) => ref));

/** Without what the other tree has too: a container may have been put around elements that stay. */
function nodesUnder(
  tree: PageTree,
  roots: readonly PageNode[],
  others: ReadonlySet<string | undefined>,
): OutlineNode[] {
  if (roots.length === 0) return [];
  const inside = new Uint8Array(tree.nodes.length);
  for (const root of roots) inside.fill(1, root.index, root.end);
  return outlineOf(tree).filter(
    (node) =>
      inside[node.page.index] === 1 &&
      !isEmptyContainer(node) &&
      (node.page.ref === undefined || !others.has(node.page.ref)),
  );
}

/** Adding or removing an empty container is not a visible effect. */
function isEmptyContainer({ page, interactive, index, end }: OutlineNode): boolean {
  const isEmpty = end === index + 1 && page.text === undefined && page.role !== "img";
  return !interactive && isEmpty && (page.name === "" || page.ref === undefined);
}
