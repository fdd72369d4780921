/** Select boxes, checkboxes, radio buttons and switches. */

import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import type { Found } from "../../targets/resolve-target.ts";
import { actionTimeoutMs, explainAction, runAction } from "../run-action.ts";
import type { selectRecord } from "../write.ts";
import { findVisible } from "./find-actionable.ts";
import { chooseOptions, missingOption } from "./pick-option.ts";
import { pressElement } from "./press-element.ts";
import { isChecked } from "./through-label.ts";

type SelectInput = BrowseInput<typeof selectRecord>;

export function select(input: SelectInput, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => findVisible(scope, input.target, "select"),
    async act(found) {
      const chosen = await runAction("select", found, async () => {
        const native = await optionsOfBox(found);
        if (native) return await chooseNative(found, native, input.options);
        return await chooseOptions(scope, found, input.options);
      });
      return { did: `chose ${chosen.map((word) => JSON.stringify(word)).join(", ")} in ${found.label}`, on: found };
    },
  });
}

interface NativeOption {
  readonly label: string;
  readonly value: string;
}

/** Undefined for a box that the page draws itself. */
function optionsOfBox({ locator }: Found): Promise<readonly NativeOption[] | undefined> {
  return locator.evaluate((element) => {
    if (element instanceof HTMLSelectElement) return [...element.options].map(({ label, value }) => ({ label, value }));
    const isBox = element.matches("[role=combobox],[role=listbox],[aria-haspopup],[aria-expanded]");
    if (isBox || element.matches("input:not([type=checkbox],[type=radio]),button")) return undefined;
    throw new Error("Element is not a <select> element");
  });
}

async function chooseNative(
  found: Found,
  options: readonly NativeOption[],
  wanted: readonly string[],
): Promise<readonly string[]> {
  const missing = wanted.find((word) => !options.some(({ label, value }) => label.trim() === word || value === word));
  // Fails at once; Playwright would wait for the option to appear.
  if (missing !== undefined)
    throw missingOption(
      found,
      missing,
      options.map(({ label }) => label.trim()),
    );
  await found.locator.selectOption([...wanted], { timeout: actionTimeoutMs });
  return wanted;
}

export function setChecked(target: string, checked: boolean, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => findVisible(scope, target, "check", { press: true }),
    async act(found) {
      const { ready, beside, choice, disabled } = found.readiness ?? {};
      const was =
        choice ?? (await runAction("check", found, () => found.locator.isChecked({ timeout: actionTimeoutMs })));
      const word = checked ? "checked" : "unchecked";
      if (was === checked) return { did: `${found.label} was already ${word}` };
      if (disabled && choice !== undefined) throw explainAction("check", found, "element is not enabled");
      await runAction("check", found, async () => {
        const isOurs = ready || beside || choice !== undefined;
        if (!isOurs) return found.locator.setChecked(checked, { timeout: actionTimeoutMs });
        await pressElement(scope, found);
        if ((await isChecked(found)) !== checked) throw new Error("Clicking it did not change its state");
      });
      return { did: `${word} ${found.label}`, on: found };
    },
  });
}
