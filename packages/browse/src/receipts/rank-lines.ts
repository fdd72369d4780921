/**
 * How much an agent needs a line for its next step: the lower its rank, the more.
 *
 * - `ranked(tree, nodes)` pure: of what was added; `rankOfChange(change)` of what changed.
 * - `isControl(line)` whether it is something to use; `isNeeded(line)` whether a form is of no use without it.
 */
import type { NodeChange } from "../snapshot/diff.ts";
import { isField, isInteractive } from "../snapshot/interactive.ts";
import type { OutlineNode } from "../snapshot/outline.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { isRow } from "../snapshot/rows.ts";
import { tableTitles } from "../snapshot/table-titles.ts";
import { landmarkOf } from "./parts-of-page.ts";

const noEditables: ReadonlySet<string> = new Set();

export type Ranked = { readonly page: PageNode; readonly rank: number } & (
  | { readonly kind: "added" | "removed" | "left"; readonly node: OutlineNode }
  | { readonly kind: "changed"; readonly change: NodeChange }
);

export const isControl = (one: Ranked): boolean =>
  one.kind === "changed" ? isInteractive(one.page, noEditables) : one.node.interactive;

/** The lower, the more an agent needs it for its next step. */
export const rankOfChange = ({ after, what }: NodeChange): number =>
  isInteractive(after, noEditables) || what.includes("states") ? 0 : 3;

export const controlRank = 1;
/** An order, say, that stands beside a form. */
const besideRank = 1.1;
/** What a field expects is of no use without the field. */
const hintRank = 1.2;
const headingRank = 2;
/** A page may have any number of them. */
const clickableRank = 1.5;
const announced = new Set(["alert", "alertdialog", "dialog", "status"]);

/** After what changed elsewhere, such as how many rows there are. */
export const rowRank = 3.5;
export const controlOfRowRank = 3.6;

export const isNeeded = ({ rank }: Ranked): boolean => rank <= hintRank;

function rankOf(tree: PageTree, { role, interactive, page }: OutlineNode): number {
  if (announced.has(role)) return 0;
  const isAround = isAroundContent(tree, page);
  const isListening = role === "clickable" && !page.hasPointerCursor;
  const isBeside = landmarkOf(tree, page) === "complementary";
  if (interactive && role !== "link") {
    return isAround ? 3 : isListening ? clickableRank : isBeside ? besideRank : controlRank;
  }
  if (role === "heading") return headingRank;
  if (role !== "link") return isAround || isBeside ? 6 : isHint(tree, page) ? hintRank : 5;
  return isAround || isBeside ? 6 : 4;
}

const landmarks = new Set(["banner", "contentinfo", "navigation"]);

/** Its menu is on every page of a site. */
function isAroundContent(tree: PageTree, { parent }: PageNode): boolean {
  for (let at = parent; at >= 0; at = tree.nodes[at]!.parent) if (landmarks.has(tree.nodes[at]!.role)) return true;
  return false;
}

const wordRoles = new Set(["generic", "paragraph", "text"]);
const toggles = new Set(["checkbox", "radio", "switch"]);
/** More is a part of the page, with words of its own. */
const mostBeside = 16;
const mostHint = 120;

/** Words that stand with a field or two: `For example, 15 3 2027`. */
function isHint({ nodes }: PageTree, { role, text, parent }: PageNode): boolean {
  const around = nodes[parent];
  if (!around || !wordRoles.has(role) || text === undefined || text.length > mostHint) return false;
  if (around.end - around.index > mostBeside) return false;
  return nodes.slice(around.index + 1, around.end).some((node) => isField(node) || toggles.has(node.role));
}

/** What contains others counts as much as the best of them. */
export function ranked(tree: PageTree, nodes: readonly OutlineNode[]): Ranked[] {
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
  for (const at of middleOfLists(tree, nodes)) ranks.fill(middleRank, at, endOf(nodes, at));
  for (let at = nodes.length - 1; at >= 0; at--) {
    const up = around[at];
    if (up !== undefined) ranks[up] = Math.min(ranks[up]!, ranks[at]!);
  }
  return nodes.map((node, at) => ({ kind: "added", page: node.page, node, rank: ranks[at]! }));
}

const mostRows = 3;
export const middleRank = 7;

/** The first two of a list's rows show what it is, and the last one may be the newest. */
function middleOfLists(tree: PageTree, nodes: readonly OutlineNode[]): number[] {
  const rows = nodes.flatMap(({ page }, at) => (isRow(page) && !announced.has(page.role) ? [at] : []));
  const lists = [...Map.groupBy(rows, listIn(tree, nodes, rows)).values()];
  return lists.flatMap((list) => (list.length > mostRows ? list.slice(2, -1) : []));
}

/** The smallest part of the page that holds another row of its kind. */
function listIn({ nodes: all }: PageTree, nodes: readonly OutlineNode[], rows: readonly number[]) {
  const alike = Map.groupBy(rows, (at) => nodes[at]!.role);
  const beside = new Map<number, readonly (PageNode | undefined)[]>();
  for (const list of alike.values()) {
    for (const [place, at] of list.entries())
      beside.set(
        at,
        [list[place - 1], list[place + 1]].map((one) => nodes[one ?? -1]?.page),
      );
  }
  return (row: number): string => {
    const { role, page } = nodes[row]!;
    let at = page.parent;
    const holdsOther = () =>
      beside.get(row)!.some((one) => one && one.index > all[at]!.index && one.index < all[at]!.end);
    while (at >= 0 && !holdsOther()) at = all[at]!.parent;
    return `${role} ${at}`;
  };
}

function endOf(nodes: readonly OutlineNode[], at: number): number {
  const end = nodes.findIndex(({ page }, index) => index > at && page.index >= nodes[at]!.page.end);
  return end < 0 ? nodes.length : end;
}
