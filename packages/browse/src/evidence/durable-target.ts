/**
 * An element in words that outlive the page.
 *
 * - `durableTarget(tab, word)` what a ref or any other target means, before it is acted on: afterwards it may be gone.
 */
import type { Locator } from "playwright-core";
import type { Tab } from "../command.ts";
import type { DurableTarget } from "../journal/index.ts";
import { askPage } from "../page-world/ask-page.ts";
import { refBookOf } from "../snapshot/ref-book.ts";
import { resolveTarget } from "../targets/resolve-target.ts";

export interface Described {
  readonly target: DurableTarget;
  /** What is typed into it must not be written down. */
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

/** Playwright keeps the selector to itself and shows only code; the version is pinned, and a test watches this. */
function selectorOf(locator: Locator): string {
  return (locator as unknown as { readonly _selector: string })._selector;
}
