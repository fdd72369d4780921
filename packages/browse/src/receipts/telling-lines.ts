/**
 * Which of the elements that came and went get a line of their own.
 *
 * - `addedLines(tree, added, rows)` pure: a row, item or card is one line with its words, and its controls below; containers
 *   without a name, labels of fields and titles that repeat their dialog's name are left out.
 * - `removedLines(tree, removed, isAlone)` pure: the outermost ones, known by their words; others only where they are all that changed.
 * - `isScope(node)` a part of the page that is worth a ref: `snapshot -s @e5`.
 */
import { isField } from "../snapshot/interactive.ts";
import type { OutlineNode } from "../snapshot/outline.ts";
import { type PageNode, type PageTree, wordsIn } from "../snapshot/page-tree.ts";
import { isRow, isUnnamedRow, type Rows, rowsOf } from "../snapshot/rows.ts";

const scopes = new Set(["alertdialog", "dialog", "grid", "iframe", "listbox", "menu", "table", "tree", "treegrid"]);
/** Said even without words of their own. */
const alwaysTold = new Set([...scopes, "canvas", "img", "progressbar", "video"]);

export const isScope = ({ role }: PageNode): boolean => scopes.has(role);

export function addedLines(tree: PageTree, all: readonly OutlineNode[], rows: Rows): OutlineNode[] {
  // Where messages will be shown.
  const added = all.filter(({ page }) => page.role !== "region" || wordsIn(tree.nodes, page) !== "");
  const own = new Set(added.map(({ page }) => page));
  const isRepeated = repeats(tree);
  const lines = added.flatMap((node) => {
    const { page, interactive } = node;
    if (interactive && isUnnamedRow(node) && rows.wordsOf(page) !== "") return withWords(node, rows.wordsOf(page));
    if (interactive || (alwaysTold.has(page.role) && !isInControl(tree, page, own))) return [node];
    if (isRow(page)) return withWords(node, rows.wordsOf(page));
    if (isInControl(tree, page, own)) return [];
    const row = rows.around(page);
    if ((row && own.has(row)) || isWordless(page) || isRepeated(node) || isTitle(tree, page, own)) return [];
    return [node];
  });
  return lines.length === 0 ? [...added] : lines;
}

export function removedLines(tree: PageTree, removed: readonly OutlineNode[], isAlone: boolean): OutlineNode[] {
  const rows = rowsOf(tree);
  const gone = new Set(removed.map(({ page }) => page));
  const isGone = (node: PageNode) => gone.has(node) || isWordless(node);
  /** Nothing in it stayed on the page. */
  const isWhole = ({ index, end }: PageNode) => tree.nodes.slice(index + 1, end).every(isGone);
  const isRepeated = repeats(tree);
  let end = 0;
  const lines = removed.flatMap((node) => {
    const { page } = node;
    if (page.index < end || isRepeated(node)) return [];
    const isKnownRow = isUnnamedRow(node) && rows.wordsOf(page) !== "";
    if (isWordless(page) && ((node.interactive && !isKnownRow && !isScope(page)) || !isWhole(page))) return [];
    end = page.end;
    if (isField(page)) return [{ ...node, page: { ...page, text: undefined } }];
    if ((node.interactive && !isKnownRow) || !(isRow(page) || isWordless(page))) return [node];
    return withWords(node, isRow(page) ? rows.wordsOf(page) : wordsIn(tree.nodes, page));
  });
  return isAlone && lines.length === 0 ? [...removed] : lines;
}

const isWordless = ({ name, text }: PageNode): boolean => name === "" && text === undefined;

function withWords(node: OutlineNode, words: string): OutlineNode[] {
  return words === "" ? [] : [{ ...node, page: { ...node.page, name: words, text: undefined } }];
}

/** The words beside a field are its name. */
function repeats({ nodes }: PageTree): (node: OutlineNode) => boolean {
  const names = new Set(nodes.flatMap((node) => (isField(node) || toggles.has(node.role) ? [node.name] : [])));
  return ({ interactive, page }) => !interactive && page.name === "" && names.has(page.text ?? "");
}

const toggles = new Set(["checkbox", "radio", "switch"]);

/** What is in a button is its name. A card that can be clicked has more to say. */
function isInControl(tree: PageTree, node: PageNode, own: ReadonlySet<PageNode>): boolean {
  for (let at = node.parent; at >= 0; at = tree.nodes[at]!.parent) {
    const around = tree.nodes[at]!;
    if (named.has(around.role)) return own.has(around) && around.name !== "";
  }
  return false;
}

const named = new Set(["button", "link", "menuitem", "option", "tab"]);

/** The heading of a dialog is its name, too. */
function isTitle(tree: PageTree, node: PageNode, own: ReadonlySet<PageNode>): boolean {
  if (node.role !== "heading") return false;
  for (let at = node.parent; at >= 0; at = tree.nodes[at]!.parent) {
    const around = tree.nodes[at]!;
    if (around.name !== "") return around.name === node.name && own.has(around);
  }
  return false;
}
