/**
 * What stands above a table whose controls say little by themselves: the month above the days of a calendar.
 *
 * - `tableTitles(tree)` pure: the words above each such table that has no name.
 */
import { isInteractive } from "./interactive.ts";
import type { PageNode, PageTree } from "./page-tree.ts";

const tables = new Set(["grid", "table", "treegrid"]);
const noEditables: ReadonlySet<string> = new Set();
const mostTitle = 40;
/** The title may stand in a header beside the table. */
const mostUp = 2;
/** Days have two digits at most. */
const littleSaid = 2;
const fewestControls = 7;

export function tableTitles(tree: PageTree): ReadonlyMap<PageNode, PageNode> {
  const titles = new Map<PageNode, PageNode>();
  for (const table of tree.nodes) {
    if (!tables.has(table.role) || table.name !== "" || !saysLittle(tree, table)) continue;
    const title = titleAbove(tree, table);
    if (title) titles.set(table, title);
  }
  return titles;
}

function saysLittle({ nodes }: PageTree, { index, end }: PageNode): boolean {
  const controls = nodes.slice(index + 1, end).filter((node) => isInteractive(node, noEditables));
  const little = controls.filter(({ name, text = "" }) => (name || text).length <= littleSaid);
  return controls.length >= fewestControls && little.length > controls.length / 2;
}

function titleAbove({ nodes }: PageTree, table: PageNode): PageNode | undefined {
  let top = table.index;
  for (let up = 0; up < mostUp && nodes[top]!.parent >= 0; up++) top = nodes[top]!.parent;
  for (let at = table.index - 1; at > top; at--) {
    const node = nodes[at]!;
    if (tables.has(node.role)) return undefined;
    const words = node.name || (node.text ?? "");
    const isTitle = words !== "" && words.length <= mostTitle && /\p{L}/u.test(words) && !/[.:!?]$/.test(words);
    if (isTitle && !isInControl(nodes, node, top)) return node;
  }
  return undefined;
}

function isInControl(nodes: readonly PageNode[], node: PageNode, top: number): boolean {
  for (let at = node.index; at > top; at = nodes[at]!.parent) {
    const { role } = nodes[at]!;
    if (isInteractive(nodes[at]!, noEditables) || role === "img") return true;
  }
  return false;
}
