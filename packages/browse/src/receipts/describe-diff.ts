/**
 * What changed on a page, in the order in which an agent needs it.
 *
 * - `changesBetween(before, after, limit, away)` pure: added, removed and changed elements; the `limit` most telling ones.
 * - `linesOfPage(tree, limit)` the same for a page that is new.
 */
import type { PageRef } from "../page-world/questions.ts";
import type { NodeChange } from "../snapshot/diff.ts";
import { isInteractive } from "../snapshot/interactive.ts";
import { type OutlineNode, outlineOf } from "../snapshot/outline.ts";
import { type PageNode, type PageTree, wordsIn } from "../snapshot/page-tree.ts";
import { placesOf, shortened, wordsAround } from "../snapshot/places.ts";
import { isRow, type Rows, rowsOf } from "../snapshot/rows.ts";
import { tableTitles } from "../snapshot/table-titles.ts";
import { changesOfPage, type PageChanges } from "./changes-of-page.ts";
import { foldOptions } from "./select-boxes.ts";
import { addedLines, isScope, removedLines } from "./telling-lines.ts";

export type Change =
  | {
      /** `left` is what remains of a list that was filtered. */
      readonly kind: "added" | "removed" | "left";
      readonly node: OutlineNode;
      readonly depth: number;
      /** Of a select box. */
      readonly options?: readonly string[] | undefined;
    }
  | {
      readonly kind: "changed";
      readonly change: NodeChange;
      /** The words of its row. */
      readonly place?: string | undefined;
      readonly options?: readonly string[] | undefined;
    };

export interface Changes {
  readonly shown: readonly Change[];
  /** How many changes are not shown, without what was removed. */
  readonly more: number;
  /** How many of them are controls. */
  readonly moreControls: number;
  readonly moreRemoved: number;
  /** Controls that took the place of others like them, and have refs that were not told. */
  readonly renewed: readonly PageRef[];
}

const noEditables: ReadonlySet<string> = new Set();
/** Enough to see that a row or a dialog is gone. A page that shows another view removes all of the last one. */
const maxRemoved = 3;
/** A few lines cost no more than to say that they are left out, and then to ask for them. */
const slack = 5;
const slackOfPage = 8;

export function changesBetween(before: PageTree, after: PageTree, limit: number, away?: ReadonlySet<string>): Changes {
  return tell(changesOfPage(before, after, away), before, after, limit, slack);
}

export function linesOfPage(tree: PageTree, limit: number): Changes {
  const page = { changed: [], added: outlineOf(tree), removed: [], renewed: [] };
  return tell(page, { nodes: [] }, tree, limit, slackOfPage);
}

function tell(changes: PageChanges, before: PageTree, after: PageTree, limit: number, more: number): Changes {
  const { added, removed, offers, ...folded } = foldOptions(changes, before, after);
  const changed = folded.changed.filter((change) => offers.has(change.after.ref ?? "") || isSeen(change));
  const rows = rowsOf(after);
  const isSaidAnew = saidIn(added);
  const isAlone = changed.length + added.length === 0;
  const gone = removedLines(before, removed, isAlone).filter((node) => !isSaidAnew(node));
  const left = added.some(({ page }) => isOption(page)) ? [] : leftOf(after, before, gone);
  const isFiltered = left.length > 0;
  const there: Ranked[] = [
    ...changed.map((change) => ({ kind: "changed" as const, page: change.after, change, rank: rankOfChange(change) })),
    ...ranked(after, addedLines(after, added, rows)),
    ...left.map((node) => ({ kind: "left" as const, page: node.page, node, rank: controlRank })),
  ];
  const shownGone = isFiltered ? gone.filter(({ page }) => !isOption(page)) : gone;
  const all = [
    ...there,
    ...shownGone.slice(0, maxRemoved).map((node) => ({ kind: "removed" as const, page: node.page, node, rank: 9 })),
  ];
  // A form is of no use without its last button.
  const most = Math.max(limit, Math.min(limit * 2, all.filter(({ rank }) => rank <= controlRank).length));
  const isShort = ({ length }: readonly Ranked[]): boolean => length <= most + more;
  const chosen = isShort(all) ? new Set(all) : isShort(there) ? new Set(there) : mostTelling(all, most);
  const shown = all.filter((one) => chosen.has(one));
  const leftOut = all.filter((one) => !chosen.has(one) && one.kind !== "removed");
  const placed = withPlaces(after, shown);
  return {
    shown: placed.map((one): Change => {
      const options = offers.get(one.page.ref ?? "");
      if (one.kind === "changed") return { ...one, options, place: placeOfChange(after, one.change.after, rows) };
      return { ...one, options };
    }),
    more: leftOut.length,
    moreControls: leftOut.filter(isControl).length,
    moreRemoved: gone.length - shown.filter(({ kind }) => kind === "removed").length,
    renewed: changes.renewed,
  };
}

/** A row without its controls would look as if it had none. */
function mostTelling(all: readonly Ranked[], most: number): ReadonlySet<Ranked> {
  const chosen = new Set(all.toSorted((a, b) => a.rank - b.rank).slice(0, most));
  for (const [at, row] of all.entries()) {
    if (!chosen.has(row) || row.rank < middleRank || !isRow(row.page)) continue;
    const end = all.findIndex((one, after) => after > at && one.page.index >= row.page.end);
    const own = all.slice(at, end < 0 ? all.length : end);
    if (!own.every((one) => chosen.has(one))) for (const one of own) chosen.delete(one);
  }
  return chosen;
}

type Ranked = { readonly page: PageNode; readonly rank: number } & (
  | { readonly kind: "added" | "removed" | "left"; readonly node: OutlineNode }
  | { readonly kind: "changed"; readonly change: NodeChange }
);

/** Markup that says the same in another way is no change. */
function isSeen({ before, after }: NodeChange): boolean {
  const isUsed = isInteractive(before, noEditables) || isInteractive(after, noEditables);
  const isSame = before.name === after.name && (before.text ?? "") === (after.text ?? "");
  return !isSame || (isUsed && before.role !== after.role) || before.states.join() !== after.states.join();
}

/** Words that are part of something new, as when a page renders a row anew, are not gone. */
function saidIn(added: readonly OutlineNode[]): (node: OutlineNode) => boolean {
  const said = added.map(({ page }) => `${page.name} ${page.text ?? ""}`).join("\n");
  return ({ page, interactive }) => {
    const words = page.name || (page.text ?? "");
    return !interactive && !isRow(page) && words !== "" && said.includes(words);
  };
}

const isOption = ({ role }: PageNode): boolean => role === "option" || role === "menuitem" || role === "treeitem";
const mostLeft = 8;

/** Where a list was filtered, what is left of it is what a person wanted. */
function leftOf(after: PageTree, before: PageTree, gone: readonly OutlineNode[]): OutlineNode[] {
  const options = gone.filter(({ page }) => isOption(page));
  if (options.length < maxRemoved) return [];
  const lists = new Set(options.map(({ page }) => before.nodes[page.parent]?.ref));
  const known = new Set(before.nodes.flatMap(({ ref }) => ref ?? []));
  const left = outlineOf(after).filter(
    ({ page }) => isOption(page) && known.has(page.ref ?? "") && lists.has(after.nodes[page.parent]?.ref),
  );
  return left.length > mostLeft ? [] : left;
}

const isControl = (one: Ranked): boolean =>
  one.kind === "changed" ? isInteractive(one.page, noEditables) : one.node.interactive;

/** The lower, the more an agent needs it for its next step. */
const rankOfChange = ({ after, what }: NodeChange): number =>
  isInteractive(after, noEditables) || what.includes("states") ? 0 : 3;

const controlRank = 1;
const headingRank = 2;
/** A page may have any number of them. */
const clickableRank = 1.5;
const announced = new Set(["alert", "alertdialog", "dialog", "status"]);

function rankOf(tree: PageTree, { role, interactive, page }: OutlineNode): number {
  if (announced.has(role)) return 0;
  const isAround = isAroundContent(tree, page);
  const isListening = role === "clickable" && !page.hasPointerCursor;
  if (interactive && role !== "link") return isAround ? 3 : isListening ? clickableRank : controlRank;
  if (role === "heading") return headingRank;
  if (role !== "link") return 5;
  return isAround ? 6 : 4;
}

const landmarks = new Set(["banner", "contentinfo", "navigation"]);

/** Its menu is on every page of a site. */
function isAroundContent(tree: PageTree, { parent }: PageNode): boolean {
  for (let at = parent; at >= 0; at = tree.nodes[at]!.parent) if (landmarks.has(tree.nodes[at]!.role)) return true;
  return false;
}

/** What contains others counts as much as the best of them. */
function ranked(tree: PageTree, nodes: readonly OutlineNode[]): Ranked[] {
  const titles = new Set(
    nodes.some(({ role }) => role === "link" || role === "button") ? tableTitles(tree).values() : [],
  );
  const ranks = nodes.map((node) => (titles.has(node.page) ? headingRank : rankOf(tree, node)));
  const around: (number | undefined)[] = [];
  const open: number[] = [];
  for (const [at, { page }] of nodes.entries()) {
    while (open.length > 0 && nodes[open.at(-1)!]!.page.end <= page.index) open.pop();
    around.push(open.at(-1));
    open.push(at);
  }
  for (const at of middleOfLists(nodes, around)) ranks.fill(middleRank, at, endOf(nodes, at));
  for (let at = nodes.length - 1; at >= 0; at--) {
    const up = around[at];
    if (up !== undefined) ranks[up] = Math.min(ranks[up]!, ranks[at]!);
  }
  return nodes.map((node, at) => ({ kind: "added", page: node.page, node, rank: ranks[at]! }));
}

const mostRows = 3;
const middleRank = 7;

/** The first two of a list's rows show what it is, and the last one may be the newest. */
function middleOfLists(nodes: readonly OutlineNode[], around: readonly (number | undefined)[]): number[] {
  const rows = nodes.flatMap(({ page }, at) => (isRow(page) && !announced.has(page.role) ? [at] : []));
  const lists = [...Map.groupBy(rows, (at) => `${nodes[at]!.role} ${around[at]}`).values()];
  return lists.flatMap((list) => (list.length > mostRows ? list.slice(2, -1) : []));
}

function endOf(nodes: readonly OutlineNode[], at: number): number {
  const end = nodes.findIndex(({ page }, index) => index > at && page.index >= nodes[at]!.page.end);
  return end < 0 ? nodes.length : end;
}

/** With their depth among what is shown, and for namesakes the place where they are. */
function withPlaces(after: PageTree, shown: readonly Ranked[]): (Ranked & { depth: number })[] {
  const depths = new Map<number, number>();
  const up = new Map<PageNode, number>();
  const deep = shown.map((one) => {
    let at = one.kind === "added" ? one.page.parent : -1;
    while (at >= 0 && !depths.has(at)) at = after.nodes[at]!.parent;
    const depth = at < 0 ? 0 : depths.get(at)! + 1;
    if (one.kind === "added") {
      depths.set(one.page.index, depth);
      up.set(one.page, at);
    }
    return { ...one, depth };
  });
  const unclear = deep.filter(({ kind, page }) => kind === "added" && isInteractive(page, noEditables));
  if (unclear.length === 0) return deep;
  const places = placesOf(
    after,
    after.nodes.filter((node) => isInteractive(node, noEditables)),
  );
  const isTwin = (one: PageNode, other: PageNode) =>
    one !== other && one.role === other.role && one.name === other.name && up.get(one) === up.get(other);
  return deep.map((one) => {
    const needsPlace = one.kind === "added" && one.node.interactive && !isScope(one.page);
    const place = needsPlace ? places.get(one.page) : undefined;
    if (!needsPlace || !place) return one;
    const isClear = one.depth > 0 && !unclear.some(({ page }) => isTwin(one.page, page));
    return isClear ? one : { ...one, node: { ...one.node, place } };
  });
}

/** "free" became "taken": in which row? */
function placeOfChange(after: PageTree, node: PageNode, rows: Rows): string | undefined {
  if (isInteractive(node, noEditables) || isScope(node)) return undefined;
  const row = rows.around(node);
  if (!row) return besideChange(after, node);
  const isLeftOut = (one: PageNode) => one.index === node.index || isInteractive(one, noEditables);
  return shortened(wordsIn(after.nodes, row, isLeftOut)) || undefined;
}

const mostSaid = 12;

/** A number or a mark says nothing without what stands beside it. */
function besideChange(after: PageTree, node: PageNode): string | undefined {
  if (node.name !== "" || (node.text ?? "").length > mostSaid || announced.has(node.role)) return undefined;
  return shortened(wordsAround(after, node)) || undefined;
}
