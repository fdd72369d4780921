/**
 * The lines of a page worth reading: meaningless containers are left out and their children move up.
 *
 * - `outlineOf(tree, options)` pure. `interactive` keeps elements you can act on and the frames and dialogs around them;
 *   `compact` also drops redundant containers; `depth` cuts deeper lines.
 */
import type { PageRef } from "../page-world/questions.ts";
import { isInteractive } from "./interactive.ts";
import { childrenOf, type PageNode, type PageTree } from "./page-tree.ts";

export interface OutlineOptions {
  readonly interactive?: boolean | undefined;
  readonly compact?: boolean | undefined;
  readonly depth?: number | undefined;
  readonly editables?: ReadonlySet<PageRef>;
}

export interface OutlineNode {
  readonly index: number;
  readonly parent: number;
  /** The index after its last descendant. */
  readonly end: number;
  readonly depth: number;
  readonly role: string;
  readonly interactive: boolean;
  readonly page: PageNode;
}

export type Outline = readonly OutlineNode[];

const noEditables: ReadonlySet<PageRef> = new Set();
const frames = new Set(["iframe", "dialog", "alertdialog"]);
/** This many similar containers get a line each even without a name. */
const minSimilarContainers = 6;

export function outlineOf(tree: PageTree, options: OutlineOptions = {}): Outline {
  const editables = options.editables ?? noEditables;
  const nodes: (OutlineNode & { end: number })[] = [];
  const leaves = leafCounts(tree, (node) => (options.interactive ? isInteractive(node, editables) : hasWords(node)));

  const visit = (siblings: readonly PageNode[], parent: number, depth: number, parentName: string): void => {
    const cards = cardRoles(siblings, leaves);
    for (const node of siblings) {
      const interactive = isInteractive(node, editables);
      const keep = isKept(node, interactive, parentName, leaves[node.index]! >= 2 && cards.has(node.role));
      if (!keep || (options.depth !== undefined && depth > options.depth)) {
        if (!keep) visit(childrenOf(tree, node.index), parent, depth, parentName);
        continue;
      }
      const index = nodes.length;
      const role = roleOf(node, interactive, editables);
      const own = { index, parent, end: index + 1, depth, role, interactive, page: node };
      nodes.push(own);
      visit(childrenOf(tree, node.index), index, depth + 1, interactive || node.role === "heading" ? node.name : "");
      own.end = nodes.length;
      if (options.compact && isRedundant(nodes, index)) hoist(nodes, index);
      else if (options.interactive && !interactive && own.end === index + 1) nodes.pop();
    }
  };

  const isKept = (node: PageNode, interactive: boolean, parentName: string, card: boolean): boolean => {
    if (interactive) return true;
    if (options.interactive) return card || frames.has(node.role);
    if (node.role === "text") return !parentName.includes(node.text ?? "");
    if (isPlain(node)) return card || (node.text !== undefined && !parentName.includes(node.text));
    return true;
  };

  visit(childrenOf(tree, -1), -1, 0, "");
  return nodes;
}

/** Roles that occur many times here, each containing several things: the cards, rows or items of a list. */
function cardRoles(siblings: readonly PageNode[], leaves: Uint32Array): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { role, index } of siblings) if (leaves[index]! >= 2) counts.set(role, (counts.get(role) ?? 0) + 1);
  return new Set([...counts].flatMap(([role, count]) => (count >= minSimilarContainers ? [role] : [])));
}

const isPlain = (node: PageNode): boolean => node.role === "generic" && node.name === "";

function roleOf(node: PageNode, interactive: boolean, editables: ReadonlySet<PageRef>): string {
  if (node.ref !== undefined && editables.has(node.ref) && node.role !== "textbox") return "editable";
  if (node.role === "paragraph" && node.name === "" && node.text !== undefined) return "text";
  if (node.role !== "generic") return node.role;
  if (interactive) return "clickable";
  return node.text === undefined || node.name !== "" ? "group" : "text";
}

/** A container of at most one child, without text or state. */
function isRedundant(nodes: Outline, index: number): boolean {
  const { page, interactive, end, role } = nodes[index]!;
  if (interactive || page.name !== "" || page.text !== undefined || page.states.length > 0) return false;
  if (role === "text" || frames.has(role)) return false;
  return end === index + 1 || nodes[index + 1]!.end === end;
}

function hoist(nodes: (OutlineNode & { end: number })[], index: number): void {
  const { parent } = nodes[index]!;
  nodes.splice(index, 1);
  for (let at = index; at < nodes.length; at++) {
    const node = nodes[at]!;
    const up = node.parent === index ? parent : node.parent > index ? node.parent - 1 : node.parent;
    nodes[at] = { ...node, index: at, parent: up, end: node.end - 1, depth: node.depth - 1 };
  }
}

const hasWords = (node: PageNode): boolean => node.text !== undefined || node.name !== "";

/** How many of its descendants, itself included, are relevant. */
function leafCounts(tree: PageTree, isRelevant: (node: PageNode) => boolean): Uint32Array {
  const counts = new Uint32Array(tree.nodes.length);
  for (let at = tree.nodes.length - 1; at >= 0; at--) {
    const node = tree.nodes[at]!;
    if (isRelevant(node)) counts[at]! += 1;
    if (node.parent >= 0) counts[node.parent]! += counts[at]!;
  }
  return counts;
}
