import type { Answer, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { resolveTarget } from "../../targets/resolve-target.ts";
import { acting, actionTimeoutMs } from "../run-on-page.ts";

export interface FillInput {
  readonly target: string;
  readonly value: string;
}

export function fill(input: FillInput, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => resolveTarget(scope.tab, input.target),
    async act(found) {
      await acting("fill", found, () =>
        found.locator.fill(input.value, { timeout: actionTimeoutMs, signal: scope.signal }),
      );
      return { did: `filled ${found.label}`, data: { target: found.ref } };
    },
  });
}
