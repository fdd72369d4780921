/**
 * Why a person could not see an element, or how what they see differs from its name. Runs in the isolated world of every
 * frame and is sent as text, like page-world.ts.
 *
 * - `visibility(parts)` gives `lookAt(element, known)`; `known` is shared by the elements of one question, since neighbours have
 *   the same ancestors.
 */
import type { Barrier } from "./pressing.ts";

export interface VisibilityParts {
  parentOf(element: Element): Element | null;
  barrierTo(element: Element): Barrier;
  describe(element: Element): string;
  plain(text: string): string;
}

export interface KnownStyles {
  readonly opacities: Map<Element, number>;
  /** The colour behind an element; undefined when it cannot be told. */
  readonly papers: Map<Element, readonly number[] | undefined>;
}

export interface Seen {
  readonly marks: string[];
  /** What lies over a field, as libraries show its value. */
  readonly over?: string;
  /** For how long what covers it will still fade or move. */
  readonly settlesMs?: number;
}

export type LookAt = (element: Element, known: KnownStyles) => Seen;

export function visibility({ parentOf, barrierTo, describe, plain }: VisibilityParts): LookAt {
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

  /** Libraries lay these over a picture of their own, which shows their state. */
  const drawnBeside = "input[type=checkbox],input[type=radio]";
  /** Its label is what a person sees and presses. */
  const isShownByLabel = (element: Element): boolean =>
    element.matches(drawnBeside) &&
    [...((element as HTMLInputElement).labels ?? [])].some((label) => {
      const { width, height } = label.getBoundingClientRect();
      return width > 1 && height > 1 && label.checkVisibility({ visibilityProperty: true });
    });

  /** Including that of its ancestors; results are cached for its neighbours. */
  function opacityOf(element: Element | null, known: Map<Element, number>): number {
    if (element === null) return 1;
    const found = known.get(element) ?? Number(getComputedStyle(element).opacity) * opacityOf(parentOf(element), known);
    known.set(element, found);
    return found;
  }

  function boxOfContents(element: Element): DOMRect {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
  }

  /** What they contain is their value or their options, and has lines of its own. */
  const ownContent = `input,select,textarea,[contenteditable],${[
    ...["combobox", "grid", "group", "list", "listbox", "menu", "meter", "progressbar", "radiogroup", "scrollbar"],
    ...["searchbox", "slider", "spinbutton", "tablist", "textbox", "toolbar", "tree"],
  ]
    .map((role) => `[role=${role}]`)
    .join()}`;
  const fields = "input,select,textarea,[role=combobox],[role=searchbox],[role=textbox]";
  const controls =
    "a[href],button,input:not([type=hidden]),select,textarea,[role=button],[role=combobox],[role=textbox]";
  /** Words in the field's own wrapping, which has no other control. */
  function overField(field: Element, cover: Element): string | undefined {
    if (!field.matches(fields)) return undefined;
    let around = parentOf(field);
    for (let level = 0; level < 4 && around && !around.contains(cover); level++) around = parentOf(around);
    if (!around?.contains(cover) || around.matches("body,html,form,main")) return undefined;
    const isAlone = [...around.querySelectorAll(controls)].every((one) => one === field || one.contains(field));
    return isAlone ? plain((cover as HTMLElement).innerText ?? "").slice(0, 160) || undefined : undefined;
  }
  /** A backdrop fades out after its dialog was closed; what is always in motion is not waited for. */
  function settlesMs(cover: Element): number {
    let most = 0;
    for (let at: Element | null = cover, level = 0; at && level < 4; at = parentOf(at), level++) {
      for (const animation of at.getAnimations()) {
        const end = Number(animation.effect?.getComputedTiming().endTime ?? 0);
        const left = end - Number(animation.currentTime ?? 0);
        if (animation.playState === "running" && Number.isFinite(left)) most = Math.max(most, left);
      }
    }
    return most;
  }

  /** Of fields whose value must have a certain form. */
  const formats = new Set(["color", "date", "datetime-local", "month", "time", "week"]);

  /** Why a person could not see it, or how what they see differs from its name. */
  function lookAt(element: Element, known: KnownStyles): Seen {
    const marks: string[] = [];
    let over: string | undefined;
    let settles = 0;
    const style = getComputedStyle(element);
    const box = style.display === "contents" ? boxOfContents(element) : element.getBoundingClientRect();
    const opacity = opacityOf(element, known.opacities);
    const fixed = style.position === "fixed";
    const root = document.documentElement;
    const isUnseen = opacity < 0.05 && !(element.matches(drawnBeside) && opacity === Number(style.opacity));
    const isSmall = box.width <= 1 || box.height <= 1;
    const isLabelled = (isSmall || isClipped(style)) && isShownByLabel(element);
    if (style.visibility !== "visible" || (isClipped(style) && !isLabelled)) marks.push("hidden");
    else if (isUnseen) marks.push(style.pointerEvents === "none" ? "hidden" : "transparent");
    else if (isSmall && !isLabelled) marks.push("1px");
    else if (
      box.right + (fixed ? 0 : scrollX) <= 0 ||
      box.bottom + (fixed ? 0 : scrollY) <= 0 ||
      box.left + (fixed ? 0 : scrollX) >= Math.max(fixed ? innerWidth : root.scrollWidth, 1) ||
      (fixed && box.top >= innerHeight)
    ) {
      marks.push("off-screen");
    } else if (hasOwnText(element) && sameColour(element, style, known)) marks.push("same colour");
    else {
      const { cover, clip, isFace } = barrierTo(element);
      over = cover && overField(element, cover);
      if (clip === "cuts") marks.push("off-screen");
      else if (cover && over && /placeholder/i.test(cover.className)) marks.push(`placeholder ${JSON.stringify(over)}`);
      else if (cover && over === undefined && !isFace) {
        marks.push(`covered by ${describe(cover)}`);
        settles = settlesMs(cover);
      }
    }
    if (element.closest("[inert]")) marks.push("inert");
    const popup = element.getAttribute("aria-haspopup") ?? "";
    const opens = popup === "menu" || popup === "true" ? "menu, " : "";
    if (element.getAttribute("aria-expanded") === "false") marks.push(`${opens}collapsed`);
    if (element instanceof HTMLInputElement && formats.has(element.type)) marks.push(element.type);
    if (element.matches("select[multiple],[role=listbox][aria-multiselectable=true]")) marks.push("multiple");
    if ((element as HTMLInputElement).required) marks.push("required");
    if ((element as HTMLInputElement).readOnly) marks.push("readonly");
    if (element.getAttribute("draggable") === "true") marks.push("draggable");
    const title = element.getAttribute("title");
    // Its name is that of the button in it, and often only the title says which file is meant.
    if (title && element.matches("input[type=file]")) marks.push(`title ${JSON.stringify(title.slice(0, 60))}`);
    const name = element.getAttribute("aria-label");
    if (name && !element.matches(ownContent)) {
      const shown = plain((element as HTMLElement).innerText ?? "");
      const [text, label] = [shown.toLowerCase(), plain(name).toLowerCase()];
      if (shown && !label.includes(text) && !text.includes(label)) {
        marks.push(`shows ${JSON.stringify(shown.slice(0, 60))}`);
      }
    }
    const isValue = !marks.some((mark) => mark.startsWith("placeholder"));
    return { marks, ...(over !== undefined && isValue && { over }), ...(settles > 0 && { settlesMs: settles }) };
  }
  return lookAt;
}
