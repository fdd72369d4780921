/**
 * Devflow's code inside a page. This one function runs in the isolated world of every frame, where it sees the same
 * document as the page's scripts but shares no objects with them. It is sent as text, so it uses nothing from outside.
 *
 * It watches the document and answers questions about it, with the functions of its neighbours.
 * Questions arrive as the body of a selector (`devflow=<encoded JSON>`). The answer is an element found by ref, or a detached
 * `<meta>` with JSON. A page can neither see nor change them.
 */
import type { clickableElements } from "./clickable-elements.ts";
import type { copying } from "./copying.ts";
import type { documentOrder } from "./document-order.ts";
import type { drawnChoices } from "./drawn-choices.ts";
import type { DriverCode } from "./driver-code.ts";
import type { elementFacts } from "./element-facts.ts";
import type { elementRefs } from "./element-refs.ts";
import type { fieldFace } from "./field-face.ts";
import type { heldValue } from "./held-value.ts";
import type { Hints } from "./hints.ts";
import type { hitCheck } from "./hit-check.ts";
import type { labelledFields } from "./labelled-fields.ts";
import type { ReadingLimit } from "./limit-reading.ts";
import type { Looks } from "./looks.ts";
import type { lostWords } from "./lost-words.ts";
import type { Motion } from "./motion.ts";
import type { News } from "./news.ts";
import type { OpenedBy } from "./opened-by.ts";
import type { pageInventory } from "./page-inventory.ts";
import type { personEvents } from "./person-events.ts";
import type { pressing } from "./pressing.ts";
import type { PageQuestion } from "./questions.ts";
import type { RememberedBoxes } from "./remember-boxes.ts";
import type { visibility } from "./visibility.ts";
import type { whyHidden } from "./why-hidden.ts";

/** The other functions that are sent with this one. */
export interface PageParts {
  readonly boxes: RememberedBoxes;
  readonly limit: ReadingLimit;
  readonly news: News;
  readonly looks: Looks;
  readonly motion: Motion;
  readonly hints: Hints;
  readonly driver: DriverCode;
  readonly opened: OpenedBy;
  readonly heldValue: typeof heldValue;
  readonly copying: typeof copying;
  readonly whyHidden: typeof whyHidden;
  readonly hitCheck: typeof hitCheck;
  readonly fieldFace: typeof fieldFace;
  readonly visibility: typeof visibility;
  readonly clickableElements: typeof clickableElements;
  readonly documentOrder: typeof documentOrder;
  readonly drawnChoices: typeof drawnChoices;
  readonly labelledFields: typeof labelledFields;
  readonly lostWords: typeof lostWords;
  readonly personEvents: typeof personEvents;
  readonly elementRefs: typeof elementRefs;
  readonly pressing: typeof pressing;
  readonly elementFacts: typeof elementFacts;
  readonly pageInventory: typeof pageInventory;
}

export function pageWorld(parts: PageParts) {
  const { boxes, limit, news, looks, motion, driver, hints } = parts;
  const secretHints = ["password", "cc-number", "cc-csc", "one-time-code"];
  const typed = new Set(["email", "password", "search", "tel", "text", "url"]);
  /** In a larger document reading the tree delays a person's click by more than 0.1 s. */
  const mostLooked = 2_000;
  /** More than this rarely fit into a snapshot, which then begins with what is in view. */
  const mostWithoutView = 200;
  let version = 0;
  /** The version that the last element came with. */
  let grown = 0;
  const observed = new WeakSet<Node>();
  /** Open shadow roots in which something has a ref. */
  const roots: ShadowRoot[] = [];
  const { documentNumber, refOf, numberOf, find, findNumber, all } = parts.elementRefs({
    beforeElement: limit.beforeElement,
    onShadowRoot: (root) => {
      if (observed.has(root)) return;
      roots.push(root);
      watch(root);
    },
  });

  const parentOf = (element: Element): Element | null =>
    element.assignedSlot ?? element.parentElement ?? ((element.getRootNode() as ShadowRoot).host as Element) ?? null;
  const within = (inner: Element | null, outer: Element): boolean => {
    for (let at = inner; at; at = parentOf(at)) if (at === outer) return true;
    return false;
  };
  const shadowRoots = (): ShadowRoot[] => roots.filter((root) => root.host.isConnected);
  const isSecret = (element: Element): boolean => {
    const field = element as HTMLInputElement;
    if (field.localName === "input" && field.type === "password") return true;
    const hint = element.getAttribute("autocomplete")?.toLowerCase() ?? "";
    return secretHints.some((word) => hint.includes(word));
  };

  /** A root that is new on the page may begin with an announcement. */
  function watch(root: Document | ShadowRoot, isNew = false): void {
    if (observed.has(root)) return;
    observed.add(root);
    news.begin(root, isNew);
    watchInside(root, isNew);
    const bump = () => {
      version += 1;
    };
    const onMutations = (records: MutationRecord[]) => {
      bump();
      for (const { addedNodes } of records) {
        for (const node of addedNodes) {
          if (!(node instanceof Element)) continue;
          grown = version;
          watchInside(node, true);
        }
      }
      news.onMutations(records);
      looks.onMutations(records, version);
    };
    new MutationObserver(onMutations).observe(root, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeOldValue: true,
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

  /** The open shadow roots in it. Only readings see others, which a script attaches later. */
  function watchInside(part: Element | Document | ShadowRoot, isNew: boolean): void {
    if (part instanceof Element && part.shadowRoot) watch(part.shadowRoot, isNew);
    if (part.firstElementChild === null) return;
    for (const { shadowRoot } of part.querySelectorAll("*")) if (shadowRoot) watch(shadowRoot, isNew);
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
  function inView(): number[] {
    const found: number[] = [];
    for (const [number, known] of all()) {
      const box = known.deref()?.getBoundingClientRect();
      if (!box || box.width === 0 || box.height === 0) continue;
      if (box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth) found.push(number);
    }
    return found;
  }

  /** Focuses a text field and selects its value, so that what is typed next replaces it. */
  function selectValue(field: Element | undefined): boolean {
    const isText = field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && typed.has(field.type));
    if (!isText || field.disabled || field.readOnly) return false;
    field.focus();
    field.select();
    typing = Promise.withResolvers();
    return document.activeElement === field || field.matches(":focus");
  }
  /** What another document has is in its frame. */
  function inside(outer: Element, refs: readonly string[]): string[] {
    const hasFrame = outer.matches("iframe,frame") || outer.querySelector("iframe,frame") !== null;
    return refs.filter((ref) => {
      const element = find(ref);
      return element ? within(element, outer) : hasFrame;
    });
  }

  const press = parts.pressing({
    ...{ find, refOf, parentOf, within, isSecret, selectValue },
    describe: hints.describe,
    opened: parts.opened,
    labelFor: (field) => listed.labelFor(field),
    fieldOf: (element) => listed.fieldOf(element),
    hitCheck: parts.hitCheck,
    fieldFace: parts.fieldFace,
    versionNow: () => version,
  });
  const why = parts.whyHidden({ refOf, parentOf, wordsOf: hints.wordsOf });
  const copies = parts.copying(isSecret);
  const person = parts.personEvents({
    describe: (element) => {
      const known = driver.describe(element);
      return known && { ...known, isSecret: isSecret(element), document: documentNumber, ref: refOf(element) };
    },
    // A frame sees only a part of the page.
    look: () =>
      globalThis.self !== globalThis.top || document.getElementsByTagName("*").length > mostLooked
        ? undefined
        : { state: state(undefined), url: location.href, title: document.title },
    send: (act) => (globalThis as { __devflowAct?: (text: string) => void }).__devflowAct?.(JSON.stringify(act)),
  });
  const lookAt = parts.visibility({ ...hints, parentOf, barrierTo: press.barrierTo });
  const facts = parts.elementFacts({
    hints,
    limit,
    lookAt,
    refOf,
    findNumber,
    isSecret,
    noteStationary: press.noteStationary,
  });
  const listed = parts.pageInventory({
    ...parts,
    refOf,
    numberOf,
    parentOf,
    roots: () => [document, ...shadowRoots()],
  });
  // For questions that only the browser can answer (listeners, closed roots). The page does not see this global.
  Object.defineProperty(globalThis, "__devflow", {
    configurable: true,
    value: { find, clickables: listed.clickables, ask, stateAfterTyping },
  });

  /** In view: at the end of a long list there is always one. */
  function isBusy(): boolean {
    const signs = document.querySelectorAll("[aria-busy=true],[role=progressbar]:not([aria-valuenow])");
    return [...signs].slice(0, 10).some((sign) => {
      const { top, bottom, width, height } = sign.getBoundingClientRect();
      return width * height > 0 && bottom > 0 && top < innerHeight && sign.checkVisibility();
    });
  }
  function versionNow(withLooks: boolean) {
    watch(document);
    const moving = motion.left();
    return {
      document: documentNumber,
      version,
      grown,
      x: Math.round(scrollX),
      y: Math.round(scrollY),
      large: limit.isLarge(),
      title: document.title,
      news: news.all(),
      touched: looks.touched(),
      ...(isSubmitting() && { submitting: true as const }),
      ...(moving > 0 && { moving }),
      ...(isBusy() && { busy: true as const }),
      ...(withLooks && { looks: looks.looks() }),
    };
  }
  function state(unless: string | undefined) {
    const now = versionNow(true);
    return {
      version: now,
      ...(unless !== `${documentNumber}:${version}` && { tree: driver.tree(false), ...listed.labels() }),
    };
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
          return { tree, ...listed.labels(), ...(all().size > mostWithoutView && { inView: inView() }) };
        });
      case "inventory":
        watch(document);
        return { document: documentNumber, ...listed.inventory(), news: news.all() };
      case "marked":
        return listed.marked();
      case "facts":
        if ((question.document ?? documentNumber) !== documentNumber) return { found: {} };
        return boxes.during(() => facts(question.of, question.wordless ?? []));
      case "labels":
        return listed.labels();
      case "inView":
        return inView();
      case "lookFor":
        return limit.lookFor(new RegExp(question.pattern, "iu"));
      case "secrets":
        return question.of.filter((ref) => isSecret(find(ref) ?? document.documentElement));
      case "hasPassword":
        return document.querySelector("input[type=password]") !== null;
      case "readiness":
        return press.readiness(question.ref, question);
      case "selectValue":
        return { selected: selectValue(find(question.ref)) };
      case "labelToPress":
        return press.labelToPress(question.ref);
      case "held": {
        const field = find(question.ref);
        return field ? parts.heldValue(field, question.wanted) : null;
      }
      case "whyHidden": {
        const hidden = find(question.ref);
        return hidden ? why(hidden) : null;
      }
      case "hearCopy":
        return copies.hear();
      case "copied":
        return copies.copied();
      case "selected":
        return copies.selected();
      case "passage":
        return press.passage(question.into, question.point);
      case "landed":
        return press.landed(question.isHeld);
      case "view":
        return { width: innerWidth, height: innerHeight, density: devicePixelRatio };
      case "watchPerson":
        return question.on ? person.watch() : person.stop();
      case "seen":
        return question.of.filter((number) => findNumber(number)?.checkVisibility({ visibilityProperty: true }));
      case "ref":
        return root.nodeType === 1
          ? refOf((question.label && listed.labelFor(root as Element)) || (root as Element))
          : null;
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
