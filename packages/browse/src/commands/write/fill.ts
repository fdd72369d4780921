import type { Answer, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { acting, actionTimeoutMs } from "../run-on-page.ts";
import { findVisible } from "./find-actionable.ts";

export interface FillInput {
  readonly target: string;
  readonly value: string;
}

export function fill(input: FillInput, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => findVisible(scope, input.target, "fill"),
    async act(found) {
      await acting("fill", found, async () => {
        await found.locator.fill(input.value, { timeout: actionTimeoutMs, signal: scope.signal });
        // Chromium empties a date or a colour that it cannot read, without a word.
        const isTaken = await found.locator.evaluate((element, value) => {
          const typed = ["date", "time", "month", "week", "datetime-local", "color", "range", "number"];
          return !(element instanceof HTMLInputElement) || !typed.includes(element.type) || element.value === value;
        }, input.value);
        if (!isTaken) throw new Error("Malformed value");
      });
      return { did: `filled ${found.label}`, data: { target: found.ref } };
    },
  });
}
