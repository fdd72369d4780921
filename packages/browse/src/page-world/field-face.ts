/**
 * What a field shows of itself: libraries lay its placeholder, its chosen value or the box it draws over the field, in the same small
 * wrapper, and a person presses there. Runs in the isolated world of every frame and is sent as text, like page-world.ts.
 *
 * - `isFaceOf(hit, field)` a press on `hit` is one on the field. A list, a message or a layer that lies over it is not its face.
 */
export interface FieldFace {
  isFaceOf(hit: Element, field: Element): boolean;
}

export function fieldFace(parentOf: (element: Element) => Element | null): FieldFace {
  const fields =
    "input:not([type=hidden]),textarea,select,[role=combobox],[role=textbox],[role=searchbox],[role=spinbutton],[role=checkbox],[role=radio],[role=switch]";
  const others = `${fields},a[href],button,summary,label,iframe,dialog,form,[popover],[contenteditable],[onclick],[role=button],[role=link],[role=tab],[role=slider],[role=option],[role=listbox],[role=menu],[role=menuitem],[role=tree],[role=grid],[role=dialog],[role=alertdialog],[role=alert],[role=status],[role=tooltip],[role=progressbar],[aria-modal],[aria-busy=true]`;
  const layers = /load|spin|mask|overlay|backdrop|veil|modal|toast/i;
  const waiting = /^(wait|progress|not-allowed)$/;
  const mostLevels = 5;
  /** A wrapper of one field has a line or two. */
  const mostHeight = 96;

  /** The smallest part of the page with both. */
  function wrapperOf(hit: Element, field: Element): Element | undefined {
    const above = new Set<Element>();
    for (let at: Element | null = hit; at; at = parentOf(at)) above.add(at);
    let wrapper = parentOf(field);
    for (let level = 1; wrapper && !above.has(wrapper) && level < mostLevels; level++) wrapper = parentOf(wrapper);
    return wrapper && above.has(wrapper) && !wrapper.matches("html,body") ? wrapper : undefined;
  }
  function isLayer(element: Element): boolean {
    const { position, cursor } = getComputedStyle(element);
    return (
      position === "fixed" ||
      waiting.test(cursor) ||
      element.matches(others) ||
      layers.test(element.getAttribute("class") ?? "")
    );
  }
  const isShown = (element: Element): boolean => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true });
  };

  return {
    isFaceOf(hit, field) {
      if (!field.matches(fields)) return false;
      const wrapper = wrapperOf(hit, field);
      if (!wrapper) return false;
      const most = Math.max(mostHeight, 2 * field.getBoundingClientRect().height);
      if ([hit, wrapper].some((one) => one.getBoundingClientRect().height > most)) return false;
      for (let at: Element | null = hit; at && at !== wrapper; at = parentOf(at)) if (isLayer(at)) return false;
      return ![...wrapper.querySelectorAll(others)].some(
        (one) => one !== field && !field.contains(one) && !one.contains(field) && isShown(one),
      );
    },
  };
}
