/**
 * Makes the largest pages readable. Runs in the isolated world of every frame, like page-world.ts, and is sent as text too.
 * It changes what Playwright's code there sees of the document; the page's own scripts see no difference.
 *
 * - Fields find their labels through one pass over the labels. Chromium searches the whole document for each field: with
 *   20,000 buttons that took 7 of 9 s.
 * - A text is cut after 20,000 characters.
 * - `beforeElement(root)` is called for each element that is about to be read. In a document of more than 15,000 elements
 *   (75 µs each), only what is in view is then shown to the reader, or what `lookFor(pattern)` found, 5,000 at most.
 * - `left()` how much the last reading left out.
 */
export interface ReadingLimit {
  isLarge(): boolean;
  beforeElement(element: Element): void;
  /** For the next reading only. */
  lookFor(pattern: RegExp): void;
  left(): { readonly total: number; readonly read: number; readonly places: readonly [Element, number][] } | undefined;
}

export function limitReading(): ReadingLimit {
  const mostElements = 15_000;
  const mostRead = 5_000;
  const mostText = 20_000;
  const mostFound = 200;
  const mostPlaces = 3;
  const getterOf = (of: object, name: string) => Object.getOwnPropertyDescriptor(of, name)?.get as () => unknown;
  const define = (of: object, name: string, get: (this: never) => unknown) =>
    Object.defineProperty(of, name, { configurable: true, enumerable: true, get });

  type Field = HTMLInputElement | HTMLButtonElement;
  let labels: WeakMap<Node, Map<Element, HTMLLabelElement[]>> | undefined;
  const labelsIn = (root: Node): Map<Element, HTMLLabelElement[]> => {
    // No script runs between now and the microtask, so nothing can change meanwhile.
    if (!labels) queueMicrotask(() => (labels = undefined));
    labels ??= new WeakMap();
    const known = labels.get(root);
    if (known) return known;
    const found = new Map<Element, HTMLLabelElement[]>();
    for (const label of (root as Document).querySelectorAll("label")) {
      if (!label.control) continue;
      const others = found.get(label.control);
      if (others) others.push(label);
      else found.set(label.control, [label]);
    }
    labels.set(root, found);
    return found;
  };
  const fields = [
    HTMLButtonElement,
    HTMLInputElement,
    HTMLMeterElement,
    HTMLOutputElement,
    HTMLProgressElement,
    HTMLSelectElement,
    HTMLTextAreaElement,
  ];
  for (const { prototype } of fields) {
    define(prototype, "labels", function (this: Field) {
      if (this.type === "hidden") return null;
      const root = this.getRootNode();
      return root instanceof Document || root instanceof ShadowRoot ? (labelsIn(root).get(this) ?? []) : [];
    });
  }

  const textOf = getterOf(Node.prototype, "nodeValue");
  define(Node.prototype, "nodeValue", function (this: Node) {
    const text = textOf.call(this) as string | null;
    return text !== null && text.length > mostText ? `${text.slice(0, mostText)}…` : text;
  });

  const firstOf = getterOf(Node.prototype, "firstChild");
  const nextOf = getterOf(Node.prototype, "nextSibling");
  let left: ReturnType<ReadingLimit["left"]>;
  let pattern: RegExp | undefined;
  let isReading = false;

  function hide(skipped: ReadonlySet<unknown>): void {
    const seen = (node: unknown): unknown => {
      let at = node;
      while (at && skipped.has(at)) at = nextOf.call(at);
      return at;
    };
    define(Node.prototype, "firstChild", function (this: Node) {
      return seen(firstOf.call(this));
    });
    define(Node.prototype, "nextSibling", function (this: Node) {
      return seen(nextOf.call(this));
    });
    queueMicrotask(() => {
      define(Node.prototype, "firstChild", firstOf);
      define(Node.prototype, "nextSibling", nextOf);
    });
  }

  /** An element without a size may still contain something in view. */
  function mayBeInView(element: Element): boolean {
    const { width, height, top, bottom, left: from, right } = element.getBoundingClientRect();
    if (width === 0 || height === 0) return element.firstElementChild !== null;
    return bottom > 0 && top < innerHeight && right > 0 && from < innerWidth;
  }

  function limit(root: Element, total: number): void {
    const found = pattern && matches(root, pattern);
    const focused = new Set<Element>();
    for (let at = document.activeElement; at; at = at.parentElement) focused.add(at);
    const visit = (isWanted: (element: Element) => boolean) => {
      const skipped = new Set<Element>();
      const counts = new Map<Element, number>();
      let read = 0;
      const enter = (parent: Element): void => {
        for (const child of parent.children) {
          if (read < mostRead && (focused.has(child) || isWanted(child))) {
            read += 1;
            enter(child);
            continue;
          }
          skipped.add(child);
          const inside = child.firstElementChild ? child.getElementsByTagName("*").length : 0;
          counts.set(parent, (counts.get(parent) ?? 0) + 1 + inside);
        }
      };
      enter(root);
      return { skipped, counts, read };
    };
    let result = visit(found ? (element) => found.has(element) : mayBeInView);
    // A part that is not in view is read from its beginning.
    if (!found && result.read === 0) result = visit(() => true);
    const places = [...result.counts].sort((a, b) => b[1] - a[1]).slice(0, mostPlaces);
    left = { total, read: result.read, places };
    hide(result.skipped);
  }

  /** Elements with a matching text or label, what is inside them, and their ancestors. */
  function matches(root: Element, wanted: RegExp): ReadonlySet<Element> {
    const found = new Set<Element>();
    const add = (element: Element | null): void => {
      for (const inside of element?.getElementsByTagName("*") ?? []) if (found.size < mostRead) found.add(inside);
      for (let at = element; at && at !== root; at = at.parentElement) found.add(at);
    };
    let count = 0;
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text && count < mostFound; text = texts.nextNode()) {
      if (wanted.test((text as Text).data) && ++count) add(text.parentElement);
    }
    for (const element of root.querySelectorAll("[aria-label],[title],[alt],[placeholder],input,textarea")) {
      if (count >= mostFound) break;
      const words = ["aria-label", "title", "alt", "placeholder"].map((name) => element.getAttribute(name) ?? "");
      if ([...words, (element as HTMLInputElement).value ?? ""].some((one) => wanted.test(one)) && ++count)
        add(element);
    }
    return found;
  }

  return {
    isLarge: () => document.getElementsByTagName("*").length > mostElements,
    beforeElement(element) {
      if (isReading) return;
      isReading = true;
      queueMicrotask(() => {
        isReading = false;
        pattern = undefined;
      });
      left = undefined;
      const total = element.getElementsByTagName("*").length;
      if (total > mostElements) limit(element, total);
    },
    lookFor(wanted) {
      pattern = wanted;
    },
    left: () => left,
  };
}
