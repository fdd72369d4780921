/**
 * What lies over much of a page is named once, with the controls that may close it, instead of in each line. Where it lies over most
 * of the controls, these are counted instead of listed: they cannot be used until it is closed.
 *
 * - `namedOnce(shown, facts)` pure: such covers, the facts of what is shown without their names, and which nodes to leave out.
 * - `coverLine(cover, refOf)` pure.
 * - `closersOf(tree, cover)` pure: the controls that may close what an element belongs to.
 */
import type { Fact, PageRef } from "../page-world/questions.ts";
import { isInteractive } from "./interactive.ts";
import { quote } from "./line.ts";
import type { OutlineNode } from "./outline.ts";
import type { PageNode, PageTree } from "./page-tree.ts";

export interface Cover {
  /** `<div#modal> "Join us"`. */
  readonly what: string;
  readonly count: number;
  /** How many of them are not listed. */
  readonly leftOut: number;
  readonly closers: readonly OutlineNode[];
}

export interface Named {
  readonly facts: ReadonlyMap<PageRef, Fact>;
  readonly covers: readonly Cover[];
  readonly leftOut: ReadonlySet<OutlineNode>;
}

const fewest = 3;
/** A few lines cost no more than to explain why they are not there. */
const fewestLeftOut = 5;
const mostClosers = 2;
const prefix = "covered by ";
const closing = /^(close|dismiss|hide|no,? thanks|not now|maybe later|later|skip|got it|cancel|[×✕✖✗x])(\b|\s|$)/i;

export function namedOnce(
  shown: readonly OutlineNode[],
  facts: ReadonlyMap<PageRef, Fact>,
  interactive: boolean,
): Named {
  const coverOf = ({ page }: OutlineNode): string | undefined => coverIn(facts.get(page.ref ?? ""));
  const counts = new Map<string, number>();
  for (const node of shown) {
    const cover = coverOf(node);
    if (cover !== undefined) counts.set(cover, (counts.get(cover) ?? 0) + 1);
  }
  const large = [...counts].filter(([, count]) => count >= fewest).toSorted((a, b) => b[1] - a[1]);
  if (large.length === 0) return { facts, covers: [], leftOut: new Set() };
  const controls = shown.filter((node) => node.interactive);
  const isCloser = ({ page }: OutlineNode) => isClosing(page);
  const covered = controls.filter((node) => coverOf(node) !== undefined && !isCloser(node));
  const isOverAll = interactive && large[0]![1] >= fewestLeftOut && covered.length * 2 > controls.length;
  const closers = controls.filter((node) => isCloser(node) && coverOf(node) === undefined).slice(-mostClosers);
  return {
    facts: new Map([...facts].map(([ref, fact]) => [ref, withShortMark(fact, counts)])),
    covers: large
      .slice(0, isOverAll ? 1 : undefined)
      .map(([what, count]) => ({ what, count, leftOut: isOverAll ? covered.length : 0, closers })),
    leftOut: isOverAll ? withEmptied(shown, new Set(covered)) : new Set(),
  };
}

const isClosing = ({ name }: PageNode): boolean => closing.test(name.trim());
const noEditables: ReadonlySet<PageRef> = new Set();
/** From what was hit up to the layer that it is in. */
const mostLevels = 8;

export function closersOf({ nodes }: PageTree, cover: PageRef): PageNode[] {
  let around = nodes.find(({ ref }) => ref === cover);
  for (let level = 0; around && level < mostLevels; level++) {
    const inside = nodes.slice(around.index, around.end);
    const closers = inside.filter((node) => node.ref && isInteractive(node, noEditables) && isClosing(node));
    if (closers.length > 0) return closers.slice(0, mostClosers);
    // The whole page may have a "Close" anywhere.
    around = around.parent < 0 || nodes[around.parent]!.parent < 0 ? undefined : nodes[around.parent];
  }
  return [];
}

const coverIn = (fact: Fact | undefined): string | undefined =>
  fact?.marks?.find((mark) => mark.startsWith(prefix))?.slice(prefix.length);

function withShortMark(fact: Fact, counts: ReadonlyMap<string, number>): Fact {
  if ((counts.get(coverIn(fact) ?? "") ?? 0) < fewest) return fact;
  return { ...fact, marks: (fact.marks ?? []).map((mark) => (mark.startsWith(prefix) ? "covered" : mark)) };
}

/** A row is listed for its controls. */
function withEmptied(shown: readonly OutlineNode[], gone: ReadonlySet<OutlineNode>): ReadonlySet<OutlineNode> {
  const rows = shown.filter((row) => {
    const inside = shown.filter((node) => node.interactive && node.index > row.index && node.index < row.end);
    return !row.interactive && inside.length > 0 && inside.every((node) => gone.has(node));
  });
  return new Set([...gone, ...rows]);
}

export function coverLine(
  { what, count, leftOut, closers }: Cover,
  refOf: (node: OutlineNode) => string | undefined,
): string {
  const controls = closers.map((node) => `@${refOf(node)} ${node.role} ${quote(node.page.name, 40)}`);
  const how = controls.length === 0 ? "press Escape, or look: screenshot" : controls.join(" or ");
  const which = leftOut === 0 ? `${count} of these` : `${leftOut} controls (snapshot lists them)`;
  return `${what} lies over ${which}; to close it: ${how}`;
}
