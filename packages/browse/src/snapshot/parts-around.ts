/**
 * The words in a control's own row, item or card, one by one.
 *
 * - `partsAround(tree, node, others)` pure: what stands in the largest container that has none of the others; its titles first.
 */
import { isInteractive } from "./interactive.ts";
import type { PageNode, PageTree } from "./page-tree.ts";
import { isRow, titlesIn } from "./rows.ts";

export interface PartsAround {
  /** The role of the row or item; `generic` for a card that has none. */
  readonly role: string;
  readonly words: readonly string[];
}

const titleRoles: ReadonlySet<string> = new Set(["heading", "rowheader"]);
const noEditables: ReadonlySet<string> = new Set();

export function partsAround(tree: PageTree, node: PageNode, others: readonly PageNode[]): PartsAround {
  const isAlone = ({ index, end }: PageNode) =>
    !others.some((other) => other !== node && other.index > index && other.index < end);
  let around: PageNode | undefined;
  let role = "generic";
  for (let at = node.parent; at >= 0 && isAlone(tree.nodes[at]!); at = tree.nodes[at]!.parent) {
    around = tree.nodes[at]!;
    if (isRow(around)) role = around.role;
  }
  if (!around) return { role, words: [] };
  const isTitleLink = titlesIn(tree);
  const isTitle = (one: PageNode) => titleRoles.has(one.role) || isTitleLink(one);
  const inside = tree.nodes
    .slice(around.index, around.end)
    .filter((one) => isTitle(one) || (one !== node && !isInteractive(one, noEditables)));
  const words = [...inside.filter(isTitle), ...inside].map((one) => one.name || (one.text ?? ""));
  return { role, words: [...new Set(words.filter((own) => own !== "" && own !== node.name))] };
}
