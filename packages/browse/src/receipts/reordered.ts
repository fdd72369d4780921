/**
 * Elements that stay and stand in another order, as after sorting or dragging.
 *
 * - `reorderedIn(before, after)` pure: a line for each container, with its first items in their order now.
 */
import { quote } from "../snapshot/line.ts";
import { type PageNode, type PageTree, wordsIn } from "../snapshot/page-tree.ts";

const mostLines = 2;
const mostItems = 5;

export function reorderedIn(before: PageTree, after: PageTree): string[] {
  if (before === after) return [];
  const was = childRefs(before);
  const lines: string[] = [];
  for (const [parent, now] of childRefs(after)) {
    const [old, current] = common(was.get(parent) ?? [], now);
    if (old.every((ref, at) => ref === current[at])) continue;
    if (lines.length === mostLines) return [...lines, "… and elsewhere"];
    lines.push(line(after, new Set(current)));
  }
  return lines;
}

/** Of each element with a ref, those of the elements right in it. */
function childRefs({ nodes }: PageTree): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { parent, ref } of nodes) {
    const around = parent < 0 ? undefined : nodes[parent]!.ref;
    if (ref === undefined || around === undefined) continue;
    const known = found.get(around);
    if (known) known.push(ref);
    else found.set(around, [ref]);
  }
  return found;
}

function common(one: readonly string[], other: readonly string[]): [readonly string[], readonly string[]] {
  if (one.length < 2 || other.length < 2) return [[], []];
  const [first, second] = [new Set(one), new Set(other)];
  return [one.filter((ref) => second.has(ref)), other.filter((ref) => first.has(ref))];
}

function line(tree: PageTree, refs: ReadonlySet<string>): string {
  const items = tree.nodes.filter(({ ref }) => ref !== undefined && refs.has(ref));
  const shown = items.slice(0, mostItems).map((item) => quote(wordsOf(tree, item), 40));
  const more = items.length > mostItems ? `, … ${items.length - mostItems} more` : "";
  return `~ order: ${shown.join(", ")}${more}`;
}

const wordsOf = (tree: PageTree, node: PageNode): string =>
  node.name || node.text || wordsIn(tree.nodes, node) || node.role;
