/**
 * Where elements stand in their document. Runs in the isolated world of every frame and is sent as text, like page-world.ts.
 *
 * - `documentOrder(elements)` the place of each in reading order, to compare with others of the same moment. Inside a shadow root
 *   the places of its hosts come first.
 */
export type Order = readonly number[];

export function documentOrder(elements: readonly Element[]): ReadonlyMap<Element, Order> {
  type Root = Document | ShadowRoot;
  const order = new Map<Element, Order>();
  const hostsOf = (root: Root): Order => {
    if (!(root instanceof ShadowRoot)) return [];
    const outer = root.host.getRootNode() as Root;
    return [...hostsOf(outer), [...outer.querySelectorAll("*")].indexOf(root.host)];
  };
  for (const [root, own] of Map.groupBy(elements, (element) => element.getRootNode() as Root)) {
    const left = new Set(own);
    const hosts = hostsOf(root);
    const all = root.querySelectorAll("*");
    for (let at = 0; at < all.length && left.size > 0; at++) {
      const element = all[at]!;
      if (left.delete(element)) order.set(element, [...hosts, at]);
    }
  }
  return order;
}
