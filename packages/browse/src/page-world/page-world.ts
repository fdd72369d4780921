/**
 * Devflow's code inside a page. This one function runs in the isolated world of every frame, where it sees the same
 * document as the page's scripts but shares no objects with them. It is sent as text, so it uses nothing from outside.
 *
 * - `_ariaRef` is where Playwright keeps an element's ref; it assigns a new one when the name changes. Here an element
 *   keeps its ref for life, and the ref contains its document's number, so that a ref never means another element.
 * - Questions arrive as the body of a selector (`devflow=<encoded JSON>`). The answer is an element found by ref, or a
 *   detached `<meta>` with JSON. A page can neither see nor change them.
 */
import type { clickableElements } from "./clickable-elements.ts";
import type { DriverCode } from "./driver-code.ts";
import type { hitCheck } from "./hit-check.ts";
import type { ReadingLimit } from "./limit-reading.ts";
import type { Looks } from "./looks.ts";
import type { News } from "./news.ts";
import type { personEvents } from "./person-events.ts";
import type { PageQuestion } from "./questions.ts";
import type { RememberedBoxes } from "./remember-boxes.ts";
import type { visibility } from "./visibility.ts";

/** The other functions that are sent with this one. */
export interface PageParts {
  readonly boxes: RememberedBoxes;
  readonly limit: ReadingLimit;
  readonly news: News;
  readonly looks: Looks;
  readonly driver: DriverCode;
  readonly hitCheck: typeof hitCheck;
  readonly visibility: typeof visibility;
  readonly clickableElements: typeof clickableElements;
  readonly personEvents: typeof personEvents;
}

export function pageWorld(parts: PageParts) {
  const { boxes, limit, news, looks, driver } = parts;
  interface AriaRef {
    ref: string;
  }
  const secretHints = ["password", "cc-number", "cc-csc", "one-time-code"];
  const hosts = new Set(["article", "aside", "div", "footer", "header", "main", "nav", "section", "span"]);
  const clickMarkup = "summary,[onclick],[tabindex]:not([tabindex='-1']),[jsaction],[data-action],[data-href]";
  const nativeMarkup = "a[href],button,input,select,textarea,label,option,body,html,iframe,[contenteditable],[role]";
  const typed = new Set(["email", "password", "search", "tel", "text", "url"]);
  /** In a larger document reading the tree delays a person's click by more than 0.1 s. */
  const mostLooked = 2_000;
  /** More than this rarely fit into a snapshot, which then begins with what is in view. */
  const mostWithoutView = 200;
  const controls = "a[href],button,input,select,textarea";
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
    const onMutations = (records: MutationRecord[]) => {
      bump();
      news.onMutations(records);
      looks.onMutations(records, version);
    };
    new MutationObserver(onMutations).observe(root, {
      childList: true,
      subtree: true,
      attributes: true,
      characterData: true,
    });
    for (const kind of ["change", "toggle"]) root.addEventListener(kind, bump, { capture: true, passive: true });
    const onInput = (event: Event) => {
      bump();
      if (event.isTrusted) typing.resolve();
    };
    root.addEventListener("input", onInput, { capture: true, passive: true });
    const onSubmit = (event: Event) => {
      submitted = event as SubmitEvent;
    };
    root.addEventListener("submit", onSubmit, { capture: true, passive: true });
  }

  /** Resolved when something was typed after the last field was selected. */
  let typing = Promise.withResolvers<void>();
  /**
   * The page once something was typed and the page has reacted to it. The second timer comes after those that the page set
   * meanwhile.
   */
  async function stateAfterTyping(): Promise<string> {
    await typing.promise;
    const timer = () => new Promise((resolve) => setTimeout(resolve, 0));
    await timer();
    await timer();
    return JSON.stringify(state(undefined));
  }

  /** The last form that was submitted, by an event: whether a script prevented it is known only later. */
  let submitted: SubmitEvent | undefined;
  /** A form's document is requested some time after its event, and the page can be read in between. */
  function isSubmitting(): boolean {
    if (!submitted || submitted.defaultPrevented || performance.now() - submitted.timeStamp > 1_500) return false;
    const form = submitted.target as HTMLFormElement;
    const button = submitted.submitter as HTMLButtonElement | null;
    const of = (name: string): string => button?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? "";
    return (
      /^(|_self|_top|_parent)$/i.test(of("target")) &&
      of("method").toLowerCase() !== "dialog" &&
      !/^\s*javascript:/i.test(of("action"))
    );
  }
  interface Point {
    readonly x: number;
    readonly y: number;
  }
  /** The middle of what is in view of it, or a given place in it; undefined when that is out of view. */
  function pointOn(element: Element, at?: Point): Point | undefined {
    const box = element.getBoundingClientRect();
    if (at) return inViewport({ x: box.x + at.x, y: box.y + at.y });
    const { left, top, right, bottom } = element.getClientRects()[0] ?? box;
    const [from, to] = [Math.max(left, 0), Math.min(right, innerWidth)];
    const [above, below] = [Math.max(top, 0), Math.min(bottom, innerHeight)];
    return from >= to || above >= below ? undefined : inViewport({ x: (from + to) / 2, y: (above + below) / 2 });
  }
  const inViewport = (point: Point): Point | undefined =>
    point.x < 0 || point.y < 0 || point.x >= innerWidth || point.y >= innerHeight ? undefined : point;
  const hitAt = (point: Point | undefined) => point && topmostAt(point.x, point.y);
  /** A scrolling container around it does not show this point. */
  function isClippedAt({ x, y }: Point, element: Element): boolean {
    for (let at = parentOf(element); at && at !== document.body && at !== document.documentElement; at = parentOf(at)) {
      if (getComputedStyle(at).overflow === "visible") continue;
      const { left, top, right, bottom } = at.getBoundingClientRect();
      if (x < left || x > right || y < top || y > bottom) return true;
    }
    return false;
  }
  /** Whether clicking `hit` clicks the element: it is inside the element or its label. */
  function countsAs(hit: Element, element: Element): boolean {
    const labels = (element as HTMLInputElement).labels;
    // The areas of an image map are not inside its image.
    if (hit.localName === "area" && element.matches("[usemap]")) return true;
    return within(hit, element) || (labels !== null && [...(labels ?? [])].some((label) => within(hit, label)));
  }
  function coverOf(element: Element): Element | undefined {
    const hit = hitAt(pointOn(element));
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

  function inventory() {
    watch(document);
    const editables: string[] = [];
    const clickable: ReturnType<typeof describeClickable>[] = [];
    const canvases: { ref: string; width: number; height: number; label: string }[] = [];
    const closed: string[] = [];
    for (const root of [document, ...shadowRoots()]) {
      for (const element of root.querySelectorAll<HTMLElement>("[contenteditable]")) {
        if (element.isContentEditable && !element.parentElement?.isContentEditable) editables.push(refOf(element));
      }
      for (const element of root.querySelectorAll(clickMarkup)) {
        const isOwn = !element.matches(nativeMarkup) && !element.parentElement?.closest("a[href],button,label");
        if (isOwn && clickable.length < 200 && element.checkVisibility()) clickable.push(describeClickable(element));
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
    const size = { width: innerWidth, height: innerHeight };
    const { title } = document;
    return {
      document: documentNumber,
      title,
      ...size,
      editables,
      clickables: clickable,
      canvases,
      closed,
      news: news.all(),
    };
  }

  const hintOf = (element: Element): string => {
    const named = element.closest("[title],[data-testid],[data-test]") === element ? element : undefined;
    const words =
      named?.getAttribute("title") ?? named?.getAttribute("data-testid") ?? named?.getAttribute("data-test");
    return words ? `${describe(element)} ${JSON.stringify(words.slice(0, 40))}` : describe(element);
  };
  function facts(wanted: readonly number[], wordless: readonly number[]) {
    const found: Record<number, { marks?: string[]; secret?: true; value?: string; hint?: string }> = {};
    const known = { opacities: new Map<Element, number>(), papers: new Map() };
    for (const number of wordless) {
      const element = findNumber(number);
      if (element) found[number] = { hint: hintOf(element) };
    }
    for (const number of wanted) {
      const element = findNumber(number);
      if (!element) continue;
      const fact: (typeof found)[number] = found[number] ?? {};
      isStationary(element);
      const marks = marksOf(element, known);
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

  /**
   * Whether it can be acted on. `scroll` scrolls it into view first, since only there the hit test works. `press` prepares
   * a press on it: the answer has the point to press, and the press cannot reach anything else.
   */
  function readiness(
    ref: string,
    { scroll, press, select, at }: { scroll: boolean; press?: boolean; select?: boolean; at?: Point },
  ) {
    const element = find(ref);
    if (!element) return { live: false };
    const first = pointOn(element, at);
    const isOut = !first || !isMiddleInView(element) || isClippedAt(first, element);
    if (isOut && scroll) element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const point = isOut && scroll ? pointOn(element, at) : first;
    const hit = hitAt(point);
    const isHit = !!hit && countsAs(hit, element);
    const cover = !hit || isHit || within(element, hit) ? undefined : hit;
    const { width, height } = element.getBoundingClientRect();
    const hidden = !element.checkVisibility({ visibilityProperty: true }) || width === 0 || height === 0;
    const disabled = element.matches(":disabled") || element.closest('[aria-disabled="true"]') !== null;
    const isStill = isStationary(element);
    // Not in a frame, which its parent document may cover, and whose place in the window is not known here.
    const ready = isStill && !hidden && !disabled && isHit && window === window.top;
    if (ready && press) check.arm(element);
    return {
      live: true,
      kind: (element as HTMLInputElement).type,
      secret: isSecret(element),
      hidden,
      disabled,
      ready,
      ...(select && !hidden && !disabled && { selected: selectValue(ref).selected }),
      ...(point && { point }),
      ...(at &&
        !isHit &&
        isOutside(at, element) && { outside: { width: Math.round(width), height: Math.round(height) } }),
      ...(cover && { cover: describe(cover), coverRef: refOf(cover) }),
    };
  }
  /** What is inside an element may reach beyond its box, so this matters only where the point does not hit it. */
  function isOutside({ x, y }: Point, element: Element): boolean {
    const { width, height } = element.getBoundingClientRect();
    return x < 0 || y < 0 || x >= width || y >= height;
  }
  function isMiddleInView(element: Element): boolean {
    const box = element.getBoundingClientRect();
    return inViewport({ x: box.left + box.width / 2, y: box.top + box.height / 2 }) !== undefined;
  }
  /** Focuses a text field and selects its value, so that what is typed next replaces it. */
  function selectValue(ref: string) {
    const field = find(ref);
    const isText = field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && typed.has(field.type));
    if (!isText || field.disabled || field.readOnly) return { selected: false };
    field.focus();
    field.select();
    typing = Promise.withResolvers();
    return { selected: document.activeElement === field || field.matches(":focus") };
  }
  function landed() {
    const { landed: where, on } = check.disarm();
    return { landed: where, ...(on && { on: describe(on), onRef: refOf(on) }) };
  }

  /** What another document has is in its frame. */
  function inside(outer: Element, refs: readonly string[]): string[] {
    const hasFrame = outer.matches("iframe,frame") || outer.querySelector("iframe,frame") !== null;
    return refs.filter((ref) => {
      const element = find(ref);
      return element ? within(element, outer) : hasFrame;
    });
  }

  const check = parts.hitCheck(countsAs);
  const person = parts.personEvents({
    describe: (element) => {
      const known = driver.describe(element);
      return known && { ...known, isSecret: isSecret(element), document: documentNumber };
    },
    look: () =>
      document.getElementsByTagName("*").length > mostLooked
        ? undefined
        : { state: state(undefined), url: location.href, title: document.title },
    send: (act) => (globalThis as { __devflowAct?: (text: string) => void }).__devflowAct?.(JSON.stringify(act)),
  });
  const marksOf = parts.visibility({ parentOf, coverOf, describe });
  const findClickable = parts.clickableElements(parentOf);
  const describeClickable = (element: Element) => {
    const words = element.getAttribute("aria-label") ?? (element as HTMLElement).innerText ?? "";
    const name = words.replace(/\s+/g, " ").trim().slice(0, 80) || element.getAttribute("title") || "";
    const holdsControls = element.querySelector(controls) !== null;
    return { ref: refOf(element), name: name || hintOf(element), holdsControls };
  };
  const clickables = (listening: readonly Node[]) => findClickable(listening).map(describeClickable);
  // For questions that only the browser can answer (listeners, closed roots). The page does not see this global.
  Object.defineProperty(globalThis, "__devflow", {
    configurable: true,
    value: { find, clickables, ask, stateAfterTyping },
  });

  function versionNow(withLooks: boolean) {
    watch(document);
    return {
      document: documentNumber,
      version,
      x: Math.round(scrollX),
      y: Math.round(scrollY),
      large: limit.isLarge(),
      title: document.title,
      news: news.all(),
      touched: looks.touched(),
      ...(isSubmitting() && { submitting: true as const }),
      ...(withLooks && { looks: looks.looks() }),
    };
  }
  function state(unless: string | undefined) {
    const now = versionNow(true);
    return { version: now, ...(unless !== `${documentNumber}:${version}` && { tree: driver.tree(false) }) };
  }
  function ask(questions: string): string {
    const answers = (JSON.parse(questions) as PageQuestion[]).map((question) => {
      try {
        return { value: answerTo(question, document) ?? null };
      } catch (error) {
        return { error: String(error) };
      }
    });
    return JSON.stringify(answers);
  }

  const carry = (answer: unknown): Element[] => {
    const note = document.createElement("meta");
    note.setAttribute("data", JSON.stringify(answer ?? null));
    return [note];
  };
  function answerTo(question: PageQuestion, root: Node): unknown {
    switch (question.ask) {
      case "element":
        return null;
      case "version":
        return versionNow(question.looks === true);
      case "state":
        return state(question.unless);
      case "tree":
        return boxes.during(() => {
          const tree = driver.tree(question.boxes);
          return elements.size > mostWithoutView ? { tree, inView: inView() } : { tree };
        });
      case "inventory":
        return inventory();
      case "facts":
        return boxes.during(() => facts(question.of, question.wordless ?? []));
      case "inView":
        return inView();
      case "lookFor":
        return limit.lookFor(new RegExp(question.pattern, "iu"));
      case "secrets":
        return question.of.filter((ref) => isSecret(find(ref) ?? document.documentElement));
      case "hasPassword":
        return document.querySelector("input[type=password]") !== null;
      case "readiness":
        return readiness(question.ref, question);
      case "selectValue":
        return selectValue(question.ref);
      case "landed":
        return landed();
      case "watchPerson":
        return question.on ? person.watch() : person.stop();
      case "ref":
        return root.nodeType === 1 ? refOf(root as Element) : null;
      case "inside":
        return inside(root as Element, question.of);
      case "document":
        return documentNumber;
    }
  }
  const queryAll = (root: Node, body: string): Element[] => {
    const question = JSON.parse(decodeURIComponent(body)) as PageQuestion;
    if (question.ask !== "element") return carry(answerTo(question, root));
    const element = find(question.ref);
    return element ? [element] : [];
  };
  // A recording goes on in the next document, from its first moment.
  if ("__devflowAct" in globalThis) person.watch();
  return { queryAll, query: (root: Node, body: string) => queryAll(root, body)[0] };
}
