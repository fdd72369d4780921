/** Hovering, scrolling and dragging. */

import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { resolveTarget } from "../../targets/resolve-target.ts";
import { actionTimeoutMs, runAction } from "../run-action.ts";
import type { scrollRecord } from "../write.ts";
import { findReachable, findVisible } from "./find-actionable.ts";

export function hover(input: { readonly target: string }, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => findVisible(scope, input.target, "hover"),
    async act(found) {
      await runAction("hover", found, () => found.locator.hover({ timeout: actionTimeoutMs }));
      return { did: `hovering over ${found.label}` };
    },
  });
}

type ScrollInput = BrowseInput<typeof scrollRecord>;

export function scroll(input: ScrollInput, scope: TabScope): Promise<Answer> {
  const frame = scope.tab.frame();
  return withReceipt(scope, {
    prepare: async () => (input.target === undefined ? undefined : resolveTarget(scope.tab, input.target)),
    async act(found) {
      if (found && input.by === undefined && input.to === undefined) {
        await runAction("scroll", found, () => found.locator.scrollIntoViewIfNeeded({ timeout: actionTimeoutMs }));
        return { did: `scrolled to ${found.label}` };
      }
      const aim = { to: input.to, by: input.by ?? null };
      const move = (area: Element, { to, by }: typeof aim) => {
        const step = by ?? area.clientHeight * 0.9;
        if (to === undefined) area.scrollBy({ top: step, behavior: "instant" });
        else area.scrollTo({ top: to === "top" ? 0 : area.scrollHeight, behavior: "instant" });
        return { y: Math.round(area.scrollTop), of: area.scrollHeight - area.clientHeight };
      };
      const area = found?.locator ?? frame.locator("html");
      const place = await area.evaluate(move, aim);
      // Lists that load more on scroll get their event in the next frame.
      await frame.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))));
      return { did: `scrolled ${found ? found.label : "the page"} to ${place.y} of ${place.of}`, data: place };
    },
  });
}

export function drag(input: { readonly from: string; readonly to: string }, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: async () => ({
      from: await findReachable(scope, input.from, "drag"),
      to: await resolveTarget(scope.tab, input.to),
    }),
    async act({ from, to }) {
      // In steps, since many libraries start a drag only after the mouse has moved a little.
      await runAction("drag", from, () => from.locator.dragTo(to.locator, { timeout: actionTimeoutMs * 2, steps: 8 }));
      return { did: `dragged ${from.label} to ${to.label}` };
    },
  });
}
