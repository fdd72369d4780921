import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { askPage } from "../../page-world/ask-page.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import type { Found } from "../../targets/resolve-target.ts";
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
        if (await replaceValue(scope, found, input.value)) return;
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

/** In two round trips, where the field is an ordinary one of the page itself. */
async function replaceValue({ tab }: TabScope, found: Found, value: string): Promise<boolean> {
  if (value === "" || found.frame !== tab.page.mainFrame()) return false;
  const { selected } = await askPage(found.frame, { ask: "selectValue", ref: found.page });
  if (!selected) return false;
  const cdp = await tab.cdp();
  await cdp.send("Input.insertText", { text: value });
  return true;
}
