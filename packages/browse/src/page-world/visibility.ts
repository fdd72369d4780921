/**
 * Why a person could not see an element, or how what they see differs from its name. Runs in the isolated world of every
 * frame and is sent as text, like page-world.ts.
 *
 * - `visibility({ parentOf, coverOf, describe })` gives `marksOf(element, known)`; `known` is shared by the elements of one
 *   question, since neighbours have the same ancestors.
 */
export interface VisibilityParts {
  parentOf(element: Element): Element | null;
  coverOf(element: Element): Element | undefined;
  describe(element: Element): string;
}

export interface KnownStyles {
  readonly opacities: Map<Element, number>;
  /** The colour behind an element; undefined when it cannot be told. */
  readonly papers: Map<Element, readonly number[] | undefined>;
}

export type MarksOf = (element: Element, known: KnownStyles) => string[];

export function visibility({ parentOf, coverOf, describe }: VisibilityParts): MarksOf {
  const colourOf = (text: string): readonly number[] => (text.match(/[\d.]+/g) ?? []).map(Number);
  function sameColour(element: Element, style: CSSStyleDeclaration, known: KnownStyles): boolean {
    const ink = colourOf(style.color);
    if (ink[3] === 0) return true;
    const paper = paperOf(element, known);
    return !!paper && [0, 1, 2].every((channel) => Math.abs((ink[channel] ?? 0) - (paper[channel] ?? 0)) < 8);
  }
  function paperOf(element: Element | null, known: KnownStyles): readonly number[] | undefined {
    if (element === null) return [255, 255, 255];
    if (known.papers.has(element)) return known.papers.get(element);
    const { backgroundImage, backgroundColor } = getComputedStyle(element);
    const own = colourOf(backgroundColor);
    const isSolid = own[3] === undefined || own[3] === 1;
    const paper =
      backgroundImage !== "none"
        ? undefined
        : own[3] === 0
          ? paperOf(parentOf(element), known)
          : isSolid
            ? own
            : undefined;
    known.papers.set(element, paper);
    return paper;
  }
  const hasOwnText = (element: Element): boolean =>
    [...element.childNodes].some((child) => child.nodeType === 3 && child.nodeValue?.trim());
  const isClipped = (style: CSSStyleDeclaration): boolean =>
    /^rect\(0(px)?,? 0(px)?,? 0(px)?,? 0(px)?\)$|^rect\(1px,? 1px,? 1px,? 1px\)$/.test(style.clip) ||
    /^inset\((50|100)%/.test(style.clipPath);

  /** Including that of its ancestors; results are cached for its neighbours. */
  function opacityOf(element: Element | null, known: Map<Element, number>): number {
    if (element === null) return 1;
    const found = known.get(element) ?? Number(getComputedStyle(element).opacity) * opacityOf(parentOf(element), known);
    known.set(element, found);
    return found;
  }

  /** Why a person could not see it, or how what they see differs from its name. */
  function marksOf(element: Element, known: KnownStyles): string[] {
    const marks: string[] = [];
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const opacity = opacityOf(element, known.opacities);
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
    } else if (hasOwnText(element) && sameColour(element, style, known)) marks.push("same colour");
    else {
      const cover = coverOf(element);
      if (cover) marks.push(`covered by ${describe(cover)}`);
    }
    if (element.closest("[inert]")) marks.push("inert");
    if (element.getAttribute("aria-expanded") === "false") marks.push("collapsed");
    if ((element as HTMLInputElement).required) marks.push("required");
    if ((element as HTMLInputElement).readOnly) marks.push("readonly");
    const title = element.getAttribute("title");
    // Its name is that of the button in it, and often only the title says which file is meant.
    if (title && element.matches("input[type=file]")) marks.push(`title ${JSON.stringify(title.slice(0, 60))}`);
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
  return marksOf;
}
