/** Typing and key presses, into the focused element or a given one. */

import { DevflowError } from "@devflow/core/errors";
import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import type { Found } from "../../targets/resolve-target.ts";
import { actionTimeoutMs, firstLine, runAction } from "../run-action.ts";
import type { pressRecord, typeRecord } from "../write.ts";
import { caretLines, focusLines, movesCaret } from "./caret.ts";
import { findVisible } from "./find-actionable.ts";
import { selectionWork } from "./selection-keys.ts";
import { untilOptions } from "./until-options.ts";

type TypeInput = BrowseInput<typeof typeRecord>;

export function type(input: TypeInput, scope: TabScope): Promise<Answer> {
  if (input.target !== undefined && isRef(input.text) && !isRef(input.target)) {
    const problem = "type takes the text first, then the target.";
    // What was to be typed may be a secret, so it is not repeated.
    const next = `Try: devflow browse type <text> ${input.text}`;
    throw new DevflowError("usage", { details: { problem, next } });
  }
  return withReceipt(scope, {
    prepare: () => optionalTarget(scope, input.target, "type <text>"),
    async act(found) {
      const { length } = input.text;
      if (!found) {
        await scope.tab.page.keyboard.type(input.text);
        return { did: `typed ${length} characters`, ifQuiet: () => focusLines(scope.tab) };
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
      return { did: `typed ${length} characters into ${found.label}`, data: { target: found.ref }, on: found };
    },
  });
}

const isRef = (word: string): boolean => /^@[ec]\d+$/.test(word);

type PressInput = BrowseInput<typeof pressRecord>;

export function press(input: PressInput, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => optionalTarget(scope, input.target, `press ${input.key}`),
    async act(found) {
      const selection = selectionWork(scope.tab, input.key);
      await selection?.begin();
      try {
        if (found) await found.locator.press(input.key, { timeout: actionTimeoutMs });
        else await scope.tab.page.keyboard.press(input.key);
        for (let more = 1; more < input.times; more++) {
          scope.signal.throwIfAborted();
          await scope.tab.page.keyboard.press(input.key);
        }
      } catch (error) {
        if (!/Unknown key/.test(String(error))) throw error;
        const problem = `${firstLine(String(error))}.`;
        const next = "Examples of key names: Enter, Escape, Tab, ArrowDown, a, Control+A.";
        throw new DevflowError("input_invalid", { details: { problem, next }, cause: error });
      }
      const effects = (await selection?.end()) ?? [];
      const often = input.times > 1 ? ` ${input.times} times` : "";
      const did = `pressed ${input.key}${often}${found ? ` on ${found.label}` : ""}`;
      return {
        did,
        effects,
        ...(found && { on: found }),
        ...(movesCaret(input.key) && { ifQuiet: () => caretLines(scope.tab) }),
      };
    },
  });
}

async function optionalTarget(
  scope: TabScope,
  target: string | undefined,
  command: string,
): Promise<Found | undefined> {
  return target === undefined ? undefined : findVisible(scope, target, "type", { command });
}
