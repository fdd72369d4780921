import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import { errors } from "playwright-core";
import type { Answer, BrowseInput, Tab, TabScope } from "../../command.ts";
import { askPage } from "../../page-world/ask-page.ts";
import type { HeldValue } from "../../page-world/questions.ts";
import { canLookDirectly, lookAfterTyping, type PageState, stateNow } from "../../receipts/wait-for-effect.ts";
import { type ActionResult, withReceipt } from "../../receipts/with-receipt.ts";
import { pendingNavigation } from "../../tab-events/navigations.ts";
import type { Found } from "../../targets/resolve-target.ts";
import { actionTimeoutMs, explainAction, runAction } from "../run-action.ts";
import type { fillRecord } from "../write.ts";
import { dayFrom } from "./calendar-in.ts";
import { dateAs, isDateFormat, isDateIn, timeAs } from "./date-as.ts";
import { findVisible } from "./find-actionable.ts";
import { pickDate } from "./pick-date.ts";
import { isEmptied, isTaken, notTaken, wordsAdded } from "./taken-value.ts";
import { isCombobox, untilOptions } from "./until-options.ts";

type FillInput = BrowseInput<typeof fillRecord>;

/** Fields that Chromium fills from a text of a certain form. */
const parsedTypes = new Set(["date", "time", "month", "week", "datetime-local", "color", "range", "number"]);
/** A framework may put back what it renders a moment after it was typed. */
const settleMs = 150;
const pollMs = 25;
const mostAsked = 5;

export function fill(input: FillInput, scope: TabScope): Promise<Answer> {
  // Where questions are answered in their order, the page is read before the field is focused.
  const select = input.value !== "" && canLookDirectly(scope.tab);
  return withReceipt(scope, {
    prepare: () => findVisible(scope, input.target, "fill", { select }),
    async act(found, before) {
      if (found.readiness?.readOnly) return await fillReadOnly(found, input.value, scope, before);
      const text = await fitting(found, wordedFor(found, input.value), scope.tab);
      const seen = await runAction("fill", found, () => enter(scope, found, text));
      const held = seen && isSeenIn(seen, found, text) ? undefined : await untilTaken(found, text, scope);
      const typed = held ? await insist(scope, found, held, text, before) : text;
      const isInFormat = dateAs(formatOf(found, held), input.value) === typed && typed !== input.value;
      const effects = isInFormat ? [`typed as ${typed}, which is how the field asks for a date`] : [];
      const data = { target: found.ref };
      return { did: `filled ${found.label}`, data, on: found, seen: held ? undefined : Promise.resolve(seen), effects };
    },
  });
}

/** A date can be chosen in the calendar that it opens. */
async function fillReadOnly(found: Found, value: string, scope: TabScope, before: PageState): Promise<ActionResult> {
  const hasCalendar = found.readiness?.hasCalendar === true;
  const day = hasCalendar ? dayFrom(value) : undefined;
  if (!day) throw explainAction("fill", found, hasCalendar ? "opens a calendar" : "element is not editable");
  await runAction("fill", found, () => pickDate(scope, found, day, before.tree));
  return { did: `filled ${found.label}`, data: { target: found.ref }, on: found };
}

/** A date or a time as the field asks for it. */
function wordedFor(found: Found, value: string): string {
  const time = found.readiness?.kind === "time" ? timeAs(value) : undefined;
  return time ?? dateAs(formatOf(found), value) ?? value;
}

/** What it takes of this text; fails before anything is changed, so that the field keeps its value. */
async function fitting(found: Found, text: string, tab: Tab): Promise<string> {
  const kind = found.readiness?.kind;
  // An element without a type is no field, or has its own idea of a value.
  if (kind !== undefined && !parsedTypes.has(kind)) return text;
  const held = await heldBy(found, text, tab);
  if (held?.isSlider) throw sliderError(found);
  const { wouldHold } = held ?? {};
  if (wouldHold === undefined || text === "") return text;
  const isSame = wouldHold !== "" && (isTaken(wouldHold, text) || Number(wouldHold) === Number(text));
  if (!isSame) throw unfitError(found, kind ?? "", held!);
  return wouldHold;
}

/** The page as it was left, where it was read along with the typing. */
async function enter(scope: TabScope, found: Found, text: string): Promise<PageState | undefined> {
  const { tab } = scope;
  if (!(await isSelected(scope, found, text))) {
    await found.locator.fill(text, { timeout: actionTimeoutMs, signal: scope.signal });
    return undefined;
  }
  const cdp = await tab.cdp();
  let seen: Promise<PageState | undefined> | undefined;
  await untilOptions(tab, found, async () => {
    const typed = cdp.send("Input.insertText", { text });
    // The page is asked at once for how it will look, which saves a round trip.
    if (!isCombobox(tab, found)) seen = lookAfterTyping(tab, typed);
    await typed;
  });
  return await seen;
}

/** An ordinary field of the page itself is selected as soon as it is found. */
async function isSelected({ tab }: TabScope, found: Found, value: string): Promise<boolean> {
  if (value === "" || found.frame !== tab.page.mainFrame()) return false;
  return found.readiness?.selected ?? (await askPage(found.frame, { ask: "selectValue", ref: found.page })).selected;
}

/** The reading of an ordinary page has the field's value. */
function isSeenIn({ tree }: PageState, found: Found, text: string): boolean {
  const field = tree.nodes.find(({ ref }) => ref === found.page);
  return field?.text !== undefined && isTaken(field.text, text);
}

function isHeld(held: HeldValue, text: string): boolean {
  if (text === "") return isEmptied(held);
  return isTaken(held.value, text) || (held.boxes !== undefined && isTaken(held.boxes, text));
}

/** What it holds instead; undefined once it holds the text, or where nobody can tell. */
async function untilTaken(found: Found, text: string, { tab }: TabScope): Promise<HeldValue | undefined> {
  const until = performance.now() + settleMs;
  for (;;) {
    const held = await heldBy(found, text, tab);
    if (!held || isHeld(held, text) || pendingNavigation(tab)) return undefined;
    if (performance.now() > until) return held;
    await sleep(pollMs);
  }
}

/** A field that is gone, or whose page leaves, cannot tell; a page that is only slow is asked again. */
async function heldBy({ frame, page }: Found, wanted: string, tab: Tab): Promise<HeldValue | undefined> {
  for (let tries = 0; tries < mostAsked; tries++) {
    try {
      return (await askPage(frame, { ask: "held", ref: page, wanted }, { timeoutMs: 1_000 })) ?? undefined;
    } catch (error) {
      if (!(error instanceof errors.TimeoutError) || pendingNavigation(tab)) return undefined;
    }
  }
  return undefined;
}

/** Some fields show their format only while they are empty and focused. */
const formatOf = ({ readiness }: Found, held?: HeldValue): string =>
  held && isDateFormat(held.value) ? held.value : (readiness?.placeholder ?? "");

/** The field holds something else, which may be all right; else the text is typed as a person would type it. Gives what was typed. */
async function insist(
  scope: TabScope,
  found: Found,
  held: HeldValue,
  text: string,
  before: PageState,
): Promise<string> {
  const after = isEmptied(held) ? await stateNow(scope.tab) : undefined;
  if (after && wordsAdded(before.tree, after.tree, text)) return text;
  const format = formatOf(found, held);
  const typed = dateAs(format, text) ?? text;
  // A field with a place for each character, or for each part of a date.
  const isInParts = held.boxes !== undefined || isDateIn(format, typed);
  if (!isInParts && text !== "") throw notTaken(found, held, text);
  await runAction("fill", found, () => typeByKey(scope, found, typed, held));
  const now = await untilTaken(found, typed, scope);
  if (now) throw notTaken(found, now, typed);
  return typed;
}

async function typeByKey({ tab, signal }: TabScope, found: Found, text: string, { boxes }: HeldValue): Promise<void> {
  const { keyboard } = tab.page;
  await found.locator.focus({ timeout: actionTimeoutMs, signal });
  await keyboard.press("ControlOrMeta+a");
  if (text === "") return await keyboard.press("Delete");
  // Where a part is full, the field itself goes on to the next one.
  if (boxes === undefined) await keyboard.press("ArrowLeft");
  await keyboard.type(boxes === undefined ? text.replace(/\D/g, "") : text);
}

function unfitError(
  { label, ref }: Found,
  kind: string,
  { range: { min, max, step }, value }: HeldValue,
): DevflowError {
  const isNumber = kind === "range" || kind === "number";
  // What an `<input type=range>` without these attributes takes.
  const [from, to] = kind === "range" ? [min || "0", max || "100"] : [min, max];
  const limits = [from && `from ${from}`, to && `to ${to}`, step && `in steps of ${step}`].filter(Boolean).join(" ");
  const reason = isNumber && limits ? `it takes numbers ${limits}` : "the value does not fit this kind of field";
  const next = isNumber
    ? `It still holds ${value === "" ? "nothing" : value}. Fill it with such a number.`
    : `Dates are typed as 2026-12-31, times as 13:45. See the field: devflow browse attrs @${ref}`;
  return new DevflowError("browse_action_failed", { details: { action: "fill", target: label, reason, next } });
}

function sliderError({ label, ref }: Found): DevflowError {
  const reason = "it is a slider without a field";
  const next = `Move it by keys: devflow browse press ArrowRight @${ref}; or drag it: devflow browse drag @${ref} at 5,5 to 60,5`;
  return new DevflowError("browse_action_failed", { details: { action: "fill", target: label, reason, next } });
}
