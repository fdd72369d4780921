/**
 * Whether a page is likely to show more by itself.
 *
 * - `isStillLoading(tab)` it has requests under way, or says that it is busy.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Frame } from "playwright-core";
import type { Tab } from "../command.ts";
import { pendingNavigation } from "../tab-events/navigations.ts";
import { requestsUnderWay } from "../tab-events/requests.ts";

/** A bar with a value may be a chart. */
const busy =
  '[aria-busy="true"],[role="progressbar"]:not([aria-valuenow]),progress:not([value]),[class*="skeleton" i],[class*="spinner" i]';

export async function isStillLoading(tab: Tab): Promise<boolean> {
  if (pendingNavigation(tab) || requestsUnderWay(tab) > 0) return true;
  return (await Promise.all(tab.page.frames().map(isBusy))).some(Boolean);
}

/** A frame without a document answers nothing. */
const frameMs = 300;

async function isBusy(frame: Frame): Promise<boolean> {
  const shown = frame.locator(busy).filter({ visible: true });
  const count = shown.count().catch(() => 0);
  return (await Promise.race([count, sleep(frameMs, 1)])) > 0;
}
