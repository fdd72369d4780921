/**
 * Where elements are, measured once while one question is answered: the tree, what is in view and the marks all need it, and
 * nothing can move meanwhile. Runs in the isolated world of every frame and is sent as text, like page-world.ts; Playwright's
 * code there uses it too.
 *
 * - `during(work)` its result. It must not scroll or change anything.
 */
export interface RememberedBoxes {
  during<T>(work: () => T): T;
}

export function rememberBoxes(): RememberedBoxes {
  return {
    during(work) {
      const measure = Element.prototype.getBoundingClientRect;
      const known = new Map<Element, DOMRect>();
      Element.prototype.getBoundingClientRect = function (this: Element): DOMRect {
        const box = known.get(this) ?? measure.call(this);
        known.set(this, box);
        return box;
      };
      try {
        return work();
      } finally {
        Element.prototype.getBoundingClientRect = measure;
      }
    },
  };
}
