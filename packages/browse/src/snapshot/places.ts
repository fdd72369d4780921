/**
 * Tells elements of the same role and name apart by what is around them.
 *
 * - `placesOf(tree, nodes)` pure: for each node that has a namesake among `nodes`, or no name, the words of its row, item or
 *   card.
 * - `wordsAround(tree, node)` pure: what stands beside words that say little.
 * - `shortened(words)` as long as a place may be.
 */
import { isField, isInteractive } from "./interactive.ts";
import { type PageNode, type PageTree, wordsIn } from "./page-tree.ts";
import { type IsTitle, isRow, titlesIn } from "./rows.ts";

const maxPlace = 40;
const noEditables: ReadonlySet<string> = new Set();

export function placesOf(tree: PageTree, nodes: readonly PageNode[]): ReadonlyMap<PageNode, string> {
  const places = new Map<PageNode, string>();
  const isTitle = titlesIn(tree);
  const groups = Map.groupBy(nodes, ({ role, name }) => `${role}\n${name}`);
  for (const group of groups.values()) {
    if (group.length < 2) {
      // What has no name of its own belongs to its row at least, and a field to the words beside it.
      const [only] = group;
      const place = only?.name === "" ? (rowOf(tree, only) ?? beside(tree, only, isTitle)) : undefined;
      if (only && place) places.set(only, place);
      continue;
    }
    // In reading order, so whether a container has another one shows at the neighbours.
    group.sort((a, b) => a.index - b.index);
    const perFrame = Map.groupBy(group, ({ frame }) => frame);
    const words = new Map<PageNode, string>();
    for (const [at, node] of group.entries()) {
      const isOnly = node.frame > 0 && perFrame.get(node.frame)!.length === 1;
      const [before, after] = [group[at - 1]?.index ?? -1, group[at + 1]?.index ?? Number.POSITIVE_INFINITY];
      const place = isOnly
        ? frameLabel(tree, node.frame)
        : (placeOf(tree, node, isTitle, before, after) ?? wordsBefore(tree, node));
      if (place !== undefined) words.set(node, place);
    }
    for (const [node, place] of toldApart(words)) places.set(node, place);
  }
  return places;
}

/** What differs may come late: of those that begin alike, all is said. */
function toldApart(words: ReadonlyMap<PageNode, string>): Map<PageNode, string> {
  const alike = Map.groupBy(new Set(words.values()), shortened);
  return new Map(
    [...words].map(([node, place]) => {
      const short = shortened(place);
      return [node, alike.get(short)!.length > 1 ? place : short];
    }),
  );
}

/** Equal frames have equal words in them. */
function frameLabel({ nodes }: PageTree, frame: number): string {
  const inside = nodes[frame - 1]!;
  return inside.name || inside.title || `frame ${nodes.slice(0, frame).filter(({ role }) => role === "iframe").length}`;
}

function rowOf(tree: PageTree, node: PageNode): string | undefined {
  for (let at = node.parent; at >= 0; at = tree.nodes[at]!.parent) {
    const around = tree.nodes[at]!;
    if (isRow(around)) return shortened(around.name || wordsIn(tree.nodes, around, (one) => one === node));
  }
  return undefined;
}

function beside(tree: PageTree, node: PageNode, isTitle: IsTitle): string | undefined {
  if (!isField(node)) return undefined;
  const words = wordsBefore(tree, node) ?? placeOf(tree, node, isTitle, -1, Number.POSITIVE_INFINITY) ?? "";
  return words.length > maxPlace ? undefined : words;
}

/** `Name: [    ]`, without a label. */
function wordsBefore(tree: PageTree, node: PageNode): string | undefined {
  const before = tree.nodes[node.index - 1];
  const isWords = before?.parent === node.parent && before.text !== undefined && !isInteractive(before, noEditables);
  return node.name === "" && isField(node) && isWords ? before.text : undefined;
}

export const shortened = (words: string): string => (words.length > maxPlace ? `${words.slice(0, maxPlace)}…` : words);

/** The words of the smallest container that has others than the node's own and those of controls. */
export function wordsAround(tree: PageTree, node: PageNode): string {
  const isLeftOut = (one: PageNode) => one.index === node.index || isInteractive(one, noEditables);
  for (let at = node.parent; at >= 0; at = tree.nodes[at]!.parent) {
    const around = tree.nodes[at]!;
    const words = around.name || wordsIn(tree.nodes, around, isLeftOut);
    if (words !== "") return words;
  }
  return "";
}

/**
 * The smallest container with words of its own that contains no namesake. The names of other controls are no such words, unless
 * there are no others: a row ends in "Edit" and "Delete", and is known by its title and its cells.
 */
function placeOf(tree: PageTree, node: PageNode, isTitle: IsTitle, before: number, after: number): string | undefined {
  const isOther = (one: PageNode) => one === node || isRepeated(one, node);
  const isControl = (one: PageNode) => isOther(one) || (isInteractive(one, noEditables) && !isTitle(one));
  for (const isLeftOut of [isControl, isOther]) {
    for (let at = node.parent; at >= 0; at = tree.nodes[at]!.parent) {
      const around = tree.nodes[at]!;
      if (before >= at || after < around.end) break;
      const words = (!isInteractive(around, noEditables) && around.name) || wordsIn(tree.nodes, around, isLeftOut);
      if (words !== "") return words;
    }
  }
  return undefined;
}

/** A label beside a field repeats its name. */
const isRepeated = (one: PageNode, node: PageNode): boolean => one.text === node.name && one.name === "";
