/**
 * Describes an element so that it can be found again in a later page.
 *
 * - `durableTarget(tab, word)` for a ref or any other target. Call it before the action; afterwards the element may be gone.
 */
import type { Tab } from "../command.ts";
import type { DurableTarget } from "../journal/index.ts";
import { askPage } from "../page-world/ask-page.ts";
import { captureTree } from "../snapshot/capture-tree.ts";
import { refBookOf } from "../snapshot/ref-book.ts";
import { pathOfFrame, selectorOf } from "../targets/recorded-target.ts";
import { type Found, resolveTarget } from "../targets/resolve-target.ts";
import { surroundingsOf } from "../targets/surroundings.ts";

export interface Described {
  readonly target: DurableTarget;
  /** What is typed into it must not be recorded. */
  readonly isSecret: boolean;
}

export async function durableTarget(tab: Tab, word: string): Promise<Described> {
  const found = await resolveTarget(tab, word);
  const { role = "", name = "" } = refBookOf(tab).find(found.ref) ?? {};
  const [selector, secrets, tree] = await Promise.all([
    lastingSelector(found, role, name),
    askPage(found.frame, { ask: "secrets", of: [found.page] }),
    captureTree(tab).catch(() => undefined),
  ]);
  const node = tree?.nodes.find(({ ref }) => ref === found.page);
  return {
    target: {
      selector,
      code: String(tab.page.locator(selector)),
      role,
      name,
      ...(tree && node && surroundingsOf(tree, node)),
    },
    isSecret: secrets.includes(found.page),
  };
}

/** Playwright's selector, or role and exact name where that one would match other words too and these are enough. */
async function lastingSelector(found: Found, role: string, name: string): Promise<string> {
  const suggested = selectorOf(await found.locator.normalize());
  if (name === "" || !matchesPartly(suggested)) return suggested;
  const own = found.frame.getByRole(role as "button", { name, exact: true });
  const [count, page] = await Promise.all([own.count(), askPage(own, { ask: "ref" })]).catch(() => []);
  return count === 1 && page === found.page ? `${await pathOfFrame(found.frame)}${selectorOf(own)}` : suggested;
}

/** `internal:role=button[name="Save"i]` matches "Do not save" too, and the text of a label contains the options in it. */
const matchesPartly = (selector: string): boolean => /internal:(role|label|text|attr)=[^>]*"i\]?$/.test(selector);
