/**
 * Typing into a combobox makes its options appear, often from a server and after a pause in the typing.
 *
 * - `untilOptions(tab, found, work)` types, and then waits until there are other options than before, one second at most, so
 *   that the receipt lists them. Does not wait for other fields.
 * - `isCombobox(tab, found)` whether it would wait.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Tab } from "../../command.ts";
import { captureTree } from "../../snapshot/capture-tree.ts";
import type { PageTree } from "../../snapshot/page-tree.ts";
import { refBookOf } from "../../snapshot/ref-book.ts";
import type { Found } from "../../targets/resolve-target.ts";

const optionsMs = 1_000;
const pollMs = 40;

export const isCombobox = (tab: Tab, found: Found | undefined): boolean =>
  found !== undefined && refBookOf(tab).find(found.ref)?.role === "combobox";

export async function untilOptions(tab: Tab, found: Found | undefined, work: () => Promise<void>): Promise<void> {
  if (!isCombobox(tab, found)) return await work();
  const before = await optionsNow(tab);
  await work();
  const until = performance.now() + optionsMs;
  while (performance.now() < until) {
    const now = await optionsNow(tab);
    if (now !== before && now !== "") return;
    await sleep(pollMs);
  }
}

async function optionsNow(tab: Tab): Promise<string> {
  return optionsIn(await captureTree(tab).catch(() => ({ nodes: [] })));
}

const optionsIn = ({ nodes }: PageTree): string =>
  nodes
    .filter(({ role }) => role === "option" || role === "treeitem")
    .map(({ name, text }) => name || (text ?? ""))
    .join("\n");
