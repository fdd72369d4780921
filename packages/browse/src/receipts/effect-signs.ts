/**
 * Whether a reading of the page shows the effect of an action, or only that it has begun.
 *
 * - `isSign(before, after)` pure: something changed that can be told. A box without words that came or went is none, as where a page
 *   renders itself anew.
 * - `isOpening(before, after, on)` pure: what came cannot be reached by a pointer yet, as at the beginning of its transition; or what
 *   was acted on says that it is open now, and nothing has come.
 */
import type { PageRef } from "../page-world/questions.ts";
import { diffTrees, isEmptyDiff } from "../snapshot/diff.ts";
import { isInteractive } from "../snapshot/interactive.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { reorderedIn } from "./reordered.ts";
import { boxOf } from "./select-boxes.ts";

export function isSign(before: PageTree, after: PageTree): boolean {
  const { added, removed, changed } = diffTrees(before, after);
  if (changed.length > 0 || reorderedIn(before, after).length > 0) return true;
  return isAnyTelling(after, added, before) || isAnyTelling(before, removed, after);
}

export function isOpening(before: PageTree, after: PageTree, on: PageRef | undefined): boolean {
  const diff = diffTrees(before, after);
  if (isEmptyDiff(diff)) return false;
  const { added, changed } = diff;
  if (isAnyOutOfReach(after, added, before)) return true;
  const own = on === undefined ? undefined : changed.find((change) => change.after.ref === on);
  const hasOpened = own !== undefined && isOpen(own.after) && !isOpen(own.before);
  return hasOpened && !isAnyTelling(after, added, before);
}

const isOpen = ({ states }: PageNode): boolean => states.includes("expanded");

/** They have words, or a role and can be reached. An icon in a box is as silent as the box. */
function isAnyTelling({ nodes }: PageTree, roots: readonly PageNode[], other: PageTree): boolean {
  if (roots.length === 0) return false;
  const isNew = newTo(other);
  return roots.some((root) => {
    if (root.ref === undefined && hasWords(root)) return true;
    const isSilent = ({ role, index }: PageNode) => role === "generic" || (role === "img" && index !== root.index);
    const isTelling = (node: PageNode) => hasWords(node) || (node.ref !== undefined && !isSilent(node));
    return nodes.slice(root.index, root.end).some((node) => isTelling(node) && isNew(node));
  });
}

/** Parts of the page with controls, none of which can be pressed. */
function isAnyOutOfReach(tree: PageTree, roots: readonly PageNode[], other: PageTree): boolean {
  if (roots.length === 0) return false;
  const isNew = newTo(other);
  const isControl = (node: PageNode) =>
    isInteractive(node, noEditables) && hasWords(node) && !node.states.includes("disabled") && !boxOf(tree, node);
  return roots.some((root) => {
    for (let at = root.index; at < root.end; ) {
      const node = tree.nodes[at]!;
      const isUnreached = node.ref === undefined && !node.holdsRefs;
      if (isUnreached && tree.nodes.slice(at, node.end).some((one) => isControl(one) && isNew(one))) return true;
      at = isUnreached ? node.end : at + 1;
    }
    return false;
  });
}

const noEditables: ReadonlySet<string> = new Set();
const hasWords = ({ name, text }: PageNode): boolean => name !== "" || text !== undefined;

/** A wrapping that came or went may have what stays inside. */
function newTo({ nodes }: PageTree): (node: PageNode) => boolean {
  const keyOf = ({ ref, role, name, text = "" }: PageNode) => ref ?? `${role}\n${name}\n${text}`;
  const known = new Set(nodes.map(keyOf));
  return (node) => !known.has(keyOf(node));
}
