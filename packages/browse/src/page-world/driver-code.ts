/**
 * Playwright's own code in a page, called without a message to it. Runs in the isolated world of every frame and is sent as
 * text, like page-world.ts. Playwright evaluates both together, and then sets a property of its object: that is how it is
 * found (version 1.65; direct-way.test.ts fails when this changes, and everything works through Playwright then).
 *
 * - `tree(boxes)` what `ariaSnapshotJSON({ mode: "ai" })` gives; null when another frame has a part in it.
 * - `describe(element)` its selector, role and name, as Playwright would write them in a test.
 */
export interface DriverCode {
  tree(boxes: boolean): unknown;
  describe(element: Element): { readonly selector: string; readonly role: string; readonly name: string } | undefined;
}

interface Injected {
  ariaSnapshotJSON(root: Element, options: object): { json: unknown; iframeRefs: readonly string[] };
  generateSelectorSimple(element: Element): string;
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
      return (
        injected && {
          selector: injected.generateSelectorSimple(element),
          role: injected.utils.getAriaRole(element) ?? "",
          name: injected.utils.getElementAccessibleNameText(element, false),
        }
      );
    },
  };
}
