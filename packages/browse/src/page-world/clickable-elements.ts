/**
 * Which elements can be clicked although they have no role for it. Runs in the isolated world of every frame and is sent as
 * text, like page-world.ts.
 *
 * - `clickableElements(parentOf)` gives a function of the nodes that listen for clicks, which only the browser knows.
 */
export function clickableElements(
  parentOf: (element: Element) => Element | null,
): (listening: readonly Node[]) => Element[] {
  const native =
    "a[href],button,input,select,textarea,label,option,[role=button],[role=link],[role=menuitem],[role=tab]";
  const hinted = "[onclick],[data-action],[data-href],[jsaction],[tabindex],[role]";
  /**
   * What can be clicked, given the nodes that listen for clicks. A container may listen for its children: similar
   * children all count; under the whole page, or most of it, only those that look clickable.
   */
  return function clickables(listening: readonly Node[]) {
    const found = new Set<Element>();
    const add = (element: Element) => {
      const box = element.getBoundingClientRect();
      const isControl = element.closest(native) !== null;
      if (!isControl && box.width > 1 && box.height > 1 && found.size < 500) found.add(element);
    };
    const hasPointerCursor = (element: Element | null) =>
      element !== null && getComputedStyle(element).cursor === "pointer";
    const looksClickable = (element: Element) =>
      element.matches(hinted) || (hasPointerCursor(element) && !hasPointerCursor(parentOf(element)));
    const whole = document.querySelectorAll("*").length;
    for (const node of listening) {
      // A frame's own code finds what is in it.
      if (node !== document && node.ownerDocument !== document) continue;
      const isPage = node === document || node === document.documentElement || node === document.body;
      const element = node instanceof Element ? node : document.documentElement;
      const children = [...element.children];
      const inside = element.querySelectorAll("*");
      const alike = children.length > 1 && children.every((child) => child.localName === children[0]?.localName);
      if (isPage || inside.length > Math.max(20, whole / 3)) {
        for (const child of inside) if (looksClickable(child)) add(child);
      } else if (alike) for (const child of children) add(child);
      else {
        const likely = [...inside].filter(looksClickable);
        for (const child of likely.length > 0 && !hasPointerCursor(element) ? likely : [element]) add(child);
      }
    }
    return [...found];
  };
}
