/**
 * Clocks, counters and tickers: words that change by themselves are no effect of an action.
 *
 * - `noteRestless(tab, told, now)` what changed only in its digits while nothing was done.
 * - `isRestless(tab, tree, change)` whether it is one of those, and changed only in its digits again.
 */
import type { Tab } from "../command.ts";
import { diffTrees, type NodeChange } from "../snapshot/diff.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";

const restlessKey = Symbol("browse restless words");
const restlessOf = (tab: Tab): Set<string> => tab.memory(restlessKey, () => new Set<string>());

export function noteRestless(tab: Tab, told: PageTree, now: PageTree): void {
  const known = restlessOf(tab);
  for (const change of diffTrees(told, now).changed) if (isTick(change)) known.add(keyOf(now, change.after));
}

export const isRestless = (tab: Tab, tree: PageTree, change: NodeChange): boolean =>
  isTick(change) && restlessOf(tab).has(keyOf(tree, change.after));

function isTick({ before, after, what }: NodeChange): boolean {
  const words = ({ name, text }: PageNode) => withoutDigits(`${name}\n${text ?? ""}`);
  return what.every((one) => one === "text" || one === "name") && words(before) === words(after);
}

export const withoutDigits = (text = ""): string => text.replace(/\d+/g, "");

/** Words without an element of their own are known by their place in one. */
function keyOf({ nodes }: PageTree, node: PageNode): string {
  for (let at = node.index; at >= 0; at = nodes[at]!.parent) {
    const { ref, index } = nodes[at]!;
    if (ref !== undefined) return `${ref} ${node.index - index}`;
  }
  return "";
}
