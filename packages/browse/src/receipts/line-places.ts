/**
 * Where the lines of a receipt are: how deep among those that are shown, and for namesakes in which row or part of the page.
 *
 * - `withPlaces(after, shown)` pure: with their depth, and a place where another is called the same.
 * - `placeOfChange(after, node, rows)` pure: the words of its row, or what stands beside words that say little.
 */
import { isInteractive } from "../snapshot/interactive.ts";
import { type PageNode, type PageTree, wordsIn } from "../snapshot/page-tree.ts";
import { placesOf, shortened, wordsAround } from "../snapshot/places.ts";
import type { Rows } from "../snapshot/rows.ts";
import type { Ranked } from "./rank-lines.ts";
import { isScope } from "./telling-lines.ts";

const noEditables: ReadonlySet<string> = new Set();
const announced = new Set(["alert", "alertdialog", "dialog", "status"]);

type There = Ranked & { readonly kind: "added" | "left" };
const isThere = <One extends Ranked>(one: One): one is One & There => one.kind === "added" || one.kind === "left";

export function withPlaces(after: PageTree, shown: readonly Ranked[]): (Ranked & { depth: number })[] {
  const depths = new Map<number, number>();
  const up = new Map<PageNode, number>();
  const deep = shown.map((one) => {
    let at = isThere(one) ? one.page.parent : -1;
    while (at >= 0 && !depths.has(at)) at = after.nodes[at]!.parent;
    const depth = at < 0 ? 0 : depths.get(at)! + 1;
    if (isThere(one)) {
      depths.set(one.page.index, depth);
      up.set(one.page, at);
    }
    return { ...one, depth };
  });
  const unclear = deep.filter((one) => isThere(one) && isInteractive(one.page, noEditables));
  if (unclear.length === 0) return deep;
  const places = placesOf(
    after,
    after.nodes.filter((node) => isInteractive(node, noEditables)),
  );
  const isTwin = (one: PageNode, other: PageNode) =>
    one !== other && one.role === other.role && one.name === other.name && up.get(one) === up.get(other);
  return deep.map((one) => {
    const needsPlace = isThere(one) && one.node.interactive && !isScope(one.page);
    const place = needsPlace ? places.get(one.page) : undefined;
    if (!needsPlace || !place) return one;
    const isClear = one.depth > 0 && !unclear.some(({ page }) => isTwin(one.page, page));
    return isClear ? one : { ...one, node: { ...one.node, place } };
  });
}

/** "free" became "taken": in which row? */
export function placeOfChange(after: PageTree, node: PageNode, rows: Rows): string | undefined {
  if (isInteractive(node, noEditables) || isScope(node)) return undefined;
  const row = rows.around(node);
  if (!row) return besideChange(after, node);
  const isLeftOut = (one: PageNode) => one.index === node.index || isInteractive(one, noEditables);
  return shortened(wordsIn(after.nodes, row, isLeftOut)) || undefined;
}

const mostSaid = 12;

/** A number or a mark says nothing without what stands beside it. */
function besideChange(after: PageTree, node: PageNode): string | undefined {
  if (node.name !== "" || (node.text ?? "").length > mostSaid || announced.has(node.role)) return undefined;
  return shortened(wordsAround(after, node)) || undefined;
}
