/**
 * Finds an element and checks that it can be acted on. A problem is reported after a second, not after Playwright's
 * timeout.
 *
 * - `findVisible(scope, target)` for keys and values: it is visible.
 * - `findReachable(scope, target)` for the mouse: it is visible and enabled, and nothing covers it.
 * - `refuseOutside(found, at)` fails for a place that is not in the element; `refuseGone(tab, found)` for what has no place at all.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Tab, TabScope } from "../../command.ts";
import { askPage } from "../../page-world/ask-page.ts";
import type { Hidden, Point, Readiness } from "../../page-world/questions.ts";
import { refBookOf } from "../../snapshot/ref-book.ts";
import { type Found, type Reach, readinessOf, resolveTarget } from "../../targets/resolve-target.ts";
import { coverError, labelOf } from "../../targets/suggest.ts";
import { doneBy, explainAction } from "../run-action.ts";
import { throughLabel } from "./through-label.ts";

/** How long toasts and backdrops may take to fade, buttons to become enabled and panels to open. */
const readyMs = 1_000;

export function findVisible(scope: TabScope, target: string, action: string, reach: Reach = {}): Promise<Found> {
  return findWhen(scope, target, action, ({ hidden }) => !hidden, reach);
}

/** `reach.press` also prepares a press on it. */
export function findReachable(scope: TabScope, target: string, action = "click", reach: Reach = {}): Promise<Found> {
  const isReady = ({ hidden, disabled, cover, outside }: Readiness) => !hidden && !disabled && !cover && !outside;
  return findWhen(scope, target, action, isReady, reach);
}

async function findWhen(
  { tab }: TabScope,
  target: string,
  action: string,
  isReady: (readiness: Readiness) => boolean,
  reach: Reach = {},
): Promise<Found> {
  const named = await resolveTarget(tab, target, { command: action, scroll: true, ...reach });
  const until = Date.now() + readyMs;
  const ask = (page = named.page) => askPage(named.frame, readinessOf(page, { scroll: true, ...reach }));
  const first = named.readiness ?? (await ask());
  const found = await throughLabel(named, first);
  for (let readiness = found === named ? first : await ask(found.page); ; readiness = await ask(found.page)) {
    if (!readiness.live || isReady(readiness)) return { ...found, readiness };
    if (Date.now() > until) throw await unready(tab, found, action, readiness, reach);
    await sleep(50);
  }
}

async function unready(
  tab: Tab,
  found: Found,
  action: string,
  { hidden, disabled, cover, coverRef, outside }: Readiness,
  { at }: Reach,
): Promise<DevflowError> {
  if (hidden) return (await optionOfBox(tab, found, action)) ?? hiddenError(tab, found, action, await whyHidden(found));
  if (disabled) return explainAction(action, found, "element is not enabled");
  if (outside && at) return outsideError(found, at, outside);
  return coverError(tab, found.label, cover ?? "", coverRef, doneBy[action]);
}

const whyHidden = ({ frame, page }: Found) => askPage(frame, { ask: "whyHidden", ref: page }).catch(() => null);

export async function refuseGone(tab: Tab, found: Found, action: string): Promise<void> {
  const { hidden } = found.readiness ?? (await askPage(found.frame, readinessOf(found.page, {})));
  const why = hidden ? await whyHidden(found) : null;
  if (why?.isGone) throw hiddenError(tab, found, action, why);
}

/** It is seldom clear from the outside what shows it; what says so is named. */
function hiddenError(tab: Tab, found: Found, action: string, why: Hidden | null): DevflowError {
  const { opener, isGone } = why ?? {};
  if (!opener) {
    const reason = isGone ? "the page does not show it now" : "it is not visible";
    const next = "See what is visible: devflow browse snapshot -i";
    return new DevflowError("browse_action_failed", { details: { action, target: found.label, reason, next } });
  }
  const { role, name } = opener;
  const ref = refBookOf(tab).refFor(opener.ref, { role, name });
  const reason = `it is in the closed part of ${labelOf(ref, role, name)}`;
  const next = `Open it first: devflow browse click @${ref}`;
  return new DevflowError("browse_action_failed", { details: { action, target: found.label, reason, next } });
}

export async function refuseOutside(found: Found, at: Point): Promise<void> {
  const { outside } = await askPage(found.frame, readinessOf(found.page, { at }));
  if (outside) throw outsideError(found, at, outside);
}

function outsideError({ label, ref }: Found, { x, y }: Point, { width, height }: NonNullable<Readiness["outside"]>) {
  const problem = `${x},${y} is outside of ${label}, which is ${width}×${height}.`;
  const next = `Places are from its top left corner. See it: devflow browse screenshot @${ref}`;
  return new DevflowError("usage", { details: { problem, next } });
}

/** The browser shows the options of a select box in a list of its own, where they cannot be clicked. */
async function optionOfBox(tab: Tab, found: Found, action: string): Promise<DevflowError | undefined> {
  const known = refBookOf(tab).find(found.ref);
  if (known?.role !== "option") return undefined;
  const box = found.locator.locator("xpath=ancestor::select");
  const page = await askPage(box, { ask: "ref" }, { timeoutMs: 500 }).catch(() => undefined);
  if (!page) return undefined;
  const ref = refBookOf(tab).refFor(page, { role: "combobox", name: "" });
  const next = `Choose it: devflow browse select @${ref} ${JSON.stringify(known.name)}`;
  const reason = "it is an option of a select box";
  return new DevflowError("browse_action_failed", { details: { action, target: found.label, reason, next } });
}
