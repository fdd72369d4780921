/**
 * Checkboxes, radio buttons and switches that a page hides behind a label or a drawing of its own: a person presses that.
 *
 * - `isChecked(found)` as it is now, also of what is drawn for it.
 * - `throughLabel(found, readiness)` its label where the control itself cannot be pressed; otherwise what was found.
 * - `choiceOf(found)`, `chosen(found, was)` what pressing it did, which a hidden control does not show.
 */
import { askPage, elementByRef } from "../../page-world/ask-page.ts";
import type { Readiness } from "../../page-world/questions.ts";
import { type Found, readinessOf } from "../../targets/resolve-target.ts";
import { actionTimeoutMs } from "../run-action.ts";

export async function throughLabel(found: Found, { ready, kind }: Readiness): Promise<Found> {
  if (ready || (kind !== "checkbox" && kind !== "radio")) return found;
  const page = await askPage(found.frame, { ask: "labelToPress", ref: found.page });
  if (page === null) return found;
  const { readiness: _, ...named } = found;
  return { ...named, page, locator: elementByRef(found.frame, page), isLabel: true };
}

/** Playwright knows the control of a label, and not that of a drawing. A press that was prepared is given up by this. */
export async function isChecked({ frame, page, locator }: Found, timeout = actionTimeoutMs): Promise<boolean> {
  const { choice } = await askPage(frame, readinessOf(page, {}));
  return choice ?? (await locator.isChecked({ timeout }));
}

/** Of a label it is that of its control. */
export async function choiceOf({ isLabel, locator, readiness }: Found): Promise<boolean | undefined> {
  return readiness?.choice ?? (isLabel ? await locator.isChecked({ timeout: actionTimeoutMs }) : undefined);
}

export async function chosen(found: Found, was: boolean | undefined): Promise<string[]> {
  const is = was === undefined || !found.isLabel ? undefined : await isChecked(found).catch(() => undefined);
  return is === undefined || is === was ? [] : [`${found.label} is ${is ? "checked" : "unchecked"} now`];
}
