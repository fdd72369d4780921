/** Typing and key presses, into the focused element or a given one. */

import { DevflowError } from "@devflow/core/errors";
import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import type { Found } from "../../targets/resolve-target.ts";
import { actionTimeoutMs, firstLine, runAction } from "../run-action.ts";
import type { pressRecord, typeRecord } from "../write.ts";
import { findVisible } from "./find-actionable.ts";
import { untilOptions } from "./until-options.ts";

type TypeInput = BrowseInput<typeof typeRecord>;

export function type(input: TypeInput, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => optionalTarget(scope, input.target),
    async act(found) {
      const { length } = input.text;
      if (!found) {
        await scope.tab.page.keyboard.type(input.text);
        return { did: `typed ${length} characters` };
      }
      // The caret goes after the current value, as when a person clicks into a field and continues typing.
      await runAction("type", found, async () => {
        await found.locator.focus({ timeout: actionTimeoutMs });
        await found.locator.evaluate((element) => {
          const field = element as HTMLInputElement;
          try {
            field.setSelectionRange?.(field.value.length, field.value.length);
          } catch {
            // Number and date fields have no caret that can be set.
          }
        });
        await untilOptions(scope.tab, found, () =>
          found.locator.pressSequentially(input.text, { timeout: actionTimeoutMs + 30 * length }),
        );
      });
      return { did: `typed ${length} characters into ${found.label}`, data: { target: found.ref } };
    },
  });
}

type PressInput = BrowseInput<typeof pressRecord>;

export function press(input: PressInput, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => optionalTarget(scope, input.target),
    async act(found) {
      try {
        if (found) await found.locator.press(input.key, { timeout: actionTimeoutMs });
        else await scope.tab.page.keyboard.press(input.key);
      } catch (error) {
        if (!/Unknown key/.test(String(error))) throw error;
        const problem = `${firstLine(String(error))}.`;
        const next = "Examples of key names: Enter, Escape, Tab, ArrowDown, a, Control+A.";
        throw new DevflowError("input_invalid", { details: { problem, next }, cause: error });
      }
      return { did: `pressed ${input.key}${found ? ` on ${found.label}` : ""}` };
    },
  });
}

async function optionalTarget(scope: TabScope, target: string | undefined): Promise<Found | undefined> {
  return target === undefined ? undefined : findVisible(scope, target, "type");
}
