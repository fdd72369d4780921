import type { Answer, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { acting, actionTimeoutMs } from "../run-on-page.ts";
import { findVisible } from "./find-actionable.ts";

export interface FillInput {
  readonly target: string;
  readonly value: string;
}

const typed = new Set(["date", "time", "month", "week", "datetime-local", "color", "range", "number"]);

export function fill(input: FillInput, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => findVisible(scope, input.target, "fill"),
    async act(found) {
      await acting("fill", found, async () => {
        await found.locator.fill(input.value, { timeout: actionTimeoutMs, signal: scope.signal });
        // Chromium empties a date or a colour that it cannot read, without a word.
        const isTaken =
          !typed.has(found.reach?.kind ?? "") ||
          (await found.locator.inputValue({ timeout: actionTimeoutMs })) === input.value;
        if (!isTaken) throw new Error("Malformed value");
      });
      return { did: `filled ${found.label}`, data: { target: found.ref }, on: found };
    },
  });
}
