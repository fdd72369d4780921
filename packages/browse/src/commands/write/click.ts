import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { runAction } from "../run-action.ts";
import type { clickRecord } from "../write.ts";
import { findReachable } from "./find-actionable.ts";
import { pointFrom, pressElement } from "./press-element.ts";

type ClickInput = BrowseInput<typeof clickRecord>;

export async function click(input: ClickInput, scope: TabScope, times: 1 | 2 = 1): Promise<Answer> {
  const at = pointFrom(input.at);
  return withReceipt(scope, {
    prepare: () => findReachable(scope, input.target, "click", { at, press: input.modifiers === undefined }),
    async act(found) {
      const { button, modifiers } = input;
      const press = { button, modifiers, times, at };
      const { seen } = await runAction("click", found, () => pressElement(scope, found, press));
      const place = at ? ` at ${at.x},${at.y}` : "";
      const did = `${times === 2 ? "double-clicked" : "clicked"} ${found.label}${place}`;
      return { did, data: { target: found.ref }, seen };
    },
  });
}
