/**
 * The element that a word means, ready to be acted on. What is wrong with it is said after a second, not after
 * Playwright's patience.
 *
 * - `findVisible(scope, target)` for keys and values: it can be seen.
 * - `findReachable(scope, target)` for the mouse: it can be seen, is enabled, and nothing lies over it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Tab, TabScope } from "../../command.ts";
import { askPage } from "../../page-world/ask-page.ts";
import type { Reach } from "../../page-world/questions.ts";
import { refBookOf } from "../../snapshot/ref-book.ts";
import { type Found, resolveTarget } from "../../targets/resolve-target.ts";
import { explainAction } from "../run-on-page.ts";

/** Toasts and backdrops fade, buttons become enabled, panels open by themselves; after this they will not. */
const patienceMs = 1_000;

export function findVisible(scope: TabScope, target: string, action: string): Promise<Found> {
  return findWhen(scope, target, action, ({ hidden }) => !hidden);
}

export function findReachable(scope: TabScope, target: string, action = "click"): Promise<Found> {
  return findWhen(scope, target, action, ({ hidden, disabled, cover }) => !hidden && !disabled && !cover);
}

async function findWhen(
  { tab }: TabScope,
  target: string,
  action: string,
  isReady: (reach: Reach) => boolean,
): Promise<Found> {
  const found = await resolveTarget(tab, target, true);
  const until = Date.now() + patienceMs;
  const ask = () => askPage(found.frame, { ask: "reach", ref: found.page, bring: true });
  for (let reach = found.reach ?? (await ask()); ; reach = await ask()) {
    if (!reach.live || isReady(reach)) return { ...found, reach };
    if (Date.now() > until) throw unready(tab, found, action, reach);
    await sleep(50);
  }
}

function unready(tab: Tab, found: Found, action: string, { hidden, disabled, cover, coverRef }: Reach): DevflowError {
  if (hidden) return explainAction(action, found, "element is not visible");
  if (disabled) return explainAction(action, found, "element is not enabled");
  const ref = coverRef ? `@${refBookOf(tab).refFor(coverRef, { role: "cover", name: cover ?? "" })} ` : "";
  return new DevflowError("browse_covered", { details: { target: found.label, cover: `${ref}${cover}` } });
}
