/**
 * Checks that a mouse press reaches the element it is meant for. Runs in the isolated world of every frame and is sent as
 * text, like page-world.ts.
 *
 * - `arm(element)` before the press: a press that would reach another element is kept from the page, with all that follows
 *   from it.
 * - `disarm()` what it reached: the element, something else, or nothing that can be seen from here.
 */
export interface HitCheck {
  arm(element: Element): void;
  disarm(): { readonly landed: "there" | "elsewhere" | "unseen"; readonly on?: Element };
}

export function hitCheck(countsAs: (hit: Element, element: Element) => boolean): HitCheck {
  const kinds = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"];
  /** A press that never came must not affect a later one by a person. */
  const armedMs = 10_000;
  let armed: { element: Element; at: number; hit?: Element; isBlocking: boolean } | undefined;
  const onEvent = (event: Event): void => {
    if (!armed || !event.isTrusted || performance.now() - armed.at > armedMs) return;
    if (armed.hit === undefined) {
      const hit = event.composedPath()[0];
      if (!(hit instanceof Element)) return;
      armed.hit = hit;
      armed.isBlocking = !countsAs(hit, armed.element);
    }
    if (!armed.isBlocking) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  let isListening = false;
  return {
    arm(element) {
      armed = { element, at: performance.now(), isBlocking: false };
      if (isListening) return;
      isListening = true;
      for (const kind of kinds) addEventListener(kind, onEvent, { capture: true });
    },
    disarm() {
      const { hit, isBlocking } = armed ?? {};
      armed = undefined;
      // No listener stays behind: a page with none reacts to nothing, which a receipt can rely on.
      for (const kind of kinds) removeEventListener(kind, onEvent, { capture: true });
      isListening = false;
      if (!hit) return { landed: "unseen" };
      return isBlocking ? { landed: "elsewhere", on: hit } : { landed: "there" };
    },
  };
}
