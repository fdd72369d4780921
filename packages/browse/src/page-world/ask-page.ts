/**
 * The daemon's side of the code that runs inside pages (page-world.ts).
 *
 * - `preparePages()` once per process, before the first tab; later calls do nothing.
 * - `askPage(place, question)` one round trip, the short way where it is open (direct-way.ts); waits up to `timeoutMs` for a document that is still loading.
 * - `elementByRef(frame, ref)` a locator that matches exactly this element, or nothing; `refOfElement(element)` the opposite.
 */
import { type ElementHandle, type Frame, type Locator, selectors } from "playwright-core";
import { clickableElements } from "./clickable-elements.ts";
import { copying } from "./copying.ts";
import { type AskOptions, askDirectly, lookForWorld } from "./direct-way.ts";
import { documentOrder } from "./document-order.ts";
import { drawnChoices } from "./drawn-choices.ts";
import { driverCode } from "./driver-code.ts";
import { elementFacts } from "./element-facts.ts";
import { elementRefs } from "./element-refs.ts";
import { fieldFace } from "./field-face.ts";
import { heldValue } from "./held-value.ts";
import { hintsOfPage } from "./hints.ts";
import { hitCheck } from "./hit-check.ts";
import { labelledFields } from "./labelled-fields.ts";
import { limitReading } from "./limit-reading.ts";
import { looksOfPage } from "./looks.ts";
import { lostWords } from "./lost-words.ts";
import { motionOfPage } from "./motion.ts";
import { newsOfPage } from "./news.ts";
import { openedBy } from "./opened-by.ts";
import { pageInventory } from "./page-inventory.ts";
import { pageWorld } from "./page-world.ts";
import { personEvents } from "./person-events.ts";
import { pressing } from "./pressing.ts";
import type { PageAnswers, PageQuestion, PageRef } from "./questions.ts";
import { rememberBoxes } from "./remember-boxes.ts";
import { visibility } from "./visibility.ts";
import { whyHidden } from "./why-hidden.ts";

let prepared: Promise<void> | undefined;

export function preparePages(): Promise<void> {
  prepared ??= selectors.register("devflow", { content: source() }, { contentScript: true });
  return prepared;
}

/** Functions as text: in the page they share nothing with this process. */
function source(): string {
  const making = {
    boxes: rememberBoxes,
    limit: limitReading,
    news: newsOfPage,
    looks: looksOfPage,
    motion: motionOfPage,
    hints: hintsOfPage,
    driver: driverCode,
    opened: openedBy,
  };
  const made = Object.fromEntries(Object.entries(making).map(([name, make]) => [name, `(${make})()`]));
  const given = {
    ...{ elementRefs, elementFacts, pageInventory, pressing, personEvents },
    ...{
      heldValue,
      fieldFace,
      hitCheck,
      visibility,
      clickableElements,
      documentOrder,
      labelledFields,
      lostWords,
      copying,
    },
    ...{ whyHidden, drawnChoices },
  };
  const parts = Object.entries({ ...made, ...given }).map(([name, text]) => `${name}: ${text}`);
  return `(${pageWorld})({ ${parts.join(", ")} })`;
}

export async function askPage<Q extends PageQuestion>(
  place: Frame | Locator,
  question: Q,
  options: AskOptions = {},
): Promise<PageAnswers[Q["ask"]]> {
  const frame = "page" in place && "childFrames" in place ? place : undefined;
  const direct = frame && (await askDirectly(frame, question, options));
  if (direct) return direct.value;
  await preparePages();
  const asked = place.locator(selectorFor(question)).first();
  const answer = await asked.getAttribute("data", {
    timeout: options.timeoutMs ?? 5_000,
    ...(options.signal && { signal: options.signal }),
  });
  if (frame) lookForWorld(frame);
  return JSON.parse(answer ?? "null");
}

export function elementByRef(frame: Frame, ref: PageRef): Locator {
  return frame.locator(selectorFor({ ask: "element", ref }));
}

export async function refOfElement(element: ElementHandle): Promise<PageRef> {
  await preparePages();
  const answer = await element.$(selectorFor({ ask: "ref" }));
  return JSON.parse((await answer?.getAttribute("data")) ?? '""');
}

function selectorFor(question: PageQuestion): string {
  return `devflow=${encodeURIComponent(JSON.stringify(question)).replace(/'/g, "%27")}`;
}
