/** Select boxes, checkboxes, radio buttons and switches. */

import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { actionTimeoutMs, runAction } from "../run-action.ts";
import type { selectRecord } from "../write.ts";
import { findVisible } from "./find-actionable.ts";
import { pressElement } from "./press-element.ts";

type SelectInput = BrowseInput<typeof selectRecord>;

export function select(input: SelectInput, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => findVisible(scope, input.target, "select"),
    async act(found) {
      await runAction("select", found, async () => {
        const missing = await found.locator.evaluate((element, wanted) => {
          if (!(element instanceof HTMLSelectElement)) throw new Error("Element is not a <select> element");
          const options = [...element.options];
          return wanted.filter((word) => !options.some(({ label, value }) => label.trim() === word || value === word));
        }, input.options);
        // Fails at once; Playwright would wait for the option to appear.
        if (missing.length > 0) throw new Error("did not find some options");
        await found.locator.selectOption([...input.options], { timeout: actionTimeoutMs });
      });
      return { did: `chose ${input.options.map((word) => JSON.stringify(word)).join(", ")} in ${found.label}` };
    },
  });
}

export function setChecked(target: string, checked: boolean, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => findVisible(scope, target, "check", { press: true }),
    async act(found) {
      const was = await runAction("check", found, () => found.locator.isChecked({ timeout: actionTimeoutMs }));
      const word = checked ? "checked" : "unchecked";
      if (was === checked) return { did: `${found.label} was already ${word}` };
      await runAction("check", found, async () => {
        if (!found.readiness?.ready) return found.locator.setChecked(checked, { timeout: actionTimeoutMs });
        await pressElement(scope, found);
        const is = await found.locator.isChecked({ timeout: actionTimeoutMs });
        if (is !== checked) throw new Error("Clicking it did not change its state");
      });
      return { did: `${word} ${found.label}` };
    },
  });
}
