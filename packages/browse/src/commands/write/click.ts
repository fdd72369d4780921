import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import type { Answer, Tab, TabScope } from "../../command.ts";
import { askPage } from "../../page-world/ask-page.ts";
import type { Reach } from "../../page-world/questions.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { refBookOf } from "../../snapshot/ref-book.ts";
import { type Found, resolveTarget } from "../../targets/resolve-target.ts";
import { acting, actionTimeoutMs, explainAction } from "../run-on-page.ts";

export interface ClickInput {
  readonly target: string;
  readonly button: "left" | "right" | "middle";
  readonly modifiers?: readonly ("Alt" | "Control" | "Meta" | "Shift")[] | undefined;
}

/** Toasts and fading backdrops go away, and buttons become enabled, by themselves; after this they will not. */
const patienceMs = 1_000;

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

/** Throws when it stays disabled, or covered: then with the name of what a click would hit instead. */
async function assertReachable({ tab }: TabScope, found: Found): Promise<void> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const reach = await askPage(found.frame, { ask: "reach", ref: found.page });
    if (!reach.live || (!reach.cover && !reach.disabled)) return;
    if (Date.now() > until) throw unreachable(tab, found, reach);
    await sleep(50);
  }
}

function unreachable(tab: Tab, found: Found, { cover, coverRef, disabled }: Reach): DevflowError {
  if (disabled) return explainAction("click", found, "element is not enabled");
  const ref = coverRef ? `@${refBookOf(tab).refFor(coverRef, { role: "cover", name: cover ?? "" })} ` : "";
  return new DevflowError("browse_covered", { details: { target: found.label, cover: `${ref}${cover}` } });
}
