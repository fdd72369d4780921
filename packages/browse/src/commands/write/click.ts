import type { Answer, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { acting, actionTimeoutMs } from "../run-on-page.ts";
import { findReachable } from "./find-actionable.ts";

export interface ClickInput {
  readonly target: string;
  readonly button: "left" | "right" | "middle";
  readonly modifiers?: readonly ("Alt" | "Control" | "Meta" | "Shift")[] | undefined;
}

export function click(input: ClickInput, scope: TabScope, times: 1 | 2 = 1): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => findReachable(scope, input.target),
    async act(found) {
      const options = {
        button: input.button,
        // Playwright would wait for two frames to see that it stands still: 33 ms. We saw that it does.
        force: found.reach?.ready ?? false,
        timeout: actionTimeoutMs,
        signal: scope.signal,
        ...(input.modifiers && { modifiers: [...input.modifiers] }),
      };
      await acting("click", found, () =>
        times === 2 ? found.locator.dblclick(options) : found.locator.click(options),
      );
      return { did: `${times === 2 ? "double-clicked" : "clicked"} ${found.label}`, data: { target: found.ref } };
    },
  });
}
