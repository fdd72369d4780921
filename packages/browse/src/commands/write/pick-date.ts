/**
 * Chooses a day in the calendar of a field that cannot be typed into, as a person does: opens it, turns its months, presses the day.
 * Each step is checked, and one that does not do what it should ends it.
 *
 * - `pickDate(scope, found, day, before)` fails with what its calendar is like, which stays open then.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { TabScope } from "../../command.ts";
import { askPage } from "../../page-world/ask-page.ts";
import { captureTree } from "../../snapshot/capture-tree.ts";
import type { PageNode, PageTree } from "../../snapshot/page-tree.ts";
import type { Found } from "../../targets/resolve-target.ts";
import { labelledRef } from "../../targets/suggest.ts";
import { type Calendar, calendarIn, type Day } from "./calendar-in.ts";
import { findReachable } from "./find-actionable.ts";
import { pressElement } from "./press-element.ts";

/** Until it has opened, or has turned. */
const shownMs = 1_500;
const pollMs = 50;
const mostTurns = 36;

export async function pickDate(scope: TabScope, found: Found, day: Day, before: PageTree): Promise<void> {
  const field = before.nodes.find(({ ref }) => ref === found.page);
  const isOpen = field?.states.includes("expanded") === true;
  const languages = await languagesOf(found);
  const known = new Set(isOpen ? [] : before.nodes.map(({ ref }) => ref));
  const until = (isSo: (calendar: Calendar) => boolean) =>
    untilShown(async () => calendarIn(await captureTree(scope.tab), known, languages), isSo);
  if (!isOpen) await pressElement(scope, found);
  let shown = await until(() => true);
  for (let turns = 0; shown && monthsFrom(shown, day) !== 0; turns++) {
    const left: number = monthsFrom(shown, day);
    const button: PageNode | undefined = left > 0 ? shown.next : shown.previous;
    if (!button || button.states.includes("disabled") || turns === mostTurns)
      throw notPicked(found, `its calendar shows ${titleOf(shown)} and could not be turned`);
    await press(scope, button);
    shown = await until((now) => Math.abs(monthsFrom(now, day)) === Math.abs(left) - 1);
  }
  if (!shown) throw notPicked(found, "what opened by it could not be read as a calendar");
  const was = await heldBy(found);
  await press(scope, shown.days[day.day - 1]!);
  await untilTaken(found, day, was);
}

/** How many to turn. */
const monthsFrom = ({ year, month }: Calendar, day: Day): number => (day.year - year) * 12 + day.month - month;

const titleOf = ({ year, month }: Calendar): string => `${year}-${String(month).padStart(2, "0")}`;

async function languagesOf({ frame }: Found): Promise<string[]> {
  const lang = await frame.evaluate(() => document.documentElement.lang).catch(() => "");
  return Intl.DateTimeFormat.supportedLocalesOf(/^[a-z]{2,3}(-\w+)*$/i.test(lang) ? [lang, "en"] : ["en"]);
}

async function untilShown(
  look: () => Promise<Calendar | undefined>,
  isSo: (calendar: Calendar) => boolean,
): Promise<Calendar | undefined> {
  const end = performance.now() + shownMs;
  for (;;) {
    const shown = await look();
    if (shown && isSo(shown)) return shown;
    if (performance.now() > end) return undefined;
    await sleep(pollMs);
  }
}

/** Not after the command was given up: nobody would hear of it. */
async function press(scope: TabScope, node: PageNode): Promise<void> {
  scope.signal.throwIfAborted();
  const { ref } = labelledRef(scope.tab, node);
  const found = await findReachable(scope, `@${ref}`, "fill", { press: true });
  await pressElement(scope, found);
}

const heldBy = async ({ frame, page }: Found): Promise<string> =>
  (await askPage(frame, { ask: "held", ref: page, wanted: "" }))?.value ?? "";

/** However the field writes it, it has the day and the year. */
async function untilTaken(found: Found, { year, day }: Day, was: string): Promise<void> {
  const end = performance.now() + shownMs;
  for (;;) {
    const value = await heldBy(found);
    const numbers = (value.match(/\d+/g) ?? []).map(Number);
    if (numbers.includes(day) && (numbers.includes(year) || numbers.includes(year % 100))) return;
    if (performance.now() > end) {
      const holds = value === was ? "its value did not change" : `it holds ${JSON.stringify(value)}`;
      throw notPicked(found, `the day was pressed in its calendar, and ${holds}; it may not be free`);
    }
    await sleep(pollMs);
  }
}

function notPicked({ label }: Found, reason: string): DevflowError {
  const next = "Its calendar may be open; choose the day there: devflow browse snapshot -i";
  return new DevflowError("browse_action_failed", { details: { action: "fill", target: label, reason, next } });
}
