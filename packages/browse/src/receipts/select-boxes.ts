/**
 * What happens to the options of a select box, told as a change of the box: what is chosen, and what it offers now.
 *
 * - `boxOf(tree, option)` the box that it is chosen in.
 * - `offersOf(tree, node)` pure: what can be chosen in it, if it is a closed box.
 * - `foldOptions(changes, before, after)` pure: the changes without those of options; `offers` has the options of each box that is
 *   new or offers others than before. A box that took the place of the only one like it is the same box.
 */
import type { NodeChange } from "../snapshot/diff.ts";
import type { OutlineNode } from "../snapshot/outline.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import type { PageChanges } from "./changes-of-page.ts";

export interface FoldedOptions extends Omit<PageChanges, "renewed"> {
  readonly offers: ReadonlyMap<string, readonly string[]>;
}

const boxRoles = new Set(["combobox", "listbox"]);

export function foldOptions(changes: PageChanges, before: PageTree, after: PageTree): FoldedOptions {
  const own = changes.changed.filter((change) => !boxOf(after, change.after));
  const followed = successors(changes, before, after);
  const added = changes.added.filter(({ page }) => !boxOf(after, page) && !followed.has(page));
  const old = new Set(followed.values());
  const removed = changes.removed.filter(({ page }) => !boxOf(before, page) && !old.has(page));
  const offers = new Map<string, readonly string[]>();
  for (const { page } of added) if (hasOptions(after, page)) offers.set(page.ref!, optionNames(after, page));
  const touched = new Set([
    ...changes.changed.map((change) => boxOf(after, change.after)?.ref),
    ...refsOfBoxes(after, changes.added),
    ...refsOfBoxes(before, changes.removed),
  ]);
  const boxes = [...touched].flatMap((ref) => {
    const was = before.nodes.find((node) => node.ref === ref);
    const is = after.nodes.find((node) => node.ref === ref);
    return ref !== undefined && was && is ? [{ was, is, ref }] : [];
  });
  for (const [is, was] of followed) boxes.push({ was, is, ref: is.ref! });
  const changed = new Map(own.map((change) => [change.after, change]));
  for (const { was, is, ref } of boxes) {
    const offered = optionNames(after, is);
    const isOtherOffer = optionNames(before, was).join("\n") !== offered.join("\n");
    if (isOtherOffer) offers.set(ref, offered);
    const [from, to] = [chosenIn(before, was), chosenIn(after, is)];
    if (!isOtherOffer && from === to) continue;
    changed.set(is, withChoice(changed.get(is) ?? { before: was, after: is, what: [] }, from, to));
  }
  return { changed: [...changed.values()], added, removed, offers };
}

/** By each added box that offers something else, the only removed one like it. */
function successors({ added, removed }: PageChanges, before: PageTree, after: PageTree) {
  const isBox = ({ page }: OutlineNode) => boxRoles.has(page.role);
  const keyOf = ({ page }: OutlineNode) => `${page.role}\n${page.name}`;
  const gone = Map.groupBy(removed.filter(isBox), keyOf);
  const found = new Map<PageNode, PageNode>();
  for (const [key, [is, ...others]] of Map.groupBy(added.filter(isBox), keyOf)) {
    const [was, ...rest] = gone.get(key) ?? [];
    if (!is?.page.ref || !was || others.length + rest.length > 0) continue;
    const offer = offersOf(after, is.page);
    if (offer.length > 0 && offersOf(before, was.page).join("\n") !== offer.join("\n")) found.set(is.page, was.page);
  }
  return found;
}

export const offersOf = (tree: PageTree, node: PageNode): string[] =>
  boxRoles.has(node.role) ? optionNames(tree, node) : [];

const withChoice = ({ before, after, what }: NodeChange, from: string, to: string): NodeChange =>
  from === to
    ? { before, after, what }
    : { before: { ...before, text: from }, after: { ...after, text: to }, what: [...what, "text"] };

/** The box of an option that has no box of its own on the screen, as those of a closed select box. */
export function boxOf(tree: PageTree, node: PageNode): PageNode | undefined {
  if (node.role !== "option" || node.ref !== undefined) return undefined;
  for (let at = node.parent; at >= 0; at = tree.nodes[at]!.parent) {
    const around = tree.nodes[at]!;
    if (boxRoles.has(around.role)) return around.ref === undefined ? undefined : around;
  }
  return undefined;
}

const refsOfBoxes = (tree: PageTree, nodes: readonly OutlineNode[]) => nodes.map(({ page }) => boxOf(tree, page)?.ref);

const optionsIn = (tree: PageTree, box: PageNode): PageNode[] =>
  tree.nodes.slice(box.index + 1, box.end).filter(({ role, ref }) => role === "option" && ref === undefined);

const hasOptions = (tree: PageTree, node: PageNode): boolean =>
  boxRoles.has(node.role) && node.ref !== undefined && optionsIn(tree, node).length > 0;

const optionNames = (tree: PageTree, box: PageNode): string[] =>
  optionsIn(tree, box).map(({ name, text }) => name || (text ?? ""));

const chosenIn = (tree: PageTree, box: PageNode): string =>
  optionsIn(tree, box)
    .filter(({ states }) => states.includes("selected"))
    .map(({ name, text }) => name || (text ?? ""))
    .join(", ");
