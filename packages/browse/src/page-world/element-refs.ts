/**
 * Gives each element a ref for life. Runs in the isolated world of every frame and is sent as text, like page-world.ts.
 *
 * - `elementRefs(parts)` puts the refs where Playwright looks for them, in `_ariaRef`: Playwright would assign a new one when a
 *   name changes. A ref contains its document's number, so that it never means another element.
 */
export interface ElementRefs {
  readonly documentNumber: string;
  refOf(element: Element): string;
  /** The last digits of its ref. */
  numberOf(element: Element): number;
  /** Only what is still in the document. */
  find(ref: string): Element | undefined;
  findNumber(number: number): Element | undefined;
  all(): ReadonlyMap<number, WeakRef<Element>>;
}

export interface RefParts {
  /** Called for each element that is about to be read. */
  beforeElement(element: Element): void;
  /** Something in it has a ref. */
  onShadowRoot(root: ShadowRoot): void;
}

export function elementRefs({ beforeElement, onShadowRoot }: RefParts): ElementRefs {
  interface AriaRef {
    ref: string;
  }
  const documentNumber = String(Math.floor(Math.random() * 899_999_999) + 100_000_000);
  const refs = new WeakMap<Element, AriaRef>();
  /** By number, since a ref may or may not have its frame's prefix. */
  const elements = new Map<number, WeakRef<Element>>();
  let count = 0;
  let prefix = "";

  function mint(element: Element, entry: AriaRef): string {
    entry.ref = `${prefix}e${documentNumber}${String(++count).padStart(6, "0")}`;
    refs.set(element, entry);
    elements.set(count, new WeakRef(element));
    // Pages that keep creating elements leave dead entries behind.
    if (count % 10_000 === 0) for (const [number, known] of elements) if (!known.deref()) elements.delete(number);
    return entry.ref;
  }
  Object.defineProperty(Element.prototype, "_ariaRef", {
    configurable: true,
    get(this: Element) {
      beforeElement(this);
      return refs.get(this);
    },
    set(this: Element, given: AriaRef) {
      const known = refs.get(this);
      if (known) {
        given.ref = known.ref;
        refs.set(this, given);
        return;
      }
      prefix = /^f\d+/.exec(given.ref)?.[0] ?? "";
      mint(this, given);
      const root = this.getRootNode();
      if (root instanceof ShadowRoot) onShadowRoot(root);
    },
  });
  const refOf = (element: Element): string => refs.get(element)?.ref ?? mint(element, { ref: "" });
  const findNumber = (number: number): Element | undefined => {
    const element = elements.get(number)?.deref();
    return element?.isConnected ? element : undefined;
  };
  const find = (ref: string): Element | undefined => {
    const [, document, number] = /e(\d{9})(\d{6,})$/.exec(ref) ?? [];
    return document === documentNumber ? findNumber(Number(number)) : undefined;
  };
  const numberOf = (element: Element): number => Number(/e\d{9}(\d{6,})$/.exec(refOf(element))?.[1]);
  return { documentNumber, refOf, numberOf, find, findNumber, all: () => elements };
}
