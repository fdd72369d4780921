import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { actionTimeoutMs, runAction } from "../run-action.ts";
import type { fillRecord } from "../write.ts";
import { findVisible } from "./find-actionable.ts";

type FillInput = BrowseInput<typeof fillRecord>;

const parsedTypes = new Set(["date", "time", "month", "week", "datetime-local", "color", "range", "number"]);

export function fill(input: FillInput, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => findVisible(scope, input.target, "fill"),
    async act(found) {
      await runAction("fill", found, async () => {
        await found.locator.fill(input.value, { timeout: actionTimeoutMs, signal: scope.signal });
        // Chromium silently clears a date or colour that it cannot parse.
        const isAccepted =
          !parsedTypes.has(found.readiness?.kind ?? "") ||
          (await found.locator.inputValue({ timeout: actionTimeoutMs })) === input.value;
        if (!isAccepted) throw new Error("Malformed value");
      });
      return { did: `filled ${found.label}`, data: { target: found.ref }, on: found };
    },
  });
}
