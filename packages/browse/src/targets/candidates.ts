/**
 * The live elements closest to a target that was not found.
 *
 * - `closestTo(wanted, tree)` pure: same role and name first, then similar names; at most `limit`.
 */
import { isInteractive } from "../snapshot/interactive.ts";
import { isLabelAround } from "../snapshot/labels.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { placesOf } from "../snapshot/places.ts";

export interface Wanted {
  readonly role?: string | undefined;
  readonly name: string;
}

export function closestTo(wanted: Wanted, tree: PageTree, limit = 3): PageNode[] {
  const isThing = ({ role, hasPointerCursor }: PageNode) => (role === "generic" ? hasPointerCursor : role !== "iframe");
  const there = tree.nodes.filter((node) => node.ref !== undefined && isThing(node) && !isLabelAround(tree, node));
  const places = placesOf(
    tree,
    there.filter((node) => node.name === "" && isInteractive(node, noEditables)),
  );
  return there
    .map((node) => ({ node, score: similarity(wanted, node, places.get(node)) }))
    .filter(({ score }) => score >= 0.5)
    .sort((a, b) => b.score - a.score || a.node.index - b.node.index)
    .slice(0, limit)
    .map(({ node }) => node);
}

const noEditables: ReadonlySet<string> = new Set();

/** What has no name is known by the words beside it. */
function similarity(wanted: Wanted, node: PageNode, place = ""): number {
  const sameRole = wanted.role === node.role ? 0.4 : 0;
  const name = node.name || (node.text ?? place);
  if (wanted.name === "" || name === "") return wanted.name === name ? sameRole + 0.1 : 0;
  if (wanted.name === name) return sameRole + 1;
  const [asked, is] = [wanted.name.toLowerCase(), name.toLowerCase()];
  if (asked.length >= 3 && is.length < 3 * asked.length && is.includes(asked)) return sameRole + 0.55;
  return sameRole + 0.6 * overlap(pairs(wanted.name), pairs(name));
}

/** Dice's coefficient over letter pairs: cheap, and word order hardly matters. */
function overlap(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let shared = 0;
  let total = 0;
  for (const [pair, count] of a) shared += Math.min(count, b.get(pair) ?? 0);
  for (const map of [a, b]) for (const count of map.values()) total += count;
  return total === 0 ? 0 : (2 * shared) / total;
}

function pairs(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const plain = text.toLowerCase().slice(0, 100);
  for (let at = 0; at + 1 < plain.length; at++) {
    const pair = plain.slice(at, at + 2);
    found.set(pair, (found.get(pair) ?? 0) + 1);
  }
  return found;
}
