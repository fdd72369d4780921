/**
 * Puts elements that can be clicked, but that the tree lacks or does not name, in their place there. Playwright leaves out
 * elements without a role and without words, and fields that cannot be seen, whose labels stand for them.
 *
 * - `placeTargets(tree, found, isWhole)` pure. Of a part of a page, only those that it contains.
 */
import { type ClickableElement, documentOf, type LabelledField, numberOf } from "../page-world/questions.ts";
import { childrenOf, type PageNode, type PageTree } from "./page-tree.ts";

/** By index: what a node is instead, and what comes into it after which of its children; -1 is the page, or the first place. */
type Renamed = ReadonlyMap<number, Partial<PageNode>>;
type Added = ReadonlyMap<number, readonly { readonly after: number; readonly one: Target }[]>;
type Target = ClickableElement | LabelledField;

interface Changed {
  readonly renamed: Renamed;
  readonly added: Added;
  /** What is left out with all in it, unless it is renamed, and what is in that. */
  readonly gone: ReadonlySet<number>;
}

interface Place {
  readonly parent: number;
  readonly after: number;
}

export function placeTargets(tree: PageTree, found: readonly Target[], isWhole: boolean): PageTree {
  if (found.length === 0) return tree;
  const indexOf = new Map(tree.nodes.flatMap(({ ref, index }) => (ref === undefined ? [] : [[keyOf(ref), index]])));
  const frameOf = new Map(
    tree.nodes.flatMap(({ ref, frame }) => (ref === undefined ? [] : [[documentOf(ref), frame]])),
  );
  // What has no size has no ref.
  const refless = Map.groupBy(
    tree.nodes.filter(({ ref, role }) => ref === undefined && role !== "text"),
    ({ role, name, frame }) => JSON.stringify([role, name, frame]),
  );
  const withoutRef = (one: LabelledField): number | undefined =>
    refless.get(JSON.stringify([one.role, one.name, frameOf.get(documentOf(one.ref))]))?.shift()?.index;
  const renamed = new Map<number, Partial<PageNode>>();
  const gone = new Set<number>();
  const added = new Map<number, { readonly after: number; readonly one: Target }[]>();
  for (const one of found) {
    const known = indexOf.get(keyOf(one.ref));
    const drawing = "role" in one && one.inside ? drawnIn(tree, one, indexOf) : [];
    if (drawing.length > 0) {
      renamed.set(drawing[0]!, nodeOf(one));
      for (const index of drawing) gone.add(index);
      continue;
    }
    if ("role" in one) {
      // It has a line, which leads to the label from now on, or the label has one.
      const field = indexOf.get(`${documentOf(one.ref)}:${one.field}`) ?? withoutRef(one);
      const at = field ?? known;
      if (at !== undefined) renamed.set(at, field === undefined ? nodeOf(one) : { ref: one.ref });
      if (at !== undefined) continue;
    } else if (known !== undefined) {
      if (isUnnamed(tree.nodes[known]!)) renamed.set(known, { name: one.name });
      continue;
    }
    const place = placeOf(tree, one, indexOf, isWhole ? frameOf : undefined);
    if (!place || isShownInside(tree, place, one)) continue;
    const there = added.get(place.parent);
    if (there) there.push({ after: place.after, one });
    else added.set(place.parent, [{ after: place.after, one }]);
  }
  return renamed.size + added.size === 0 ? tree : { ...tree, nodes: rebuilt(tree, { renamed, added, gone }) };
}

const keyOf = (ref: string): string => `${documentOf(ref)}:${numberOf(ref)}`;
const isUnnamed = ({ role, name, text }: PageNode): boolean =>
  (role === "generic" || role === "row") && name === "" && text === undefined;

/** The outermost nodes of what is drawn for a field, and the field's own, which has no ref without a size. */
function drawnIn(tree: PageTree, one: LabelledField, indexOf: ReadonlyMap<string, number>): number[] {
  const document = documentOf(one.ref);
  const own = new Set(one.inside!.flatMap((number) => indexOf.get(`${document}:${number}`) ?? []));
  const parents = new Set([...own].map((index) => tree.nodes[index]!.parent).filter((index) => !own.has(index)));
  const [parent] = parents;
  if (parent === undefined) return [];
  const outermost = [...own].filter((index) => parents.has(tree.nodes[index]!.parent)).toSorted((a, b) => a - b);
  const end = tree.nodes[outermost.at(-1)!]!.end;
  const isField = ({ ref, role, index }: PageNode) =>
    ref === undefined && role === one.role && (index === outermost[0]! - 1 || index === end);
  const field = childrenOf(tree, parent).find(isField);
  return [...outermost, ...(field ? [field.index] : [])];
}

function placeOf(
  { nodes }: PageTree,
  { ref, around, before }: Target,
  indexOf: ReadonlyMap<string, number>,
  frameOf: ReadonlyMap<string, number> | undefined,
): Place | undefined {
  const document = documentOf(ref);
  const first = (numbers: readonly number[]): number | undefined => {
    const known = numbers.find((number) => indexOf.has(`${document}:${number}`));
    return known === undefined ? undefined : indexOf.get(`${document}:${known}`);
  };
  // Where the tree has nothing that is around it, it stands in the page itself, or in its frame.
  const inside = first(around);
  if (inside === undefined && !frameOf) return undefined;
  const frame = frameOf?.get(document);
  if (inside === undefined && frame === undefined) {
    return { parent: -1, after: childrenOf({ nodes }, -1).at(-1)?.index ?? -1 };
  }
  const parent = inside ?? frame! - 1;
  const end = nodes[parent]?.end ?? nodes.length;
  let after = first(before) ?? -1;
  if (after <= parent || after >= end) return { parent, after: -1 };
  while (nodes[after]!.parent !== parent) after = nodes[after]!.parent;
  return { parent, after };
}

/** A picture that shows the pointer already stands for what is around it alone. */
function isShownInside(tree: PageTree, { parent, after }: Place, { name }: Target): boolean {
  const next = tree.nodes[after < 0 ? parent + 1 : tree.nodes[after]!.end];
  return name !== "" && next?.parent === parent && next.hasPointerCursor && next.name === name;
}

function rebuilt(tree: PageTree, { renamed, added, gone }: Changed): PageNode[] {
  const nodes: (PageNode & { end: number })[] = [];
  const addAll = (from: number, parent: number, depth: number, frame: number): void => {
    const here = added.get(from) ?? [];
    const put = (at: number) => {
      for (const { after, one } of here) {
        const index = nodes.length;
        if (after === at) nodes.push({ ...nodeOf(one), index, parent, end: index + 1, depth, frame });
      }
    };
    put(-1);
    for (const child of childrenOf(tree, from)) {
      add(child, parent, depth, frame);
      put(child.index);
    }
  };
  const add = (node: PageNode, parent: number, depth: number, frame: number): void => {
    if (gone.has(node.index) && !renamed.has(node.index)) return;
    const index = nodes.length;
    const own = { ...node, ...renamed.get(node.index), index, parent, depth, frame, end: index + 1 };
    nodes.push(own);
    const inside = node.role === "iframe" ? index + 1 : frame;
    if (own.text !== undefined && added.has(node.index)) {
      // Only what contains nothing else has a text of its own.
      Object.assign(own, { text: undefined });
      const place = { index: index + 1, parent: index, end: index + 2, depth: depth + 1, frame: inside };
      nodes.push({ ...bare, role: "text", name: "", text: node.text, ...place });
    }
    if (!gone.has(node.index)) addAll(node.index, index, depth + 1, inside);
    own.end = nodes.length;
  };
  addAll(-1, -1, 0, 0);
  return nodes;
}

function nodeOf(one: Target) {
  const { ref, name, beside } = one;
  const kind = "role" in one ? { role: one.role, states: one.states } : { role: "clickable" };
  return { ...bare, ...kind, name, ref, text: undefined, ...(beside && { beside }) };
}

const bare = {
  ref: undefined,
  states: [],
  holdsRefs: false,
  hasPointerCursor: false,
  box: undefined,
  url: undefined,
  placeholder: undefined,
};
