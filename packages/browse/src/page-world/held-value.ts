/**
 * What a field holds and which text it takes. Runs in the isolated world of every frame and is sent as text, like page-world.ts.
 *
 * - `heldValue(element, wanted)` its value and what it says about its format. For a field whose text Chromium parses, such as a
 *   date or a range, also what it would make of `wanted`: tried on a copy, so the field keeps its value.
 */
import type { HeldValue } from "./questions.ts";

export function heldValue(element: Element, wanted: string): HeldValue {
  const parsed = new Set(["date", "time", "month", "week", "datetime-local", "color", "range", "number"]);
  const textual = "input:not([type]),input[type=text],input[type=tel],input[type=number],input[type=password]";
  /** Wider ones hold more than a character. */
  const widestBox = 100;
  const mostBoxes = 12;

  function wouldHold(field: HTMLInputElement): string {
    const copy = field.cloneNode() as HTMLInputElement;
    copy.value = wanted;
    return copy.value;
  }
  /** A code is often typed into a row of boxes, one for each character: what this one and those after it hold. */
  function boxesFrom(field: HTMLInputElement): string | undefined {
    for (let around = field.parentElement, up = 0; around && up < 5; around = around.parentElement, up++) {
      const all = [...around.querySelectorAll<HTMLInputElement>(textual)].filter((one) => one.checkVisibility());
      if (all.length < 2) continue;
      const boxes = all.slice(all.indexOf(field));
      const isRow =
        all.length <= mostBoxes && all.every((one) => one.value.length <= 1 && one.offsetWidth <= widestBox);
      return isRow && boxes.length > 1 ? boxes.map((box) => box.value).join("") : undefined;
    }
    return undefined;
  }
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
  const field = element as HTMLInputElement;
  const of = (name: string): string => element.getAttribute(name) ?? "";
  const boxes = element instanceof HTMLInputElement && wanted.length > 1 ? boxesFrom(field) : undefined;
  return {
    value: isField ? field.value : ((element as HTMLElement).innerText ?? ""),
    ...(element instanceof HTMLInputElement && parsed.has(field.type) && { wouldHold: wouldHold(field) }),
    ...(boxes !== undefined && { boxes }),
    placeholder: of("placeholder"),
    pattern: of("pattern"),
    maxLength: isField ? field.maxLength : -1,
    range: { min: of("min"), max: of("max"), step: of("step") },
    isSlider: of("role") === "slider" && !isField,
  };
}
