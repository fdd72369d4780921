/**
 * What lies behind an open menu or dialog: hidden from screen readers, and no pointer reaches it until that is closed.
 *
 * - `behindIn(tree)` pure: whether a node does.
 */
import type { PageNode, PageTree } from "./page-tree.ts";

export function behindIn({ nodes }: PageTree): (node: PageNode) => boolean {
  const inside = new Uint8Array(nodes.length);
  for (const { index, end, states } of nodes) if (states.includes("aria-hidden")) inside.fill(1, index, end);
  return ({ index, ref }) => inside[index] === 1 && ref === undefined;
}
