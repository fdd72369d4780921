/**
 * Rows that a page rendered anew, of which nothing is new but words that are told as a change: `"€137.00" → "€116.45" in "Total"`.
 *
 * - `retoldRows(before, after, rewritten)` pure: whether a node is part of one. A row with controls is none, since these are new.
 */
import type { NodeChange } from "../snapshot/diff.ts";
import { isInteractive } from "../snapshot/interactive.ts";
import type { OutlineNode } from "../snapshot/outline.ts";
import { type PageNode, type PageTree, wordsIn } from "../snapshot/page-tree.ts";
import { rowsOf } from "../snapshot/rows.ts";

const noEditables: ReadonlySet<string> = new Set();

export function retoldRows(
  before: PageTree,
  after: PageTree,
  rewritten: readonly NodeChange[],
): (node: OutlineNode) => boolean {
  if (rewritten.length === 0) return () => false;
  const [was, is] = [rowsOf(before), rowsOf(after)];
  const changed = new Set(rewritten.flatMap((change) => [change.before, change.after]));
  const otherWords = (tree: PageTree, row: PageNode) => wordsIn(tree.nodes, row, (node) => changed.has(node));
  const retold = new Set<PageNode>();
  for (const change of rewritten) {
    const [old, now] = [was.around(change.before), is.around(change.after)];
    if (!old || !now || otherWords(before, old) !== otherWords(after, now)) continue;
    const inside = after.nodes.slice(now.index, now.end);
    if (inside.some((node) => isInteractive(node, noEditables))) continue;
    for (const node of [...inside, ...before.nodes.slice(old.index, old.end)]) retold.add(node);
  }
  return ({ page }) => retold.has(page);
}
