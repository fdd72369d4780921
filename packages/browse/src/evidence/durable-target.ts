/**
 * Describes an element so that it can be found again in a later page.
 *
 * - `durableTarget(tab, word)` for a ref or any other target. Call it before the action; afterwards the element may be gone.
 */
import type { Tab } from "../command.ts";
import type { DurableTarget } from "../journal/index.ts";
import { askPage } from "../page-world/ask-page.ts";
import { refBookOf } from "../snapshot/ref-book.ts";
import { selectorOf } from "../targets/recorded-target.ts";
import { resolveTarget } from "../targets/resolve-target.ts";

export interface Described {
  readonly target: DurableTarget;
  /** What is typed into it must not be recorded. */
  readonly isSecret: boolean;
}

export async function durableTarget(tab: Tab, word: string): Promise<Described> {
  const found = await resolveTarget(tab, word);
  const [normalized, secrets] = await Promise.all([
    found.locator.normalize(),
    askPage(found.frame, { ask: "secrets", of: [found.page] }),
  ]);
  const known = refBookOf(tab).find(found.ref);
  return {
    target: {
      selector: selectorOf(normalized),
      code: String(normalized),
      role: known?.role ?? "",
      name: known?.name ?? "",
    },
    isSecret: secrets.includes(found.page),
  };
}
