/**
 * Dialogs, menus and their backdrops that are on their way in or out. Runs in the isolated world of every frame and is sent as
 * text, like page-world.ts.
 *
 * - `left()` milliseconds until the last of them has arrived; 0 when nothing moves. What never ends, and what moves inside a button,
 *   does not count.
 */
export interface Motion {
  left(): number;
}

export function motionOfPage(): Motion {
  const controls = "a,button,label,input,[role=button],[role=tab],[role=switch]";
  const isPopup = (element: Element): boolean =>
    /fixed|absolute/.test(getComputedStyle(element).position) && element.closest(controls) === null;
  return {
    left() {
      let most = 0;
      for (const animation of document.getAnimations()) {
        const { effect, playState, currentTime } = animation;
        const end = effect?.getComputedTiming().endTime;
        const target = effect instanceof KeyframeEffect ? effect.target : null;
        if (playState !== "running" || typeof end !== "number" || typeof currentTime !== "number" || !target) continue;
        const left = Number.isFinite(end) ? end - currentTime : 0;
        if (left > most && isPopup(target)) most = left;
      }
      return Math.ceil(most);
    },
  };
}
