/**
 * What the accessibility tree of a document does not say. Runs in the isolated world of every frame and is sent as text, like
 * page-world.ts.
 *
 * - `pageInventory(parts)` gives these:
 * - `inventory()` what has no line in the tree: editors, drawings, image maps, clickables by their markup, closed shadow roots.
 * - `marked()` only the clickables by their markup.
 * - `labels()` the labels of fields that cannot be seen, the titles of frames, and words that the tree loses.
 * - `clickables(handled, listening, first, nodes)` what listens for clicks, by its place in the document or by Chromium's number;
 *   `nodes` are those that it has not been shown before, `first` their numbers.
 */
import type { clickableElements } from "./clickable-elements.ts";
import type { documentOrder } from "./document-order.ts";
import type { drawnChoices } from "./drawn-choices.ts";
import type { Hints } from "./hints.ts";
import type { labelledFields } from "./labelled-fields.ts";
import type { lostWords } from "./lost-words.ts";
import type { ClickableElement, FrameInventory, Labels } from "./questions.ts";

export interface InventoryParts {
  readonly hints: Hints;
  readonly clickableElements: typeof clickableElements;
  readonly documentOrder: typeof documentOrder;
  readonly drawnChoices: typeof drawnChoices;
  readonly labelledFields: typeof labelledFields;
  readonly lostWords: typeof lostWords;
  refOf(element: Element): string;
  numberOf(element: Element): number;
  parentOf(element: Element): Element | null;
  /** The document and the open shadow roots in it. */
  roots(): readonly (Document | ShadowRoot)[];
}

interface Named {
  readonly element: Element;
  readonly name: string;
}
/** Places among all elements; of no use if there are others by now. */
type Handled = { readonly total: number; readonly at: readonly number[] } | null;

export interface PageInventory {
  inventory(): Omit<FrameInventory, "document" | "news">;
  marked(): ClickableElement[];
  labels(): Labels;
  labelFor(field: Element): Element | undefined;
  /** The hidden field that is chosen by pressing this element, which is drawn for it. */
  fieldOf(element: Element): HTMLInputElement | undefined;
  clickables(
    handled: Handled,
    listening: readonly number[],
    first: readonly number[],
    nodes: readonly Node[],
  ): ClickableElement[];
}

export function pageInventory(parts: InventoryParts): PageInventory {
  const { hints, refOf, numberOf, parentOf, roots } = parts;
  const hosts = new Set(["article", "aside", "div", "footer", "header", "main", "nav", "section", "span"]);
  const mostAround = 12;
  const mostBefore = 8;
  const mostSteps = 200;
  const plainTags = new Set(["b", "br", "div", "i", "span", "wbr"]);
  const mostBeside = 200;
  const mostFrames = 20;
  const mostAreas = 30;
  const clickable = parts.clickableElements({ ...hints, parentOf });
  const drawn = parts.drawnChoices(parentOf);
  const fields = parts.labelledFields(hints.plain, drawn);
  const lost = parts.lostWords(hints.iconHint);

  interface AreaOfMap {
    readonly name: string;
    readonly x: number;
    readonly y: number;
  }
  /** The areas of an image map, each with a place in it. */
  function areasOf(image: HTMLImageElement): AreaOfMap[] {
    const map = [...document.querySelectorAll("map")].find(({ name }) => `#${name}` === image.useMap);
    return [...(map?.querySelectorAll("area") ?? [])].slice(0, mostAreas).flatMap((area) => {
      const numbers = area.coords.split(",").map(Number);
      // A circle begins with its middle; of the others the middle of the corners.
      const corners = area.shape === "circle" ? numbers.slice(0, 2) : numbers;
      const middle = (of: readonly number[]) => Math.round(of.reduce((sum, one) => sum + one, 0) / of.length);
      const [x, y] = [0, 1].map((side) => middle(corners.filter((_, at) => at % 2 === side)));
      const name = area.alt || area.title || (area.getAttribute("href") ?? "");
      return Number.isFinite(x) && Number.isFinite(y) ? [{ name: name.slice(0, 60), x: x!, y: y! }] : [];
    });
  }

  function inventory() {
    const editables: string[] = [];
    const canvases: { ref: string; width: number; height: number; label: string }[] = [];
    const closed: string[] = [];
    const maps: { ref: string; name: string; areas: AreaOfMap[] }[] = [];
    for (const root of roots()) {
      for (const element of root.querySelectorAll<HTMLElement>("[contenteditable]")) {
        if (element.isContentEditable && !element.parentElement?.isContentEditable) editables.push(refOf(element));
      }
      for (const canvas of root.querySelectorAll("canvas")) {
        const box = canvas.getBoundingClientRect();
        if (box.width <= 20 || box.height <= 20) continue;
        const label = canvas.getAttribute("aria-label") ?? canvas.id;
        canvases.push({ ref: refOf(canvas), width: Math.round(box.width), height: Math.round(box.height), label });
      }
      for (const image of root.querySelectorAll<HTMLImageElement>("img[usemap]")) {
        const areas = areasOf(image);
        if (areas.length > 0 && image.checkVisibility()) maps.push({ ref: refOf(image), name: image.alt, areas });
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
      title,
      ...size,
      editables,
      clickables: marked(),
      canvases,
      maps,
      closed,
    };
  }

  const marked = () => inOrder(withoutDrawings(clickable.marked(roots())));

  /** What is drawn for a field is listed as that field. */
  function withoutDrawings(found: readonly Named[]): readonly Named[] {
    const drawings = fields.all(roots()).flatMap((one) => one.drawn ?? []);
    return found.filter(({ element }) => !drawings.some((one) => one.contains(element)));
  }

  function labels() {
    const found = fields.all(roots());
    const labelled = found.map(({ field, label, name, role, states, drawn: whole }) => {
      const inside = whole && [whole, ...whole.querySelectorAll("*")].map(numberOf);
      return { ...placed({ element: label, name }), role, states, field: numberOf(field), ...(inside && { inside }) };
    });
    const frames = [...document.querySelectorAll("iframe")].slice(0, mostFrames).flatMap((frame) => {
      const title = frame.title || frame.name;
      return title === "" ? [] : [{ ref: refOf(frame), title: title.slice(0, 80) }];
    });
    const values = lost.values(roots()).map(({ field, value }) => ({ ref: refOf(field), value }));
    const icons = [...lost.icons(roots()), ...lost.breaks(roots())].map(({ around, ...icon }) => ({
      ref: refOf(around),
      ...icon,
    }));
    return {
      ...(labelled.length > 0 && { labelled }),
      ...(frames.length > 0 && { frames }),
      ...(values.length > 0 && { values }),
      ...(icons.length > 0 && { icons }),
    };
  }
  /** In reading order, which the tree keeps where it has nothing between them. */
  function inOrder(found: readonly Named[]) {
    if (found.length === 0) return [];
    const order = parts.documentOrder(found.map(({ element }) => element));
    return found.map((one) => ({ ...placed(one), order: order.get(one.element) ?? [] }));
  }
  /** What stands around it and before it, nearest first: the tree has some of it, and so its place there is known. */
  function placed({ element, name }: Named) {
    const around: number[] = [];
    for (let at = parentOf(element); at && around.length < mostAround; at = parentOf(at)) around.push(numberOf(at));
    const before: number[] = [];
    let steps = 0;
    for (let at = previous(element); at && before.length < mostBefore && steps < mostSteps; at = previous(at)) {
      steps += 1;
      if (!isNothing(at)) before.push(numberOf(at));
    }
    return { ref: refOf(element), name, around, before, ...(name === "" && { beside: wordsBeside(element) }) };
  }
  /** Of its row or card. */
  function wordsBeside(element: Element): string {
    for (let at = parentOf(element); at && (at.textContent ?? "").length < mostBeside; at = parentOf(at)) {
      const words = hints.wordsOf(at);
      if (words !== "") return words;
    }
    return "";
  }
  /** The tree has no line for it. */
  const isNothing = (element: Element): boolean =>
    element.firstChild === null && plainTags.has(element.localName) && !element.matches("[role],[aria-label],[title]");
  function previous(element: Element): Element | null {
    let at = element.previousElementSibling;
    while (at?.lastElementChild && at.localName !== "svg") at = at.lastElementChild;
    return at ?? parentOf(element);
  }
  /** By Chromium's numbers. */
  const listeners = new Map<number, WeakRef<Node>>();
  function clickables(
    handled: Handled,
    listening: readonly number[],
    first: readonly number[],
    nodes: readonly Node[],
  ): ClickableElement[] {
    for (const [at, node] of nodes.entries()) listeners.set(first[at]!, new WeakRef(node));
    const all = document.querySelectorAll("*");
    const known = handled && handled.total === all.length ? handled.at.map((at) => all[at]!) : [];
    const there = listening.flatMap((number) => listeners.get(number)?.deref() ?? []);
    return inOrder(withoutDrawings(clickable.listening(there, known)));
  }
  return { inventory, marked, labels, labelFor: fields.labelFor, fieldOf: drawn.fieldOf, clickables };
}
