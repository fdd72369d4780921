/**
 * Calendars of a page: the days of a month, one after the other, under the month's name.
 *
 * - `monthsIn(tree)` pure: each calendar's month. Days of the months before and after it are none of its days.
 * - `dayOf(node)`, `maybeTitle(node)` pure: what a node may be in a calendar.
 */
import { isField, isInteractive } from "../snapshot/interactive.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { isMonthName } from "./month-names.ts";

export interface Month {
  /** The table of days, or what holds them. */
  readonly root: PageNode;
  /** `January 2027`. */
  readonly title: string | undefined;
  /** What the title was read from. */
  readonly titles: readonly PageNode[];
  /** What is clicked to choose the first day, the second, and so on. */
  readonly days: readonly PageNode[];
  /** These and those of the months around it. */
  readonly cells: readonly PageNode[];
}

const fewestDays = 28;
/** Six weeks, and three days that some calendars add. */
const mostCells = 45;
/** Names of the days of a week, and numbers of weeks. A table of people has other words in every row. */
const mostOthers = 16;
const mostTitle = 40;
/** The title may stand in a header beside the table. */
const mostUp = 4;
const tables = new Set(["grid", "table", "treegrid"]);
const noEditables: ReadonlySet<string> = new Set();

export function monthsIn(tree: PageTree): Month[] {
  const cells = cellsIn(tree);
  if (cells.length < fewestDays) return [];
  const isCell = new Set(cells);
  const before = new Uint32Array(tree.nodes.length + 1);
  for (const [at, node] of tree.nodes.entries()) before[at + 1] = before[at]! + (isCell.has(node) ? 1 : 0);
  const count = ({ index, end }: PageNode) => before[end]! - before[index]!;
  const roots = new Set(cells.flatMap((cell) => rootOf(tree, cell, count) ?? []));
  return [...roots].flatMap((root) => {
    if (count(root) > mostCells) return [];
    const own = cells.slice(before[root.index], before[root.end]);
    const days = longestRun(own);
    if (days.length < fewestDays || otherWords(tree, root, isCell) > mostOthers) return [];
    const { title, nodes } = titleOf(tree, root, (node) => count(node) > mostCells, isCell);
    if (title === undefined && !tables.has(root.role)) return [];
    const pressed = (cell: PageNode) => pressedIn(tree, cell);
    return [{ root, title, titles: nodes, days: days.map(pressed), cells: own.map(pressed) }];
  });
}

/** The number of a day: `12`, `12th of January 2027`. */
export function dayOf({ name, text = "" }: PageNode): number | undefined {
  const words = name || text;
  if (words.length > mostTitle || !/\d/.test(words)) return undefined;
  const numbers = [...words.matchAll(/(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.)?(?![\d:])/g)];
  const isDate = /^\d{1,2}$/.test(words) || (/\p{L}{3}/u.test(words) && /\b\d{4}\b/.test(words));
  const day = Number(numbers[0]?.[1]);
  return isDate && numbers.length === 1 && day >= 1 && day <= 31 ? day : undefined;
}

/** A cell and the button in it are one. */
function cellsIn({ nodes }: PageTree): PageNode[] {
  const found: PageNode[] = [];
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]!;
    if (isField(node) || node.role === "option" || node.role === "rowheader" || dayOf(node) === undefined) continue;
    found.push(node);
    at = node.end - 1;
  }
  return found;
}

function otherWords({ nodes }: PageTree, root: PageNode, isCell: ReadonlySet<PageNode>): number {
  let count = 0;
  for (let at = root.index + 1; at < root.end; at++) {
    const node = nodes[at]!;
    if (isCell.has(node)) at = node.end - 1;
    else if (node.end === at + 1 && wordsOf(node) !== "") count += 1;
  }
  return count;
}

function rootOf({ nodes }: PageTree, cell: PageNode, count: (node: PageNode) => number) {
  let at = cell.parent;
  while (at >= 0 && count(nodes[at]!) < fewestDays) at = nodes[at]!.parent;
  const root = nodes[at];
  // Its rows are in a group of their own.
  const around = root && nodes[root.parent];
  return around && !tables.has(root.role) && tables.has(around.role) ? around : root;
}

function longestRun(cells: readonly PageNode[]): readonly PageNode[] {
  for (const [first, cell] of cells.entries()) {
    if (dayOf(cell) !== 1) continue;
    let end = first + 1;
    while (end < cells.length && dayOf(cells[end]!) === end - first + 1) end++;
    if (end - first >= fewestDays) return cells.slice(first, end);
  }
  return [];
}

function pressedIn({ nodes }: PageTree, cell: PageNode): PageNode {
  if (isInteractive(cell, noEditables)) return cell;
  return nodes.slice(cell.index + 1, cell.end).find((node) => isInteractive(node, noEditables)) ?? cell;
}

function titleOf(
  { nodes }: PageTree,
  root: PageNode,
  holdsOthers: (node: PageNode) => boolean,
  days: ReadonlySet<PageNode>,
): { readonly title?: string; readonly nodes: readonly PageNode[] } {
  if (isTitle(root.name)) return { title: root.name, nodes: [] };
  for (let at = root.parent, up = 0; at >= 0 && up < mostUp && !holdsOthers(nodes[at]!); at = nodes[at]!.parent, up++) {
    const above = nodes.slice(at + 1, root.index).filter((node) => !days.has(node) && wordsOf(node) !== "");
    const year = above.findLastIndex((node) => hasYear(wordsOf(node)));
    if (year < 0) continue;
    const words = wordsOf(above[year]!);
    const month = namesMonth(words) ? undefined : above.findLast((node) => isMonthName(wordsOf(node)));
    if (month) return { title: `${wordsOf(month)} ${yearIn.exec(words)?.[0]}`, nodes: [month, above[year]!] };
    return isTitle(words) ? { title: words, nodes: [above[year]!] } : { nodes: [] };
  }
  return { nodes: [] };
}

/** Words that may be the title of a calendar, or a part of it. */
export const maybeTitle = (node: PageNode): boolean =>
  hasYear(wordsOf(node)) || /^\p{L}{3,12}\.?$/u.test(wordsOf(node));

const wordsOf = (node: PageNode): string => (isField(node) ? node.text : node.name || node.text) ?? "";
const yearIn = /(?<!\d)(19|20)\d\d(?!\d)/;
const hasYear = (words: string): boolean => words.length <= mostTitle && yearIn.test(words);
const namesMonth = (words: string): boolean => words.split(/[^\p{L}]+/u).some(isMonthName);
const isTitle = (words: string): boolean => hasYear(words) && /\p{L}/u.test(words);
