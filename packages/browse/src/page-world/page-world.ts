/**
 * Devflow's code inside a page. This one function runs in the isolated world of every frame, where it sees the same
 * document as the page's scripts but shares no objects with them. It is sent as text, so it uses nothing from outside.
 *
 * - `_ariaRef` is where Playwright keeps an element's ref; it assigns a new one when the name changes. Here an element
 *   keeps its ref for life, and the ref contains its document's number, so that a ref never means another element.
 * - Questions arrive as the body of a selector (`devflow=<encoded JSON>`). The answer is an element found by ref, or a
 *   detached `<meta>` with JSON. A page can neither see nor change them.
 */
import type { ReadingLimit } from "./limit-reading.ts";
import type { PageQuestion } from "./questions.ts";

export function pageWorld(limit: ReadingLimit) {
  interface AriaRef {
    ref: string;
  }
  const secretHints = ["password", "cc-number", "cc-csc", "one-time-code"];
  const hosts = new Set(["article", "aside", "div", "footer", "header", "main", "nav", "section", "span"]);
  const native =
    "a[href],button,input,select,textarea,summary,label,option,[role=button],[role=link],[role=menuitem],[role=tab]";
  const hinted = "[onclick],[data-action],[data-href],[jsaction],[tabindex],[role]";
  const documentNumber = String(Math.floor(Math.random() * 899_999_999) + 100_000_000);
  const refs = new WeakMap<Element, AriaRef>();
  /** By number, since a ref may or may not have its frame's prefix. */
  const elements = new Map<number, WeakRef<Element>>();
  let count = 0;
  let prefix = "";
  let version = 0;
  const observed = new WeakSet<Node>();
  /** Open shadow roots in which something has a ref. */
  const roots: ShadowRoot[] = [];

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
      limit.beforeElement(this);
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
      if (root instanceof ShadowRoot && !observed.has(root)) {
        roots.push(root);
        watch(root);
      }
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

  const parentOf = (element: Element): Element | null =>
    element.assignedSlot ?? element.parentElement ?? ((element.getRootNode() as ShadowRoot).host as Element) ?? null;
  const within = (inner: Element | null, outer: Element): boolean => {
    for (let at = inner; at; at = parentOf(at)) if (at === outer) return true;
    return false;
  };
  const shadowRoots = (): ShadowRoot[] => roots.filter((root) => root.host.isConnected);
  const topmostAt = (x: number, y: number): Element | null => {
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const describe = (element: Element): string => {
    const id = element.id ? `#${element.id}` : "";
    const first = element.classList[0];
    const label = element.getAttribute("aria-label") ?? (element as HTMLElement).innerText ?? "";
    const text = label.replace(/\s+/g, " ").trim().slice(0, 40);
    return `<${element.localName}${id}${first ? `.${first}` : ""}>${text ? ` ${JSON.stringify(text)}` : ""}`;
  };
  const isSecret = (element: Element): boolean => {
    const field = element as HTMLInputElement;
    if (field.localName === "input" && field.type === "password") return true;
    const hint = element.getAttribute("autocomplete")?.toLowerCase() ?? "";
    return secretHints.some((word) => hint.includes(word));
  };

  function watch(root: Node): void {
    if (observed.has(root)) return;
    observed.add(root);
    const bump = () => {
      version += 1;
    };
    new MutationObserver(bump).observe(root, {
      childList: true,
      subtree: true,
      attributes: true,
      characterData: true,
    });
    for (const kind of ["input", "change", "toggle"]) {
      root.addEventListener(kind, bump, { capture: true, passive: true });
    }
  }
  const colourOf = (text: string): readonly number[] => (text.match(/[\d.]+/g) ?? []).map(Number);
  function sameColour(element: Element, style: CSSStyleDeclaration): boolean {
    const ink = colourOf(style.color);
    if (ink[3] === 0) return true;
    for (let at: Element | null = element; at; at = parentOf(at)) {
      const own = getComputedStyle(at);
      if (own.backgroundImage !== "none") return false;
      const paper = colourOf(own.backgroundColor);
      if (paper[3] === 0) continue;
      if (paper[3] !== undefined && paper[3] < 1) return false;
      return [0, 1, 2].every((channel) => Math.abs((ink[channel] ?? 0) - (paper[channel] ?? 0)) < 8);
    }
    return [0, 1, 2].every((channel) => (ink[channel] ?? 0) > 247);
  }
  const hasOwnText = (element: Element): boolean =>
    [...element.childNodes].some((child) => child.nodeType === 3 && child.nodeValue?.trim());
  const isClipped = (style: CSSStyleDeclaration): boolean =>
    /^rect\(0(px)?,? 0(px)?,? 0(px)?,? 0(px)?\)$|^rect\(1px,? 1px,? 1px,? 1px\)$/.test(style.clip) ||
    /^inset\((50|100)%/.test(style.clipPath);

  /** What a click in its middle would hit; undefined when its middle is out of view. */
  function hitOn(element: Element): Element | null | undefined {
    const box = element.getClientRects()[0] ?? element.getBoundingClientRect();
    const x = box.x + box.width / 2;
    const y = box.y + box.height / 2;
    return x < 0 || y < 0 || x >= innerWidth || y >= innerHeight ? undefined : topmostAt(x, y);
  }
  function isWholeInView(element: Element): boolean {
    const box = element.getClientRects()[0];
    return !!box && box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
  }
  /** Whether clicking `hit` clicks the element: it is inside the element or its label. */
  function countsAs(hit: Element, element: Element): boolean {
    const labels = (element as HTMLInputElement).labels;
    return within(hit, element) || (labels !== null && [...(labels ?? [])].some((label) => within(hit, label)));
  }
  function coverOf(element: Element): Element | undefined {
    const hit = hitOn(element);
    return !hit || countsAs(hit, element) || within(element, hit) ? undefined : hit;
  }

  /** Rendered frames, counted for a moment after each read. */
  let frames = 0;
  let framesToCount = 0;
  const countFrame = () => {
    frames += 1;
    framesToCount -= 1;
    if (framesToCount > 0) requestAnimationFrame(countFrame);
  };
  /** Each element's position and since which frame; unchanged for two frames means stationary. */
  const places = new WeakMap<Element, { readonly place: string; readonly since: number }>();
  function isStationary(element: Element): boolean {
    const { x, y, width, height } = element.getBoundingClientRect();
    const place = `${x} ${y} ${width} ${height}`;
    const known = places.get(element);
    if (framesToCount <= 0) requestAnimationFrame(countFrame);
    framesToCount = 3;
    if (known?.place === place) return frames >= known.since + 2;
    places.set(element, { place, since: frames });
    return false;
  }

  /** Including that of its ancestors; results are cached for its neighbours. */
  function opacityOf(element: Element | null, known: Map<Element, number>): number {
    if (element === null) return 1;
    const found = known.get(element) ?? Number(getComputedStyle(element).opacity) * opacityOf(parentOf(element), known);
    known.set(element, found);
    return found;
  }

  /** Why a person could not see it, or how what they see differs from its name. */
  function marksOf(element: Element, opacities: Map<Element, number>): string[] {
    const marks: string[] = [];
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const opacity = opacityOf(element, opacities);
    const fixed = style.position === "fixed";
    const root = document.documentElement;
    if (style.visibility !== "visible" || opacity < 0.05 || isClipped(style)) marks.push("hidden");
    else if (box.width <= 1 || box.height <= 1) marks.push("1px");
    else if (
      box.right + (fixed ? 0 : scrollX) <= 0 ||
      box.bottom + (fixed ? 0 : scrollY) <= 0 ||
      box.left + (fixed ? 0 : scrollX) >= Math.max(fixed ? innerWidth : root.scrollWidth, 1) ||
      (fixed && box.top >= innerHeight)
    ) {
      marks.push("off-screen");
    } else if (hasOwnText(element) && sameColour(element, style)) marks.push("same colour");
    else {
      const cover = coverOf(element);
      if (cover) marks.push(`covered by ${describe(cover)}`);
    }
    if (element.getAttribute("aria-expanded") === "false") marks.push("collapsed");
    if ((element as HTMLInputElement).required) marks.push("required");
    if ((element as HTMLInputElement).readOnly) marks.push("readonly");
    const name = element.getAttribute("aria-label");
    if (name && !element.matches("input,select,textarea")) {
      const plain = (text: string) => text.replace(/\s+/g, " ").trim().toLowerCase();
      const shown = plain((element as HTMLElement).innerText ?? "");
      const label = plain(name);
      if (shown && !label.includes(shown) && !shown.includes(label)) {
        marks.push(`shows ${JSON.stringify(shown.slice(0, 60))}`);
      }
    }
    return marks;
  }

  function inventory() {
    watch(document);
    const editables: string[] = [];
    const canvases: { ref: string; width: number; height: number; label: string }[] = [];
    const closed: string[] = [];
    for (const root of [document, ...shadowRoots()]) {
      for (const element of root.querySelectorAll<HTMLElement>("[contenteditable]")) {
        if (element.isContentEditable && !element.parentElement?.isContentEditable) editables.push(refOf(element));
      }
      for (const canvas of root.querySelectorAll("canvas")) {
        const box = canvas.getBoundingClientRect();
        if (box.width <= 20 || box.height <= 20) continue;
        const label = canvas.getAttribute("aria-label") ?? canvas.id;
        canvases.push({ ref: refOf(canvas), width: Math.round(box.width), height: Math.round(box.height), label });
      }
      // A closed root cannot be detected here, but an element with a size and no content may have one.
      for (const element of root.querySelectorAll<HTMLElement>("*")) {
        const isOwn = element.localName.includes("-");
        const mayHide = isOwn || (element.firstChild === null && hosts.has(element.localName));
        if (!mayHide || element.shadowRoot || closed.length >= 20) continue;
        const isSeen = element.offsetWidth > 4 && element.offsetHeight > 4;
        if (isSeen && (!isOwn || element.innerText.trim() === "")) closed.push(refOf(element));
      }
    }
    return { document: documentNumber, width: innerWidth, height: innerHeight, editables, canvases, closed };
  }

  function facts(wanted: readonly number[]) {
    const found: Record<number, { marks?: string[]; secret?: true; value?: string }> = {};
    const opacities = new Map<Element, number>();
    for (const number of wanted) {
      const element = findNumber(number);
      if (!element) continue;
      const fact: (typeof found)[number] = {};
      isStationary(element);
      const marks = marksOf(element, opacities);
      if (marks.length > 0) fact.marks = marks;
      if (isSecret(element)) fact.secret = true;
      if (element instanceof HTMLSelectElement) {
        fact.value = [...element.selectedOptions].map((option) => option.label).join(", ");
      } else if (element instanceof HTMLIFrameElement) {
        fact.value = element.title || element.name || (element.getAttribute("src") ?? "").slice(0, 100);
      } else if (element instanceof HTMLInputElement && element.type === "file") {
        fact.value = [...(element.files ?? [])].map((file) => file.name).join(", ");
      }
      found[number] = fact;
    }
    const left = limit.left();
    if (!left) return { found };
    return {
      found,
      left: { ...left, places: left.places.map(([element, count]) => [refOf(element), count] as const) },
    };
  }

  function inView(): number[] {
    const found: number[] = [];
    for (const [number, known] of elements) {
      const box = known.deref()?.getBoundingClientRect();
      if (!box || box.width === 0 || box.height === 0) continue;
      if (box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth) found.push(number);
    }
    return found;
  }

  /** Whether it can be acted on. `scroll` scrolls it into view first, since only there the hit test works. */
  function readiness(ref: string, scroll: boolean) {
    const element = find(ref);
    if (!element) return { live: false };
    const box = element.getBoundingClientRect();
    const outside =
      box.top + box.height / 2 < 0 ||
      box.left + box.width / 2 < 0 ||
      box.top + box.height / 2 >= innerHeight ||
      box.left + box.width / 2 >= innerWidth;
    if (outside && scroll) element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const cover = coverOf(element);
    const now = element.getBoundingClientRect();
    const hidden = !element.checkVisibility({ visibilityProperty: true }) || now.width === 0 || now.height === 0;
    const disabled = element.matches(":disabled") || element.closest('[aria-disabled="true"]') !== null;
    const isStill = isStationary(element);
    const hit = hitOn(element);
    // Not in a frame, which its parent document may cover; not if partly in view, where the click goes elsewhere.
    const ready =
      isStill &&
      !hidden &&
      !disabled &&
      !!hit &&
      countsAs(hit, element) &&
      isWholeInView(element) &&
      window === window.top;
    return {
      live: true,
      kind: (element as HTMLInputElement).type,
      secret: isSecret(element),
      hidden,
      disabled,
      ready,
      ...(cover && { cover: describe(cover), coverRef: refOf(cover) }),
    };
  }

  /**
   * What can be clicked, given the nodes that listen for clicks. A container may listen for its children: similar
   * children all count; under the whole page, or most of it, only those that look clickable.
   */
  function clickables(listening: readonly Node[]) {
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
    return [...found].map((element) => {
      const words = element.getAttribute("aria-label") ?? (element as HTMLElement).innerText ?? "";
      const name = words.replace(/\s+/g, " ").trim().slice(0, 80) || element.getAttribute("title") || "";
      return { ref: refOf(element), name: name || describe(element) };
    });
  }
  // For questions that only the browser can answer (listeners, closed roots). The page does not see this global.
  Object.defineProperty(globalThis, "__devflow", { configurable: true, value: { find, clickables } });

  const carry = (answer: unknown): Element[] => {
    const note = document.createElement("meta");
    note.setAttribute("data", JSON.stringify(answer ?? null));
    return [note];
  };
  const queryAll = (root: Node, body: string): Element[] => {
    const question = JSON.parse(decodeURIComponent(body)) as PageQuestion;
    switch (question.ask) {
      case "element": {
        const element = find(question.ref);
        return element ? [element] : [];
      }
      case "version":
        watch(document);
        return carry({
          document: documentNumber,
          version,
          x: Math.round(scrollX),
          y: Math.round(scrollY),
          large: limit.isLarge(),
        });
      case "inventory":
        return carry(inventory());
      case "facts":
        return carry(facts(question.of));
      case "inView":
        return carry(inView());
      case "lookFor":
        return carry(limit.lookFor(new RegExp(question.pattern, "iu")));
      case "secrets":
        return carry(question.of.filter((ref) => isSecret(find(ref) ?? document.documentElement)));
      case "readiness":
        return carry(readiness(question.ref, question.scroll));
      case "ref":
        return carry(root.nodeType === 1 ? refOf(root as Element) : null);
      case "document":
        return carry(documentNumber);
    }
  };
  return { queryAll, query: (root: Node, body: string) => queryAll(root, body)[0] };
}
