/**
 * Checks that a mouse press reaches the element it is meant for, and that the click which follows does too. Runs in the isolated
 * world of every frame and is sent as text, like page-world.ts.
 *
 * - `arm(element)` before the press: a press that would reach another element is kept from the page, with all that follows
 *   from it.
 * - `disarm()` what it reached: the element, something else, or nothing that can be seen from here; and whether its click went
 *   astray, since a page may move, cover or replace what is pressed before the button is released. While the button is held, what is
 *   kept from the page stays so.
 *
 * It is what a page intends where the press opened a menu or list over the element, or closed what the element was in. Chromium
 * sends no click where the pressed element was replaced, not even by an equal one.
 */
export interface HitCheck {
  arm(element: Element): void;
  disarm(isHeld?: boolean): {
    readonly landed: "there" | "elsewhere" | "unseen";
    readonly on?: Element;
    readonly strayed?: { readonly on?: Element; readonly isIdle: boolean };
  };
}

export function hitCheck(countsAs: (hit: Element, element: Element) => boolean, versionNow: () => number): HitCheck {
  const kinds = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"];
  /** What opens a menu or list, and what is chosen in one, often acts at the press already. */
  const actsAtPress =
    "[aria-haspopup]:not([aria-haspopup=false]),[aria-expanded],[role=combobox],[role=option],[role=menuitem],select,summary";
  const opened = "[role=menu],[role=listbox],[role=dialog],[role=alertdialog],[role=tree],[role=grid],dialog,[popover]";
  const controls =
    "a[href],button,label,summary,[role=button],[role=link],[role=menuitem],[role=option],[role=tab],[role=switch]";
  /** A press that never came must not affect a later one by a person. */
  const armedMs = 10_000;

  interface Armed {
    readonly element: Element;
    readonly parent: Element | null;
    readonly control: Element | null;
    readonly at: number;
    readonly version: number;
    hit?: Element;
    released?: Element;
    clicked?: Element;
    /** As it was at that moment: what hears of it may replace the label of what was pressed. */
    isReleasedThere?: boolean;
    isClickedThere?: boolean;
    isBlocking: boolean;
  }
  let armed: Armed | undefined;
  const isShown = (element: Element | null): element is Element => !!element?.isConnected && element.checkVisibility();

  const onEvent = (event: Event): void => {
    if (!armed || !event.isTrusted || performance.now() - armed.at > armedMs) return;
    const hit = event.composedPath()[0];
    if (hit instanceof Element) note(armed, event as MouseEvent, hit);
    if (!armed.isBlocking) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  function note(now: Armed, { type, button }: MouseEvent, hit: Element): void {
    if (now.hit === undefined) {
      // A key clicks, too.
      if (type !== "pointerdown" && type !== "mousedown") return;
      now.hit = hit;
      now.isBlocking = !countsAs(hit, now.element);
    }
    // The other buttons have no click.
    if (type === "mouseup" && button === 0 && !now.released) {
      now.released = hit;
      now.isReleasedThere = countsAs(hit, now.element);
    }
    // A label's click is followed by one of its field.
    if (type !== "click" || now.clicked) return;
    now.clicked = hit;
    now.isClickedThere = countsAs(hit, now.element);
  }
  function isAstray({ element, parent, control, released, clicked, ...there }: Armed): boolean {
    // A page may have kept the click from being seen here.
    if (released === undefined || there.isReleasedThere) return false;
    if (clicked && (there.isClickedThere || clicked === control)) return false;
    const popup = released.closest(opened) ?? clicked?.closest(opened);
    if (element.closest(actsAtPress) || (popup && parent && !popup.contains(parent))) return false;
    if (isShown(element)) return true;
    // Else what it was in is gone as well, or it is gone without another in its place.
    return isShown(parent) && parent.contains(released) && released !== parent;
  }

  let isListening = false;
  return {
    arm(element) {
      const [parent, control] = [element.parentElement, element.closest(controls)];
      armed = { element, parent, control, at: performance.now(), version: versionNow(), isBlocking: false };
      if (isListening) return;
      isListening = true;
      for (const kind of kinds) addEventListener(kind, onEvent, { capture: true });
    },
    disarm(isHeld = false) {
      const now = armed;
      if (isHeld && now?.hit && now.isBlocking) return { landed: "elsewhere", on: now.hit };
      armed = undefined;
      // No listener stays behind: a page with none reacts to nothing, which a receipt can rely on.
      for (const kind of kinds) removeEventListener(kind, onEvent, { capture: true });
      isListening = false;
      if (!now?.hit) return { landed: "unseen" };
      if (now.isBlocking) return { landed: "elsewhere", on: now.hit };
      if (!isAstray(now)) return { landed: "there" };
      const { clicked } = now;
      return { landed: "there", strayed: { ...(clicked && { on: clicked }), isIdle: versionNow() === now.version } };
    },
  };
}
