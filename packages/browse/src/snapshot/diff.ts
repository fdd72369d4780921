/**
 * What differs between two trees of a page. Elements are compared by identity, not by position.
 *
 * - `diffTrees(before, after)` pure: added, removed and changed elements; a subtree is listed once, by its root.
 */
import { isField } from "./interactive.ts";
import { childrenOf, type PageNode, type PageTree } from "./page-tree.ts";

export interface TreeDiff {
  readonly added: readonly PageNode[];
  readonly removed: readonly PageNode[];
  readonly changed: readonly NodeChange[];
}

export interface NodeChange {
  readonly before: PageNode;
  readonly after: PageNode;
  /** What differs: `name`, `text`, `states`. */
  readonly what: readonly ("role" | "name" | "text" | "states")[];
}

export function diffTrees(before: PageTree, after: PageTree): TreeDiff {
  if (areEqual(before, after)) return { added: [], removed: [], changed: [] };
  const old = byIdentity(before);
  const current = byIdentity(after);
  const added = [...current.values()].filter((node) => !old.has(node.key) && !isInside(node, current, old));
  const removed = [...old.values()].filter((node) => !current.has(node.key) && !isInside(node, old, current));
  const changed: NodeChange[] = [];
  for (const { key, node } of current.values()) {
    const was = old.get(key)?.node;
    if (!was) continue;
    const what = differences(was, node);
    if (what.length > 0) changed.push({ before: was, after: node, what });
  }
  return { added: added.map(({ node }) => node), removed: removed.map(({ node }) => node), changed };
}

/** Node by node, which needs no maps: most pages have not changed. */
function areEqual({ nodes: before }: PageTree, { nodes: after }: PageTree): boolean {
  return (
    before.length === after.length &&
    after.every((node, at) => {
      const was = before[at]!;
      return (
        was.ref === node.ref &&
        was.parent === node.parent &&
        was.role === node.role &&
        was.name === node.name &&
        was.text === node.text &&
        was.states.length === node.states.length &&
        was.states.every((state, index) => state === node.states[index])
      );
    })
  );
}

export function isEmptyDiff(diff: TreeDiff): boolean {
  return diff.added.length + diff.removed.length + diff.changed.length === 0;
}

interface Identified {
  readonly key: string;
  readonly parent: string;
  readonly node: PageNode;
}

/** Elements by their ref; text and elements without a ref by their position under the nearest element that has one. */
function byIdentity(tree: PageTree): Map<string, Identified> {
  const found = new Map<string, Identified>();
  const visit = (nodes: readonly PageNode[], parent: string): void => {
    const places = new Map<string, number>();
    for (const node of nodes) {
      const place = places.get(node.role) ?? 0;
      places.set(node.role, place + 1);
      const key = node.ref ?? `${parent}/${node.role}${place}`;
      found.set(key, { key, parent, node });
      visit(childrenOf(tree, node.index), key);
    }
  };
  visit(childrenOf(tree, -1), "");
  return found;
}

/** Its parent was added or removed with it, so listing the parent is enough. */
function isInside(node: Identified, here: ReadonlyMap<string, Identified>, there: ReadonlyMap<string, Identified>) {
  return node.parent !== "" && here.has(node.parent) && !there.has(node.parent);
}

function differences(before: PageNode, after: PageNode): NodeChange["what"] {
  const what: ("role" | "name" | "text" | "states")[] = [];
  // A container is read as an item where there are others like it.
  const isItem = ({ role }: PageNode) => role === "generic" || role === "listitem";
  if (before.role !== after.role && !(isItem(before) && isItem(after))) what.push("role");
  if (before.name !== after.name) what.push("name");
  // A label's text is also the name of its field and of its containers; it is listed once.
  if (before.text !== after.text && (isField(after) || after.name !== after.text)) what.push("text");
  if (before.states.filter(lasting).join() !== after.states.filter(lasting).join()) what.push("states");
  return what;
}

/** The focus is reported separately. What screen readers get changes with every dialog. */
const lasting = (state: string): boolean => state !== "focused" && state !== "aria-hidden";
