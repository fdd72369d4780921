/**
 * Rows, items, cards and announcements: containers that a person knows by the words in them.
 *
 * - `isRow(node)`; `isUnnamedRow(line)` one that is known by nothing but the words in it; `titlesIn(tree)` which links are titles rather than controls.
 * - `rowsOf(tree)` `wordsOf(row)` its words and titles, without its controls and rows inside it; `around(node)` the row that a
 *   node is in. Each row is read once.
 */
import { isInteractive } from "./interactive.ts";
import { type PageNode, type PageTree, wordsIn } from "./page-tree.ts";

const roles: ReadonlySet<string> = new Set(["alert", "article", "figure", "listitem", "row", "status", "treeitem"]);
const noEditables: ReadonlySet<string> = new Set();

export const isRow = ({ role }: PageNode): boolean => roles.has(role);

export const isUnnamedRow = ({ page }: { readonly page: PageNode }): boolean =>
  isRow(page) && page.name === "" && page.text === undefined;

export interface Rows {
  wordsOf(row: PageNode): string;
  around(node: PageNode): PageNode | undefined;
}

export type IsTitle = (node: PageNode) => boolean;

/** A link that no other is called like is what its row is about; "Edit" is in every row. */
export function titlesIn({ nodes }: PageTree): IsTitle {
  const links = nodes.filter(({ role, name }) => role === "link" && name !== "");
  const counts = new Map<string, number>();
  for (const { name } of links) counts.set(name, (counts.get(name) ?? 0) + 1);
  return ({ role, name }) => role === "link" && counts.get(name) === 1;
}

export function rowsOf(tree: PageTree): Rows {
  const known = new Map<PageNode, string>();
  const isTitle = titlesIn(tree);
  const isLeftOut = (node: PageNode) => isRow(node) || (isInteractive(node, noEditables) && !isTitle(node));
  return {
    wordsOf(row) {
      const found = known.get(row) ?? (row.name || row.text || wordsIn(tree.nodes, row, isLeftOut));
      known.set(row, found);
      return found;
    },
    around(node) {
      for (let at = node.parent; at >= 0; at = tree.nodes[at]!.parent) {
        if (isRow(tree.nodes[at]!)) return tree.nodes[at];
      }
      return undefined;
    },
  };
}
