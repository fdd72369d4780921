/**
 * Tells elements of the same role and name apart by what is around them.
 *
 * - `placesOf(tree, nodes)` pure: for each node that has a namesake among `nodes`, or no name, the words of its row, item or
 *   card.
 */
import { isInteractive } from "./interactive.ts";
import { type PageNode, type PageTree, wordsIn } from "./page-tree.ts";

const maxPlace = 40;
const noEditables: ReadonlySet<string> = new Set();

export function placesOf(tree: PageTree, nodes: readonly PageNode[]): ReadonlyMap<PageNode, string> {
  const places = new Map<PageNode, string>();
  const groups = Map.groupBy(nodes, ({ role, name }) => `${role}\n${name}`);
  for (const group of groups.values()) {
    if (group.length < 2) {
      // What has no name of its own belongs to its row at least.
      const [only] = group;
      const place = only?.name === "" ? rowOf(tree, only) : undefined;
      if (only && place) places.set(only, place);
      continue;
    }
    // In reading order, so whether a container has another one shows at the neighbours.
    group.sort((a, b) => a.index - b.index);
    for (const [at, node] of group.entries()) {
      const place = placeOf(tree, node, group[at - 1]?.index ?? -1, group[at + 1]?.index ?? Number.POSITIVE_INFINITY);
      if (place !== undefined) places.set(node, place);
    }
  }
  return places;
}

const rows = new Set(["article", "figure", "listitem", "row", "treeitem"]);

function rowOf(tree: PageTree, node: PageNode): string | undefined {
  for (let at = node.parent; at >= 0; at = tree.nodes[at]!.parent) {
    const around = tree.nodes[at]!;
    if (rows.has(around.role)) return shortened(around.name || wordsIn(tree.nodes, around, (one) => one === node));
  }
  return undefined;
}

const shortened = (words: string): string => (words.length > maxPlace ? `${words.slice(0, maxPlace)}…` : words);

/** The smallest container with words of its own that contains no namesake. */
function placeOf(tree: PageTree, node: PageNode, before: number, after: number): string | undefined {
  for (let at = node.parent; at >= 0; at = tree.nodes[at]!.parent) {
    const around = tree.nodes[at]!;
    if (before >= at || after < around.end) return undefined;
    const isOther = (one: PageNode) => one === node || isRepeated(one, node);
    const words =
      around.name ||
      wordsIn(tree.nodes, around, (one) => isOther(one) || isInteractive(one, noEditables)) ||
      wordsIn(tree.nodes, around, isOther);
    if (words !== "") return shortened(words);
  }
  return undefined;
}

/** A label beside a field repeats its name. */
const isRepeated = (one: PageNode, node: PageNode): boolean => one.text === node.name && one.name === "";
