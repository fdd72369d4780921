import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { runAction } from "../run-action.ts";
import type { clickRecord } from "../write.ts";
import { findReachable } from "./find-actionable.ts";
import { pointFrom, pressElement } from "./press-element.ts";
import { choiceOf, chosen } from "./through-label.ts";

/** Who hears of no effect presses again, so what a timer does soon is waited for. */
const pressSignMs = 300;

type ClickInput = BrowseInput<typeof clickRecord>;

export async function click(input: ClickInput, scope: TabScope, times: 1 | 2 = 1): Promise<Answer> {
  const at = pointFrom(input.at);
  return withReceipt(scope, {
    prepare: () => findReachable(scope, input.target, "click", { at, press: input.modifiers === undefined }),
    async act(found) {
      const { button, modifiers } = input;
      const press = { button, modifiers, times, at };
      const was = await choiceOf(found);
      const { seen, strayed } = await runAction("click", found, () => pressElement(scope, found, press));
      const place = at ? ` at ${at.x},${at.y}` : "";
      const done = strayed ? "pressed" : times === 2 ? "double-clicked" : "clicked";
      const none = strayed?.isIdle
        ? ", but no click followed"
        : "; the page changed at the press, and no click followed";
      const but = strayed?.on ? `, but the click landed on ${strayed.on}` : none;
      const did = `${done} ${found.label}${place}${strayed ? but : ""}`;
      const effects = await chosen(found, was);
      return { did, data: { target: found.ref }, on: found, effects, seen, signMs: pressSignMs };
    },
  });
}
