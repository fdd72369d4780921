/**
 * Tells elements of the same role and name apart by what is around them.
 *
 * - `placesOf(tree, nodes)` pure: for each node that has a namesake among `nodes`, the words of its row, item or card.
 */
import { type PageNode, type PageTree, wordsIn } from "./page-tree.ts";

const maxPlace = 40;

export function placesOf(tree: PageTree, nodes: readonly PageNode[]): ReadonlyMap<PageNode, string> {
  const places = new Map<PageNode, string>();
  const groups = Map.groupBy(nodes, ({ role, name }) => `${role}\n${name}`);
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    for (const node of group) {
      const place = placeOf(tree, node, group);
      if (place !== undefined) places.set(node, place);
    }
  }
  return places;
}

/** The smallest container with words of its own that contains no namesake. */
function placeOf(tree: PageTree, node: PageNode, namesakes: readonly PageNode[]): string | undefined {
  for (let at = node.parent; at >= 0; at = tree.nodes[at]!.parent) {
    const around = tree.nodes[at]!;
    if (namesakes.some((other) => other !== node && other.index > at && other.index < around.end)) return undefined;
    const words = around.name || wordsIn(tree.nodes, around, (one) => one === node || isRepeated(one, node));
    if (words !== "") return words.length > maxPlace ? `${words.slice(0, maxPlace)}…` : words;
  }
  return undefined;
}

/** A label beside a field repeats its name. */
const isRepeated = (one: PageNode, node: PageNode): boolean => one.text === node.name && one.name === "";
