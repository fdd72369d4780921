/**
 * Playwright's own code in a page, called without a message to it. Runs in the isolated world of every frame and is sent as
 * text, like page-world.ts. Playwright evaluates both together, and then sets a property of its object: that is how it is
 * found (version 1.65; direct-way.test.ts fails when this changes, and everything works through Playwright then).
 *
 * - `tree(boxes)` what `ariaSnapshotJSON({ mode: "ai" })` gives; null when another frame has a part in it.
 * - `describe(element)` its selector, role and name, as Playwright would write them in a test; the selector with the exact name
 *   where that is enough.
 */
export interface DriverCode {
  tree(boxes: boolean): unknown;
  describe(element: Element): { readonly selector: string; readonly role: string; readonly name: string } | undefined;
}

interface Injected {
  ariaSnapshotJSON(root: Element, options: object): { json: unknown; iframeRefs: readonly string[] };
  generateSelectorSimple(element: Element): string;
  parseSelector(selector: string): unknown;
  querySelectorAll(selector: unknown, root: Node): Element[];
  readonly utils: {
    getAriaRole(element: Element): string | null;
    getElementAccessibleNameText(element: Element, includeHidden: boolean): string;
  };
}

export function driverCode(): DriverCode {
  const property = "_stableRafCount";
  let injected: Injected | undefined;
  try {
    Object.defineProperty(Object.prototype, property, {
      configurable: true,
      set(this: Injected, value: unknown) {
        delete (Object.prototype as Record<string, unknown>)[property];
        Object.defineProperty(this, property, { value, configurable: true, enumerable: true, writable: true });
        injected = this;
      },
    });
  } catch {
    // Playwright runs this in the page's own world too, where a page may have taken the name. It is not needed there.
  }
  return {
    tree(boxes) {
      const root = document.querySelector("body,frameset");
      const read = root && injected?.ariaSnapshotJSON(root, { mode: "ai", boxes });
      return read && read.iframeRefs.length === 0 ? read.json : null;
    },
    describe(element) {
      if (!injected) return undefined;
      const role = injected.utils.getAriaRole(element) ?? "";
      const name = injected.utils.getElementAccessibleNameText(element, false);
      return { selector: lastingSelector(injected, element, role, name), role, name };
    },
  };

  /** As evidence/durable-target.ts does it: the suggested one may match other words too. */
  function lastingSelector(from: Injected, element: Element, role: string, name: string): string {
    const suggested = from.generateSelectorSimple(element);
    if (role === "" || name === "" || !/internal:(role|label|text|attr)=[^>]*"i\]?$/.test(suggested)) return suggested;
    const own = `internal:role=${role}[name="${name.replace(/[\\"]/g, "\\$&")}"s]`;
    const found = from.querySelectorAll(from.parseSelector(own), document);
    return found.length === 1 && found[0] === element ? own : suggested;
  }
}
