import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Answer, TabScope } from "../../command.ts";
import { askPage } from "../../page-world/ask-page.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { refBookOf } from "../../snapshot/ref-book.ts";
import { type Found, resolveTarget } from "../../targets/resolve-target.ts";
import { acting, actionTimeoutMs } from "../run-on-page.ts";

export interface ClickInput {
  readonly target: string;
  readonly button: "left" | "right" | "middle";
  readonly modifiers?: readonly ("Alt" | "Control" | "Meta" | "Shift")[] | undefined;
}

/** Toasts and fading backdrops go away by themselves; what still covers after this will not. */
const coverPatienceMs = 1_000;

export function click(input: ClickInput, scope: TabScope, times: 1 | 2 = 1): Promise<Answer> {
  return withReceipt(scope, {
    prepare: () => findReachable(scope, input.target),
    async act(found) {
      const options = {
        button: input.button,
        timeout: actionTimeoutMs,
        signal: scope.signal,
        ...(input.modifiers && { modifiers: [...input.modifiers] }),
      };
      await acting("click", found, () =>
        times === 2 ? found.locator.dblclick(options) : found.locator.click(options),
      );
      return { did: `${times === 2 ? "double-clicked" : "clicked"} ${found.label}`, data: { target: found.ref } };
    },
  });
}

export async function findReachable(scope: TabScope, target: string): Promise<Found> {
  const found = await resolveTarget(scope.tab, target);
  await assertReachable(scope, found);
  return found;
}

/** Throws `browse_covered` with the name of what a click would hit instead. */
async function assertReachable({ tab }: TabScope, found: Found): Promise<void> {
  const until = Date.now() + coverPatienceMs;
  for (;;) {
    const { live, cover, coverRef } = await askPage(found.frame, { ask: "reach", ref: found.page });
    if (!live || !cover) return;
    if (Date.now() > until) {
      const ref = coverRef ? `@${refBookOf(tab).refFor(coverRef, { role: "cover", name: cover })} ` : "";
      throw new DevflowError("browse_covered", { details: { target: found.label, cover: `${ref}${cover}` } });
    }
    await sleep(50);
  }
}
