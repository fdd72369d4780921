import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { actionTimeoutMs, runAction } from "../run-action.ts";
import type { clickRecord } from "../write.ts";
import { findReachable } from "./find-actionable.ts";

type ClickInput = BrowseInput<typeof clickRecord>;

export function click(input: ClickInput, scope: TabScope, times: 1 | 2 = 1): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => findReachable(scope, input.target),
    async act(found) {
      const options = {
        button: input.button,
        // Playwright would wait two frames (33 ms) to see that it is not moving. That is already known.
        force: found.readiness?.ready ?? false,
        timeout: actionTimeoutMs,
        signal: scope.signal,
        ...(input.modifiers && { modifiers: [...input.modifiers] }),
      };
      await runAction("click", found, () =>
        times === 2 ? found.locator.dblclick(options) : found.locator.click(options),
      );
      return { did: `${times === 2 ? "double-clicked" : "clicked"} ${found.label}`, data: { target: found.ref } };
    },
  });
}
