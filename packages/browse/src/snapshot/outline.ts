/**
 * The lines of a page worth reading: meaningless containers are left out and their children move up.
 *
 * - `outlineOf(tree, options)` pure. `interactive` keeps elements you can act on and the frames and dialogs around them;
 *   `compact` also drops redundant containers; `depth` cuts deeper lines.
 */
import type { PageRef } from "../page-world/questions.ts";
import { behindIn } from "./behind.ts";
import { isInteractive } from "./interactive.ts";
import { isLabelAround, wordsOfControls } from "./labels.ts";
import { childrenOf, type PageNode, type PageTree, wordsIn } from "./page-tree.ts";
import { placesOf, shortened } from "./places.ts";
import { isUnnamedRow, rowsOf } from "./rows.ts";
import { tableTitles } from "./table-titles.ts";

export interface OutlineOptions {
  readonly interactive?: boolean | undefined;
  readonly compact?: boolean | undefined;
  readonly depth?: number | undefined;
  readonly editables?: ReadonlySet<PageRef>;
  /** Elements without a role that can be clicked. */
  readonly clickables?: ReadonlySet<PageRef>;
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
  /** What distinguishes it from others of the same role and name, or names a container that has no name. */
  readonly place?: string;
}

export type Outline = readonly OutlineNode[];

const noEditables: ReadonlySet<PageRef> = new Set();
const frames = new Set(["iframe", "dialog", "alertdialog"]);
/** What a page wants to be noticed. */
const announcing = new Set(["alert", "status"]);
const containers = new Set([
  "complementary",
  "group",
  "list",
  "log",
  "navigation",
  "region",
  "section",
  "status",
  "tabpanel",
  "toolbar",
]);
/** They listen for what is in them. */
const listeningParts = new Set([
  ...[
    "alertdialog",
    "banner",
    "complementary",
    "contentinfo",
    "dialog",
    "form",
    "grid",
    "list",
    "main",
    "menu",
    "menubar",
  ],
  ...[
    "navigation",
    "radiogroup",
    "region",
    "rowgroup",
    "search",
    "table",
    "tablist",
    "tabpanel",
    "toolbar",
    "tree",
    "treegrid",
  ],
]);
/** Parts of a sentence: what they say is in the name of the link or button around them. */
const inline = new Set([
  "code",
  "emphasis",
  "generic",
  "img",
  "paragraph",
  "strong",
  "subscript",
  "superscript",
  "text",
  "time",
]);
const maxWords = 60;
/** This many similar containers get a line each even without a name. */
const minSimilarContainers = 6;

export function outlineOf(tree: PageTree, options: OutlineOptions = {}): Outline {
  const editables = options.editables ?? noEditables;
  const nodes: (OutlineNode & { end: number })[] = [];
  const found = options.clickables ?? tree.clickables ?? noEditables;
  const isControl = (node: PageNode): boolean =>
    isInteractive(node, editables) || (node.ref !== undefined && found.has(node.ref));
  const parts = tree.nodes.filter((node) => found.has(node.ref ?? "") && isPart(tree, node, isControl));
  const clickables = parts.length === 0 ? found : found.difference(new Set(parts.map(({ ref }) => ref!)));
  const repeated = wordsOfControls(tree);
  const isBehind = behindIn(tree);
  const isActive = (node: PageNode): boolean =>
    !(options.interactive && isBehind(node)) &&
    (isInteractive(node, editables) || (node.ref !== undefined && clickables.has(node.ref))) &&
    !isLabelAround(tree, node);
  const titles = options.interactive ? tableTitles(tree) : new Map<PageNode, PageNode>();
  const leaves = leafCounts(tree, (node) => (options.interactive ? isActive(node) : hasWords(node)));

  const visit = (siblings: readonly PageNode[], parent: number, depth: number, parentName: string): void => {
    const cards = cardRoles(siblings, leaves);
    for (const node of siblings) {
      const interactive = isActive(node);
      const keep = isKept(node, interactive, parentName, leaves[node.index]! >= 2 && cards.has(node.role));
      if (!keep || (options.depth !== undefined && depth > options.depth)) {
        const around = isLabelAround(tree, node) ? node.name : parentName;
        if (!keep) visit(childrenOf(tree, node.index), parent, depth, around);
        continue;
      }
      const index = nodes.length;
      const isFound = node.ref !== undefined && clickables.has(node.ref) && !isInteractive(node, editables);
      const role = isFound ? "clickable" : roleOf(node, interactive, editables);
      const own = { index, parent, end: index + 1, depth, role, interactive, page: node };
      nodes.push(own);
      visit(childrenOf(tree, node.index), index, depth + 1, interactive || node.role === "heading" ? node.name : "");
      own.end = nodes.length;
      if (options.compact && isRedundant(nodes, index)) hoist(nodes, index);
      else if (options.interactive && !interactive && own.end === index + 1 && !isAnnouncing(node)) nodes.pop();
    }
  };

  const isKept = (node: PageNode, interactive: boolean, parentName: string, card: boolean): boolean => {
    if (interactive) return true;
    if (isOutOfSight(node) && wordsIn(tree.nodes, node) === "") return false;
    if (isLabelAround(tree, node) || repeated.has(node.index)) return false;
    if (options.interactive) return card || frames.has(node.role) || isAnnouncing(node) || titles.has(node);
    if (parentName !== "" && inline.has(node.role) && leaves[node.index]! <= 1 && hasWords(node)) {
      return !parentName.includes(node.name || (node.text ?? ""));
    }
    if (node.role === "text") return !parentName.includes(node.text ?? "");
    if (isPlain(node)) return card || (node.text !== undefined && !parentName.includes(node.text));
    return true;
  };

  visit(childrenOf(tree, -1), -1, 0, "");
  return options.interactive ? withPlaces(nodes, tree, titles) : nodes;
}

/** Roles that occur many times here, each containing several things: the cards, rows or items of a list. */
function cardRoles(siblings: readonly PageNode[], leaves: Uint32Array): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { role, index } of siblings) if (leaves[index]! >= 2) counts.set(role, (counts.get(role) ?? 0) + 1);
  return new Set([...counts].flatMap(([role, count]) => (count >= minSimilarContainers ? [role] : [])));
}

/** It has controls of its own, which a person would press. */
const isPart = ({ nodes }: PageTree, { role, index, end }: PageNode, isControl: (node: PageNode) => boolean): boolean =>
  listeningParts.has(role) && nodes.slice(index + 1, end).some(isControl);

const isAnnouncing = (node: PageNode): boolean =>
  announcing.has(node.role) && (node.name !== "" || node.text !== undefined || node.end > node.index + 1);
/** A container without a size, such as the one that waits for toasts. */
const isOutOfSight = ({ ref, holdsRefs, role, text }: PageNode): boolean =>
  ref === undefined && !holdsRefs && text === undefined && containers.has(role);
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

/** Without the text around them, equal lines need a place, and so do containers without a name. */
function withPlaces(nodes: readonly OutlineNode[], tree: PageTree, titles: ReadonlyMap<PageNode, PageNode>): Outline {
  const places = placesOf(
    tree,
    nodes.filter(({ interactive }) => interactive).map(({ page }) => page),
  );
  const rows = rowsOf(tree);
  return nodes.map((node) => {
    const isClickableRow = node.interactive && isUnnamedRow(node);
    const place = isClickableRow ? rows.wordsOf(node.page) : node.interactive ? ownPlace(node) : contentOf(node);
    return place ? { ...node, place } : node;
  });

  /** A container line above it that has no other line like it says enough. */
  function ownPlace({ index, parent, page, role }: OutlineNode): string | undefined {
    const found = places.get(page) ?? (page.beside && shortened(page.beside));
    if (!found || parent < 0 || frames.has(nodes[parent]!.role)) return found;
    const siblings = nodes.slice(parent + 1, nodes[parent]!.end);
    return siblings.some((one) => one.index !== index && one.role === role && one.page.name === page.name)
      ? found
      : undefined;
  }

  function cut(words: string): string {
    return words.length > maxWords ? `${words.slice(0, maxWords)}…` : words;
  }

  function contentOf({ page, index, end }: OutlineNode): string | undefined {
    const title = titles.get(page);
    if (title) return title.name || title.text;
    if (announcing.has(page.role))
      return page.text === undefined && page.name === "" ? wordsIn(tree.nodes, page) : undefined;
    if (page.name !== "" || page.text !== undefined || frames.has(page.role)) return undefined;
    const inside = nodes.slice(index + 1, end).filter(({ interactive }) => interactive);
    // A name that no other line has says which one it is; a table is read by all of its columns.
    if (page.role !== "row" && inside.some(({ page: own }) => own.name !== "" && !places.has(own))) return undefined;
    const words = wordsIn(tree.nodes, page, (one) => inside.some(({ page: own }) => own === one));
    if (inside.some(({ page: { name } }) => name.includes(words.slice(0, 20)))) return undefined;
    // What tells a row from the next one may stand in its last cell.
    return page.role === "row" ? words : cut(words);
  }
}
