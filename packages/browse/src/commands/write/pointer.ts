/** Hovering, scrolling and dragging. */

import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import type { Point } from "../../page-world/questions.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { resolveTarget } from "../../targets/resolve-target.ts";
import { actionTimeoutMs, runAction } from "../run-action.ts";
import type { dragRecord, scrollRecord } from "../write.ts";
import { findReachable, findVisible } from "./find-actionable.ts";
import { driverPlace, pointFrom } from "./press-element.ts";

export function hover(input: { readonly target: string }, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => findVisible(scope, input.target, "hover"),
    async act(found) {
      await runAction("hover", found, () => found.locator.hover({ timeout: actionTimeoutMs }));
      return { did: `hovering over ${found.label}` };
    },
  });
}

/** Lists that load more at their end often wait a moment first. */
const loadMoreMs = 400;

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

type DragInput = BrowseInput<typeof dragRecord>;

export async function drag(input: DragInput, scope: TabScope): Promise<Answer> {
  const way = dragWay(input.to);
  return withReceipt(scope, {
    prepare: async () => ({
      from: await findReachable(scope, input.from, "drag", { at: way.from }),
      to: way.target === undefined ? undefined : await resolveTarget(scope.tab, way.target),
    }),
    async act({ from, to }) {
      // In steps, since many libraries start a drag only after the mouse has moved a little.
      const options = {
        timeout: actionTimeoutMs * 2,
        steps: 8,
        ...(way.from && { sourcePosition: await driverPlace(from, way.from) }),
        ...(way.to && { targetPosition: await driverPlace(to ?? from, way.to) }),
      };
      await runAction("drag", from, () => from.locator.dragTo((to ?? from).locator, options));
      const [begin, end] = [way.from, way.to].map((point) => (point ? ` at ${point.x},${point.y}` : ""));
      return { did: `dragged ${from.label}${begin} to ${to ? to.label : "it"}${end}` };
    },
  });
}

interface DragWay {
  readonly from?: Point | undefined;
  readonly target?: string;
  readonly to?: Point | undefined;
}

/** `@e8`, `to @e8`, `at 10,60 to 150,60`, `at 10,60 to @e8`: places are from the top left corner of the element. */
function dragWay(words: readonly string[]): DragWay {
  const at = words.indexOf("to");
  const from = at > 0 ? pointFrom(words.slice(0, at)) : undefined;
  const end = words.slice(at + 1);
  if (end.length === 1 && end[0] && !/^-?[\d.]+,-?[\d.]+$/.test(end[0])) return { from, target: end[0] };
  return { from, to: pointFrom(end) };
}
