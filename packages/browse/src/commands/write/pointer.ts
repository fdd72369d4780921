/** Hovering and scrolling. */

import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { resolveTarget } from "../../targets/resolve-target.ts";
import { actionTimeoutMs, runAction } from "../run-action.ts";
import type { scrollRecord } from "../write.ts";
import { findVisible, refuseGone } from "./find-actionable.ts";
import { moveOver } from "./press-element.ts";

/** Submenus open 0.2 to 0.4 s after the mouse has come. */
const submenuMs = 600;

export function hover(input: { readonly target: string }, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => findVisible(scope, input.target, "hover"),
    async act(found) {
      await runAction("hover", found, async () => {
        // Playwright knows neither the frames around an element nor what a field shows of itself.
        const isOurs = found.frame !== scope.tab.page.mainFrame() || found.readiness?.beside;
        if (isOurs && (await moveOver(scope, found))) return;
        await found.locator.hover({ timeout: actionTimeoutMs });
      });
      const { opens } = found.readiness ?? {};
      return { did: `hovering over ${found.label}`, ...(opens && { patienceMs: submenuMs }) };
    },
  });
}

/** Lists that load more at their end often wait a moment first. */
const loadMoreMs = 400;

type ScrollInput = BrowseInput<typeof scrollRecord>;

/** `scroll bottom` says what `scroll --to bottom` does. */
function directed(input: ScrollInput): ScrollInput {
  const { target, to, by, ...shared } = input;
  const isDirection = to === undefined && by === undefined && (target === "top" || target === "bottom");
  return isDirection ? { ...shared, to: target } : input;
}

export function scroll(given: ScrollInput, scope: TabScope): Promise<Answer> {
  const input = directed(given);
  const frame = scope.tab.frame();
  return withReceipt(scope, {
    prepare: async () =>
      input.target === undefined ? undefined : resolveTarget(scope.tab, input.target, { command: "scroll" }),
    async act(found) {
      if (found && input.by === undefined && input.to === undefined) {
        await refuseGone(scope.tab, found, "scroll");
        await runAction("scroll", found, () => found.locator.scrollIntoViewIfNeeded({ timeout: actionTimeoutMs }));
        return { did: `scrolled to ${found.label}` };
      }
      const aim = { to: input.to, by: input.by ?? null };
      const move = (area: Element, { to, by }: typeof aim) => {
        const from = Math.round(area.scrollTop);
        const step = by ?? area.clientHeight * 0.9;
        if (to === undefined) area.scrollBy({ top: step, behavior: "instant" });
        else area.scrollTo({ top: to === "top" ? 0 : area.scrollHeight, behavior: "instant" });
        return { from, y: Math.round(area.scrollTop), of: area.scrollHeight - area.clientHeight };
      };
      const area = found?.locator ?? frame.locator("html");
      const place = await area.evaluate(move, aim);
      // Lists that load more on scroll get their event in the next frame.
      await frame.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))));
      const did = `scrolled ${found ? found.label : "the page"} to ${place.y} of ${place.of}`;
      // The page's own scroll position is part of every receipt.
      const effects = found && place.from !== place.y ? [`scrolled from ${place.from} to ${place.y}`] : [];
      const isAtEnd = place.y >= place.of - 1 && place.from !== place.y;
      return { did, data: place, effects, ...(isAtEnd && { patienceMs: loadMoreMs }) };
    },
  });
}
