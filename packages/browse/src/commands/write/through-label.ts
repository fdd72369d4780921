/**
 * Checkboxes and radio buttons that a page hides behind a label of its own: a person presses the label.
 *
 * - `throughLabel(found, readiness)` its label where the control itself cannot be pressed; otherwise what was found.
 * - `choiceOf(found)`, `chosen(found, was)` what pressing it did, which a hidden control does not show.
 */
import { askPage, elementByRef } from "../../page-world/ask-page.ts";
import type { Readiness } from "../../page-world/questions.ts";
import type { Found } from "../../targets/resolve-target.ts";
import { actionTimeoutMs } from "../run-action.ts";

export async function throughLabel(found: Found, { ready, kind }: Readiness): Promise<Found> {
  if (ready || (kind !== "checkbox" && kind !== "radio")) return found;
  const page = await askPage(found.frame, { ask: "labelToPress", ref: found.page });
  if (page === null) return found;
  const { readiness: _, ...named } = found;
  return { ...named, page, locator: elementByRef(found.frame, page), isLabel: true };
}

/** Of a label it is that of its control. */
export async function choiceOf({ isLabel, locator }: Found): Promise<boolean | undefined> {
  return isLabel ? await locator.isChecked({ timeout: actionTimeoutMs }) : undefined;
}

export async function chosen(found: Found, was: boolean | undefined): Promise<string[]> {
  const is = was === undefined ? undefined : await choiceOf(found).catch(() => undefined);
  return is === undefined || is === was ? [] : [`${found.label} is ${is ? "checked" : "unchecked"} now`];
}
