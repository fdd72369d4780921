/**
 * Labels and other wrappings that do what the control in them does.
 *
 * - `isLabelAround(tree, node)` pure: it has the name of the one control in it, and no role of its own.
 * - `wordsOfControls(tree)` pure: the indexes of list items that contain one control and its words only, and of these words.
 */
import { isInteractive } from "./interactive.ts";
import { childrenOf, type PageNode, type PageTree } from "./page-tree.ts";

const noEditables: ReadonlySet<string> = new Set();

export function isLabelAround({ nodes }: PageTree, { role, name, index, end }: PageNode): boolean {
  if (role !== "generic" || name === "" || end === index + 1) return false;
  const inside = nodes.slice(index + 1, end).filter((node) => isInteractive(node, noEditables));
  return inside.length === 1 && inside[0]!.ref !== undefined && inside[0]!.name === name;
}

/** It has little more in it than a control and a label. */
const mostInside = 8;

export function wordsOfControls(tree: PageTree): ReadonlySet<number> {
  const found = new Set<number>();
  for (const item of tree.nodes) {
    if (item.role !== "listitem" || item.name !== "" || item.text !== undefined || item.states.length > 0) continue;
    if (item.end > item.index + mostInside || isInteractive(item, noEditables)) continue;
    const parts = partsOf(tree, item.index);
    const [control, ...others] = parts.filter((node) => isInteractive(node, noEditables));
    if (!control || control.name === "" || others.length > 0) continue;
    const words = parts.filter((node) => node !== control);
    if (!words.every(({ name, text }) => name === "" && (text === undefined || text === control.name))) continue;
    for (const { index } of [item, ...words]) found.add(index);
  }
  return found;
}

/** What is in it; what is in a control belongs to that. */
function partsOf(tree: PageTree, index: number): PageNode[] {
  return childrenOf(tree, index).flatMap((node) =>
    isInteractive(node, noEditables) ? [node] : [node, ...partsOf(tree, node.index)],
  );
}
