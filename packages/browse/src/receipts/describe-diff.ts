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
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { isRow, type Rows, rowsOf } from "../snapshot/rows.ts";
import { foldCalendars, type ShownMonth } from "./calendars.ts";
import { changesOfPage, type PageChanges } from "./changes-of-page.ts";
import { chooseLines, type LeftOut, type Limits, leftOutOf } from "./choose-lines.ts";
import { placeOfChange, withPlaces } from "./line-places.ts";
import { foldRows } from "./other-rows.ts";
import { isLandmark } from "./parts-of-page.ts";
import { controlOfRowRank, controlRank, type Ranked, ranked, rankOfChange, rowRank } from "./rank-lines.ts";
import { foldOptions } from "./select-boxes.ts";
import { addedLines, removedLines } from "./telling-lines.ts";

export type Change =
  | {
      /** `left` is what remains of a list that was filtered. */
      readonly kind: "added" | "removed" | "left";
      readonly node: OutlineNode;
      readonly depth: number;
      /** Of a select box. */
      readonly options?: readonly string[] | undefined;
      /** Of a calendar. */
      readonly month?: ShownMonth | undefined;
    }
  | {
      readonly kind: "changed";
      readonly change: NodeChange;
      /** The words of its row. */
      readonly place?: string | undefined;
      readonly options?: readonly string[] | undefined;
      readonly month?: ShownMonth | undefined;
      /** How many rows a table has now, of which the rows below are others than before. */
      readonly rows?: number | undefined;
    };

export interface Changes extends LeftOut {
  readonly shown: readonly Change[];
  readonly moreRemoved: number;
  /** Controls that took the place of others like them, and have refs that were not told. */
  readonly renewed: readonly PageRef[];
}

const noEditables: ReadonlySet<string> = new Set();
/** Enough to see that a row or a dialog is gone. A page that shows another view removes all of the last one. */
const maxRemoved = 3;
const slack = 5;
const slackOfPage = 8;

export function changesBetween(before: PageTree, after: PageTree, limit: number, away?: ReadonlySet<string>): Changes {
  return tell(changesOfPage(before, after, away), before, after, { limit, slack, isNewPage: false });
}

export function linesOfPage(tree: PageTree, limit: number): Changes {
  const page = { changed: [], added: outlineOf(tree), removed: [], renewed: [] };
  return tell(page, { nodes: [] }, tree, { limit, slack: slackOfPage, isNewPage: true });
}

function tell(changes: PageChanges, before: PageTree, after: PageTree, limits: Limits): Changes {
  const { offers, ...boxes } = foldOptions(changes, before, after);
  const { months, ...days } = foldCalendars(boxes, before, after);
  const { added, removed, tables, ...folded } = foldRows(days, before, after);
  const isFolded = ({ after: node }: NodeChange) => offers.has(node.ref ?? "") || months.has(node.index);
  const changed = folded.changed.filter((change) => isFolded(change) || isSeen(change));
  const rows = rowsOf(after);
  const isSaidAnew = saidIn(added);
  const isAlone = changed.length + added.length === 0;
  const gone = removedLines(before, removed, isAlone).filter((node) => !isSaidAnew(node));
  const left = added.some(({ page }) => isOption(page)) ? [] : leftOf(after, before, gone);
  const shownGone = left.length > 0 ? gone.filter(({ page }) => !isOption(page)) : gone;
  const there: Ranked[] = [
    ...changed.map((change) => ({ kind: "changed" as const, page: change.after, change, rank: rankOfChange(change) })),
    ...ranked(after, addedLines(after, added, rows)),
  ];
  const all: Ranked[] = [
    // A month stands for all of its days.
    ...there.map((one) => (months.has(one.page.index) ? { ...one, rank: controlRank } : one)),
    ...otherRows(after, folded.rows, tables, rows),
    ...left.map((node) => ({ kind: "left" as const, page: node.page, node, rank: controlRank })),
    ...shownGone.slice(0, maxRemoved).map((node) => ({ kind: "removed" as const, page: node.page, node, rank: 9 })),
  ];
  const chosen = chooseLines(all, after, limits);
  const shown = all.filter((one) => chosen.has(one));
  const monthAt = ({ kind, page }: Ranked) => (kind === "removed" ? undefined : months.get(page.index));
  const isLeftOut = (one: Ranked) => !chosen.has(one) && one.kind !== "removed" && !isLandmark(one.page.role);
  return {
    shown: withPlaces(after, shown).map((one): Change => {
      const folds = { options: offers.get(one.page.ref ?? ""), month: monthAt(one) };
      if (one.kind === "changed" && tables.has(one.page.index)) return { ...one, rows: tables.get(one.page.index) };
      if (one.kind === "changed") return { ...one, ...folds, place: placeOfChange(after, one.change.after, rows) };
      return { ...one, ...folds };
    }),
    ...leftOutOf(all.filter(isLeftOut), after),
    moreRemoved: gone.length - shown.filter(({ kind }) => kind === "removed").length,
    renewed: changes.renewed,
  };
}

/** The words of each row before its controls, which can be had from its ref as well. */
function otherRows(
  after: PageTree,
  nodes: readonly OutlineNode[],
  tables: ReadonlyMap<number, number>,
  rows: Rows,
): Ranked[] {
  const lines = addedLines(after, nodes, rows).map((node): Ranked => {
    return { kind: "left", page: node.page, node, rank: isRow(node.page) ? rowRank : controlOfRowRank };
  });
  const heads = [...tables.keys()].map((at): Ranked => {
    const page = after.nodes[at]!;
    return { kind: "changed", page, change: { before: page, after: page, what: ["name"] }, rank: 0 };
  });
  return [...heads, ...lines].toSorted((a, b) => a.page.index - b.page.index);
}

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
