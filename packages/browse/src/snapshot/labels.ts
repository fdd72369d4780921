/**
 * Labels and other wrappings that do what the control in them does.
 *
 * - `isLabelAround(tree, node)` pure: it has the name of the one control in it, and no role of its own. A choice in a label is named
 *   by the label, whose own name then says it twice; what is drawn beside it in there has the same name.
 * - `wordsOfControls(tree)` pure: the indexes of list items that contain one control and its words only, and of these words.
 */
import { isInteractive } from "./interactive.ts";
import { childrenOf, type PageNode, type PageTree } from "./page-tree.ts";

const noEditables: ReadonlySet<string> = new Set();

export const isLabelAround = (tree: PageTree, node: PageNode): boolean =>
  node.role === "generic" && (isAround(tree, node) || isBeside(tree, node));

function isAround({ nodes }: PageTree, { name, index, end }: PageNode): boolean {
  if (name === "" || end === index + 1) return false;
  const inside = nodes.slice(index + 1, end);
  const [control, ...others] = inside.filter((node) => isInteractive(node, noEditables));
  if (!control || control.ref === undefined) return false;
  if (!choices.has(control.role)) return others.length === 0 && control.name === name;
  // As in "I accept the terms", which names the checkbox before it and contains a link.
  if (others.some(({ role }) => role !== "link")) return false;
  const outside = inside.filter((node) => node.index < control.index || node.index >= control.end);
  return outside.every(({ name: own, text = "" }) => control.name.includes(own) && control.name.includes(text));
}

const choices = new Set(["checkbox", "radio", "switch"]);
const mostUp = 2;

function isBeside({ nodes }: PageTree, { hasPointerCursor, name, text, index, end, parent }: PageNode): boolean {
  const words = name || (text ?? "");
  if (!hasPointerCursor || words === "") return false;
  for (let at = parent, up = 0; at >= 0 && up < mostUp; at = nodes[at]!.parent, up++) {
    const others = nodes
      .slice(at + 1, nodes[at]!.end)
      .filter((node) => (node.index < index || node.index >= end) && isInteractive(node, noEditables));
    if (others.length > 0) return others.length === 1 && choices.has(others[0]!.role) && others[0]!.name === words;
  }
  return false;
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
