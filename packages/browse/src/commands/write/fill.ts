import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { askPage } from "../../page-world/ask-page.ts";
import { canLookDirectly, lookAfterTyping, type PageState } from "../../receipts/wait-for-effect.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import type { Found } from "../../targets/resolve-target.ts";
import { actionTimeoutMs, runAction } from "../run-action.ts";
import type { fillRecord } from "../write.ts";
import { findVisible } from "./find-actionable.ts";
import { isCombobox, untilOptions } from "./until-options.ts";

type FillInput = BrowseInput<typeof fillRecord>;

const parsedTypes = new Set(["date", "time", "month", "week", "datetime-local", "color", "range", "number"]);

export function fill(input: FillInput, scope: TabScope): Promise<Answer> {
  // Where questions are answered in their order, the page is read before the field is focused.
  const select = input.value !== "" && canLookDirectly(scope.tab);
  return withReceipt(scope, {
    prepare: () => findVisible(scope, input.target, "fill", { select }),
    async act(found) {
      let seen: Promise<PageState | undefined> | undefined;
      await runAction("fill", found, async () => {
        if (await isSelected(scope, found, input.value)) {
          const cdp = await scope.tab.cdp();
          return untilOptions(scope.tab, found, async () => {
            const typed = cdp.send("Input.insertText", { text: input.value });
            // The page is asked at once for how it will look, which saves a round trip.
            if (!isCombobox(scope.tab, found)) seen = lookAfterTyping(scope.tab, typed);
            await typed;
          });
        }
        await found.locator.fill(input.value, { timeout: actionTimeoutMs, signal: scope.signal });
        // Chromium silently clears a date or colour that it cannot parse.
        const isAccepted =
          !parsedTypes.has(found.readiness?.kind ?? "") ||
          (await found.locator.inputValue({ timeout: actionTimeoutMs })) === input.value;
        if (!isAccepted) throw new Error("Malformed value");
      });
      return { did: `filled ${found.label}`, data: { target: found.ref }, on: found, seen };
    },
  });
}

/** An ordinary field of the page itself is selected as soon as it is found. */
async function isSelected({ tab }: TabScope, found: Found, value: string): Promise<boolean> {
  if (value === "" || found.frame !== tab.page.mainFrame()) return false;
  return found.readiness?.selected ?? (await askPage(found.frame, { ask: "selectValue", ref: found.page })).selected;
}
