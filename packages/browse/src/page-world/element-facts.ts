/**
 * What a snapshot adds to the lines of elements. Runs in the isolated world of every frame and is sent as text, like page-world.ts.
 *
 * - `elementFacts(parts)` gives `facts(wanted, wordless)`: for elements by their numbers, why a person could not see one, the value
 *   that the tree does not have, whether it is a secret; for those without words, a hint, and where hints are equal the colour and
 *   the place.
 */
import type { Hints } from "./hints.ts";
import type { ReadingLimit } from "./limit-reading.ts";
import type { PageAnswers } from "./questions.ts";
import type { LookAt } from "./visibility.ts";

export interface FactParts {
  readonly hints: Hints;
  readonly limit: ReadingLimit;
  readonly lookAt: LookAt;
  refOf(element: Element): string;
  findNumber(number: number): Element | undefined;
  isSecret(element: Element): boolean;
  noteStationary(element: Element): void;
}

export type ElementFacts = (wanted: readonly number[], wordless: readonly number[]) => PageAnswers["facts"];

export function elementFacts({ hints, limit, lookAt, ...parts }: FactParts): ElementFacts {
  const { refOf, findNumber, isSecret, noteStationary } = parts;
  const { hintOf } = hints;
  const mostValue = 200;
  const ranges = "[role=meter],[role=progressbar],[role=scrollbar],[role=slider],[role=spinbutton]";

  /** Where the tree does not have it. */
  function shownValue(element: Element): string | undefined {
    if (element instanceof HTMLSelectElement) {
      return [...element.selectedOptions].map((option) => option.label).join(", ");
    }
    if (element instanceof HTMLIFrameElement) {
      return element.title || element.name || (element.getAttribute("src") ?? "").slice(0, 100);
    }
    if (element instanceof HTMLInputElement) {
      return element.type === "file" ? [...(element.files ?? [])].map((file) => file.name).join(", ") : undefined;
    }
    if (element instanceof HTMLProgressElement && element.position >= 0)
      return `${Math.round(element.position * 100)}%`;
    if (element instanceof HTMLMeterElement) return String(element.value);
    if (element.matches(ranges)) {
      return element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow") ?? undefined;
    }
    const isEditor = (element as HTMLElement).isContentEditable && element.matches("[contenteditable],[role=textbox]");
    return isEditor ? hints.plain((element as HTMLElement).innerText).slice(0, mostValue) || undefined : undefined;
  }
  /** `#239023`; a shape in a drawing has a fill. */
  function colourOf(element: Element): string | undefined {
    const { backgroundColor, fill } = getComputedStyle(element);
    const colour = element instanceof SVGElement ? fill : backgroundColor;
    const [red, green, blue, opacity = 1] = (/^rgb/.test(colour) ? (colour.match(/[\d.]+/g) ?? []) : []).map(Number);
    if (blue === undefined || opacity < 1) return undefined;
    return `#${[red!, green!, blue].map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
  }
  function looksOf(element: Element) {
    const { left, top } = element.getBoundingClientRect();
    const colour = colourOf(element);
    return { at: `${Math.round(left)},${Math.round(top)}`, ...(colour && { colour }) };
  }
  type MutableFact = { marks?: string[]; secret?: true; value?: string; hint?: string; at?: string; colour?: string };
  function facts(wanted: readonly number[], wordless: readonly number[]) {
    const found: Record<number, MutableFact> = {};
    const known = { opacities: new Map<Element, number>(), papers: new Map() };
    let settles = 0;
    const hinted = wordless.flatMap((number) => {
      const element = findNumber(number);
      return element ? [{ number, element, hint: hintOf(element) }] : [];
    });
    for (const alike of Map.groupBy(hinted, ({ hint }) => hint).values()) {
      for (const { number, element, hint } of alike) {
        found[number] = alike.length === 1 ? { hint } : { hint, ...looksOf(element) };
      }
    }
    for (const number of wanted) {
      const element = findNumber(number);
      if (!element) continue;
      const fact: MutableFact = found[number] ?? {};
      noteStationary(element);
      const { marks, over, settlesMs = 0 } = lookAt(element, known);
      settles = Math.max(settles, settlesMs);
      if (marks.length > 0) fact.marks = marks;
      if (isSecret(element)) fact.secret = true;
      const value = shownValue(element) ?? ((element as HTMLInputElement).value ? undefined : over);
      if (value !== undefined) fact.value = value;
      found[number] = fact;
    }
    const left = limit.left();
    const settlesMs = settles > 0 ? { settlesMs: settles } : {};
    if (!left) return { found, ...settlesMs };
    return {
      found,
      ...settlesMs,
      left: { ...left, places: left.places.map(([element, count]) => [refOf(element), count] as const) },
    };
  }
  return facts;
}
