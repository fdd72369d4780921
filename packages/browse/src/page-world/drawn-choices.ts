/**
 * Checkboxes, radio buttons and switches that a page hides and draws anew beside them, without a label: a person presses the drawing.
 * Runs in the isolated world of every frame and is sent as text, like page-world.ts.
 *
 * - `drawingOf(field)` what is pressed for a hidden field, and the part of the page that is the same control with it.
 * - `fieldOf(element)` the field that is chosen by pressing this element.
 */
export interface Drawing {
  readonly pressed: HTMLElement;
  readonly around: HTMLElement;
}

export interface DrawnChoices {
  drawingOf(field: Element): Drawing | undefined;
  fieldOf(element: Element): HTMLInputElement | undefined;
}

export function drawnChoices(parentOf: (element: Element) => Element | null): DrawnChoices {
  const kinds = "input[type=checkbox],input[type=radio]";
  /** Of these there may be no other in it, and it is in none of them. */
  const controls =
    "a[href],button,input:not([type=hidden]),select,textarea,summary,label,[contenteditable],[role=button],[role=link],[role=checkbox],[role=radio],[role=switch],[role=option],[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio],[role=treeitem],[role=row],[role=tab]";
  const rows = "tr,li,article,form,fieldset,body";
  const mostLevels = 3;
  const mostElements = 20;
  const mostHeight = 96;

  /** What cannot be used has no pointer. */
  const hasPointer = (element: Element | null): boolean =>
    element !== null && /^(pointer|not-allowed)$/.test(getComputedStyle(element).cursor);
  const isShown = (element: Element): boolean => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true });
  };
  const isSmall = (element: Element): boolean =>
    element.getBoundingClientRect().height <= mostHeight && element.getElementsByTagName("*").length <= mostElements;
  /** What is hidden otherwise gets the press itself. */
  const isUnreachable = (field: Element): boolean => {
    const { width, height, right, bottom } = field.getBoundingClientRect();
    const isOut = right + scrollX <= 0 || bottom + scrollY <= 0;
    return width <= 1 || height <= 1 || isOut || !field.checkVisibility({ visibilityProperty: true });
  };

  /** The nearest part around it with something else in it that can be seen. */
  function partAround(field: Element): HTMLElement | undefined {
    let around = parentOf(field);
    if (around?.closest(controls)) return undefined;
    for (let level = 0; around && level < mostLevels; level++, around = parentOf(around)) {
      if (!(around instanceof HTMLElement) || around.matches(rows) || !isSmall(around)) return undefined;
      if (isShown(around) && (hasPointer(around) || [...around.querySelectorAll("*")].some(isShown))) return around;
    }
    return undefined;
  }
  function drawingOf(field: Element): Drawing | undefined {
    const isHidden = field.matches(kinds) && isUnreachable(field) && field.getAttribute("aria-hidden") !== "true";
    const around = isHidden ? partAround(field) : undefined;
    if (!around || [...around.querySelectorAll(controls)].some((one) => one !== field)) return undefined;
    // Where all around it is a pointer, too, something larger is pressed.
    if (hasPointer(parentOf(around))) return undefined;
    if (hasPointer(around)) return { pressed: around, around };
    const parts = [...around.querySelectorAll<HTMLElement>("*")];
    const pressed = parts.find((one) => one !== field && hasPointer(one) && isShown(one));
    return pressed && { pressed, around };
  }
  function fieldOf(element: Element): HTMLInputElement | undefined {
    let at: Element | null = element;
    for (let level = 0; at && level <= mostLevels && isSmall(at); level++, at = parentOf(at)) {
      const [field, ...others] = at.querySelectorAll<HTMLInputElement>(kinds);
      if (others.length > 0) return undefined;
      if (field) return drawingOf(field)?.pressed === element ? field : undefined;
    }
    return undefined;
  }
  return { drawingOf, fieldOf };
}
