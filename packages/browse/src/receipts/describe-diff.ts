/**
 * A tree diff as a few lines.
 *
 * - `changesBetween(before, after, limit)` pure: added, removed and changed elements; at most `limit`.
 * - `changeText(change, refOf, fact)` its line: `+` added, `-` removed, `~` changed. Separate, since it needs to know which
 *   values are secret.
 */
import type { Fact } from "../page-world/questions.ts";
import { diffTrees, type NodeChange } from "../snapshot/diff.ts";
import { isField } from "../snapshot/interactive.ts";
import { hiddenValue, lineOf, quote } from "../snapshot/line.ts";
import { type OutlineNode, outlineOf } from "../snapshot/outline.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";

export type Change =
  | { readonly kind: "added" | "removed"; readonly node: OutlineNode; readonly depth: number }
  | { readonly kind: "changed"; readonly change: NodeChange };

export interface Changes {
  readonly shown: readonly Change[];
  readonly more: number;
  /** Elements that were replaced by equal ones, as when a page renders itself anew; their refs are gone. */
  readonly replaced: number;
}

export function changesBetween(before: PageTree, after: PageTree, limit: number): Changes {
  const diff = diffTrees(before, after);
  const changed = diff.changed.filter((change) => !isEcho(change, diff.changed, diff.added));
  const { added, removed, replaced } = withoutEqual(
    linesUnder(after, diff.added, refsOf(before)),
    linesUnder(before, diff.removed, refsOf(after)),
  );
  const all: Change[] = [
    ...changed.map((change) => ({ kind: "changed" as const, change })),
    ...added.map((line) => ({ kind: "added" as const, ...line })),
    ...removed.filter(({ depth }) => depth === 0).map((line) => ({ kind: "removed" as const, ...line })),
  ];
  return { shown: all.slice(0, limit), more: Math.max(0, all.length - limit), replaced };
}

type Line = ReturnType<typeof linesUnder>[number];

/** Leaves out lines that were removed and added again with the same words and states. */
function withoutEqual(added: readonly Line[], removed: readonly Line[]) {
  const gone = new Map<string, Line[]>();
  for (const line of removed) {
    const same = gone.get(wordsOf(line));
    if (same) same.push(line);
    else gone.set(wordsOf(line), [line]);
  }
  const matched = new Set<Line>();
  for (const line of added) {
    const pair = gone.get(wordsOf(line))?.shift();
    if (pair) matched.add(line).add(pair);
  }
  const rest = (lines: readonly Line[]) => nested(lines.filter((line) => !matched.has(line)));
  return {
    added: rest(added),
    removed: rest(removed),
    replaced: added.filter((line) => matched.has(line) && line.node.page.ref !== undefined).length,
  };
}

const wordsOf = ({ node: { role, page } }: Line): string =>
  JSON.stringify([role, page.name, page.text ?? "", page.states.filter((state) => state !== "focused")]);

/** Their depth among themselves. */
function nested(lines: readonly Line[]): Line[] {
  const depths = new Map<number, number>();
  return lines.map(({ node }) => {
    const depth = (depths.get(node.parent) ?? -1) + 1;
    depths.set(node.index, depth);
    return { node, depth };
  });
}

/** A container whose name or text comes from its content changes with it; only the innermost change is reported. */
function isEcho(change: NodeChange, all: readonly NodeChange[], added: readonly PageNode[]): boolean {
  if (change.what.includes("states") || isField(change.after)) return false;
  const { index, end } = change.after;
  const inside = (node: PageNode) => node.index > index && node.index < end;
  return all.some((other) => inside(other.after)) || added.some(inside);
}

const refsOf = ({ nodes }: PageTree): ReadonlySet<string | undefined> => new Set(nodes.map(({ ref }) => ref));

/** Without what the other tree has too: a container may have been put around elements that stay. */
function linesUnder(
  tree: PageTree,
  roots: readonly PageNode[],
  others: ReadonlySet<string | undefined>,
): { node: OutlineNode; depth: number }[] {
  if (roots.length === 0) return [];
  const outline = outlineOf(tree);
  const found: { node: OutlineNode; depth: number }[] = [];
  const inside = new Uint8Array(tree.nodes.length);
  for (const root of roots) inside.fill(1, root.index, root.end);
  for (const node of outline) {
    if (!inside[node.page.index] || isEmptyContainer(node)) continue;
    if (node.page.ref !== undefined && others.has(node.page.ref)) continue;
    const parent = node.parent < 0 ? undefined : found.find((line) => line.node.index === node.parent);
    found.push({ node, depth: parent ? parent.depth + 1 : 0 });
  }
  return found;
}

/** Adding or removing an empty container is not a visible effect. */
function isEmptyContainer({ page, interactive, index, end }: OutlineNode): boolean {
  return !interactive && end === index + 1 && page.name === "" && page.text === undefined && page.role !== "img";
}

export function changeText(
  change: Change,
  refOf: (node: PageNode) => string | undefined,
  fact: Fact | undefined,
): string {
  if (change.kind !== "changed") {
    const sign = change.kind === "added" ? "+" : "-";
    const line = lineOf({ ...change.node, depth: change.depth }, refOf(change.node.page), fact);
    return `${sign} ${line}`;
  }
  const { before, after, what } = change.change;
  if (after.role === "text" || (after.role === "generic" && after.name === "" && !what.includes("states"))) {
    return `~ ${quote(before.text ?? "", 120)} → ${quote(after.text ?? "", 120)}`;
  }
  const ref = refOf(after);
  const parts = [`~ ${ref ? `@${ref} ` : ""}${after.role}`];
  if (what.includes("name")) parts.push(`${quote(before.name, 80)} → ${quote(after.name, 80)}`);
  else if (after.name !== "") parts.push(quote(after.name, 80));
  if (what.includes("states")) parts.push(stateChange(before.states, after.states));
  const text = parts.join(" ");
  if (!what.includes("text")) return text;
  const secret = fact?.secret || (isField(after) && fact === undefined);
  const value = (words: string | undefined) => (secret && words ? quote(hiddenValue, 9) : quote(words ?? "", 120));
  return `${text}: ${value(before.text)} → ${value(after.text)}`;
}

function stateChange(before: readonly string[], after: readonly string[]): string {
  const came = after.filter((state) => !before.includes(state) && state !== "focused").map((state) => `[${state}]`);
  const went = before
    .filter((state) => !after.includes(state) && state !== "focused")
    .map((state) => `[no longer ${state}]`);
  return [...came, ...went].join(" ");
}
