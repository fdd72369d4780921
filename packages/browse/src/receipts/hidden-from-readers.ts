/**
 * What a dialog hides from screen readers and shows them again. Its controls and headings are read with their words then, but without
 * a name. Nothing of that is an effect that an agent has to hear of.
 *
 * - `hiddenFromReaders(before, after)` pure: whether an added node, a removed node or a change is no more than that.
 */
import type { NodeChange } from "../snapshot/diff.ts";
import { isField } from "../snapshot/interactive.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { isRow, rowsOf } from "../snapshot/rows.ts";

export interface HiddenParts {
  isAdded(node: PageNode): boolean;
  isRemoved(node: PageNode): boolean;
  isChanged(change: NodeChange): boolean;
}

export function hiddenFromReaders(before: PageTree, after: PageTree): HiddenParts {
  const [was, is] = [silentIn(before, after), silentIn(after, before)];
  const [known, stays] = [saidIn(before, after), saidIn(after, before)];
  return {
    isAdded: (node) => is.has(node) || ((isHidden(node) || was.hasPartAround(after, node)) && known(node)),
    isRemoved: (node) => (was.has(node) || is.hasPartAround(before, node)) && stays(node),
    isChanged: (change) => (is.has(change.after) || was.has(change.before) || isHiding(change)) && isNameOnly(change),
  };
}

/** Their names come from their content, unless screen readers do not get it. */
const named = new Set(["button", "heading", "link", "menuitem", "option", "row", "tab"]);

/** A button with `aria-hidden` is no such part. */
const fewest = 3;

/** The parts of a page in which nothing that should have a name has one: several elements, or some that have a name on the other side. */
function silentIn({ nodes }: PageTree, other: PageTree) {
  const names = new Set(other.nodes.flatMap(({ ref, name }) => (ref !== undefined && name !== "" ? [ref] : [])));
  const silent = new Uint8Array(nodes.length);
  const counts = nodes.map(({ role, name, text, ref }) => {
    const isNameless = named.has(role) && name === "" && text !== undefined;
    const weight = isNameless ? (names.has(ref ?? "") ? fewest : 1) : 0;
    return { weight, isSpoken: named.has(role) && name !== "" };
  });
  for (let at = nodes.length - 1; at >= 0; at--) {
    const up = counts[nodes[at]!.parent];
    if (!up) continue;
    up.weight += counts[at]!.weight;
    up.isSpoken ||= counts[at]!.isSpoken;
  }
  for (const [at, { weight, isSpoken }] of counts.entries()) {
    if (weight >= fewest && !isSpoken && !silent[at]) silent.fill(1, at, nodes[at]!.end);
  }
  const refs = new Set(nodes.flatMap(({ ref }, at) => (silent[at] && ref !== undefined ? [ref] : [])));
  return {
    has: ({ index }: PageNode): boolean => silent[index] === 1,
    /** A node of another tree is in one of these parts. */
    hasPartAround(tree: PageTree, { index }: PageNode): boolean {
      if (refs.size === 0) return false;
      for (let at = index; at >= 0; at = tree.nodes[at]!.parent) {
        if (refs.has(tree.nodes[at]!.ref ?? "")) return true;
      }
      return false;
    },
  };
}

/**
 * Whether the words of a node of the other tree are said on that page, also as a part of a name. A row that is not on it counts as a
 * whole: a new one may have a button that every row has.
 */
function saidIn({ nodes }: PageTree, other: PageTree): (node: PageNode) => boolean {
  const rows = rowsOf(other);
  const refs = new Set(nodes.map(({ ref }) => ref));
  let exact: Set<string> | undefined;
  let all: string | undefined;
  const isSaid = (words: string): boolean => {
    // A panel with a name has words of its own, too.
    exact ??= new Set(nodes.flatMap((node) => [wordsOf(node), isField(node) ? "" : (node.text ?? "")]));
    if (words === "" || exact.has(words)) return true;
    all ??= [...exact].join("\n").slice(0, mostSearched);
    return all.includes(words);
  };
  return (node) => {
    const row = isRow(node) ? node : rows.around(node);
    const isOther = row?.ref !== undefined && !refs.has(row.ref);
    return isOther ? cellsOf(other, row).every(isSaid) : isSaid(wordsOf(node));
  };
}

const cellsOf = ({ nodes }: PageTree, { index, end }: PageNode): string[] => nodes.slice(index, end).map(wordsOf);

/** Characters: more would take longer than the rest of a receipt. */
const mostSearched = 100_000;

/** A panel that closes, or a page behind a dialog, loses its name with that. */
const isHiding = ({ before, after }: NodeChange): boolean => isHidden(before) !== isHidden(after);

const isHidden = ({ states }: PageNode): boolean => states.includes("aria-hidden");

const isNameOnly = ({ before, after, what }: NodeChange): boolean =>
  !what.includes("states") && (wordsOf(before) === wordsOf(after) || before.name === "" || after.name === "");

const wordsOf = (node: PageNode): string => node.name || (isField(node) ? (node.placeholder ?? "") : (node.text ?? ""));
