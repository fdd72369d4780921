/**
 * Finds an element and checks that it can be acted on. A problem is reported after a second, not after Playwright's
 * timeout.
 *
 * - `findVisible(scope, target)` for keys and values: it is visible.
 * - `findReachable(scope, target)` for the mouse: it is visible and enabled, and nothing covers it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Tab, TabScope } from "../../command.ts";
import { askPage } from "../../page-world/ask-page.ts";
import type { Readiness } from "../../page-world/questions.ts";
import { refBookOf } from "../../snapshot/ref-book.ts";
import { type Found, type Reach, readinessOf, resolveTarget } from "../../targets/resolve-target.ts";
import { explainAction } from "../run-action.ts";

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
  const found = await resolveTarget(tab, target, { ...reach, scroll: true });
  const until = Date.now() + readyMs;
  const ask = () => askPage(found.frame, readinessOf(found.page, { ...reach, scroll: true }));
  for (let readiness = found.readiness ?? (await ask()); ; readiness = await ask()) {
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
  if (hidden) return (await optionOfBox(tab, found, action)) ?? explainAction(action, found, "element is not visible");
  if (disabled) return explainAction(action, found, "element is not enabled");
  if (outside && at) {
    const problem = `${at.x},${at.y} is outside of ${found.label}, which is ${outside.width}×${outside.height}.`;
    const next = `Places are from its top left corner. See it: devflow browse screenshot @${found.ref}`;
    return new DevflowError("usage", { details: { problem, next } });
  }
  const ref = coverRef ? `@${refBookOf(tab).refFor(coverRef, { role: "cover", name: cover ?? "" })} ` : "";
  return new DevflowError("browse_covered", { details: { target: found.label, cover: `${ref}${cover}` } });
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
