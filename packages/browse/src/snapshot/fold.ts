/**
 * Fits an outline into a token budget. What does not fit is folded into groups that can be expanded, so every
 * line is either shown or inside exactly one fold.
 *
 * - `fits(outline, budget)` whether nothing has to be folded.
 * - `foldOutline(outline, options)` pure. Runs of similar siblings are folded first; members that changed, have the focus
 *   or are in view are shown before others. If the rest is still too long, lines are ranked by how useful they are.
 */
import { lineOf, nameOf, tokensOf } from "./line.ts";
import type { Outline, OutlineNode } from "./outline.ts";

export interface FoldOptions {
  readonly budget: number;
  readonly isInView?: (node: OutlineNode) => boolean;
  /** Whether it changed since the last snapshot. */
  readonly isChanged?: (node: OutlineNode) => boolean;
}

export interface Fold {
  /** Index of the line whose children are folded; -1 for the page itself. */
  readonly parent: number;
  /** Role of the similar siblings, or `rest` for everything else that was left out. */
  readonly role: string;
  /** Which run of that role under the parent, from 0. */
  readonly run: number;
  /** Outline indexes of all members, shown ones too; for `rest` all children of the parent. */
  readonly members: readonly number[];
  readonly hidden: readonly number[];
}

export type Item =
  | { readonly kind: "line"; readonly node: OutlineNode }
  | { readonly kind: "fold"; readonly fold: Fold };

export interface FoldedOutline {
  readonly items: readonly Item[];
  readonly folded: readonly Fold[];
}

const minRunLength = 4;
/** Tokens of a fold line; folding less than twice this saves nothing. */
const foldCost = 28;
const refCost = 3;

/** What has no words gets a hint, which is not known yet. */
const hintCost = 5;

const costOf = (node: OutlineNode): number =>
  tokensOf(lineOf(node, undefined, undefined)) +
  (node.page.ref ? refCost : 1) +
  (node.interactive && nameOf(node) === "" ? hintCost : 0);

export function fits(outline: Outline, budget: number): boolean {
  let total = 0;
  return outline.every((node) => {
    total += costOf(node);
    return total <= budget;
  });
}

export function foldOutline(outline: Outline, options: FoldOptions): FoldedOutline {
  const cost = outline.map(costOf);
  const sums = new Float64Array(outline.length + 1);
  for (let at = 0; at < outline.length; at++) sums[at + 1] = sums[at]! + cost[at]!;
  const weight = (index: number): number => sums[outline[index]!.end]! - sums[index]!;
  if (sums[outline.length]! <= options.budget) {
    return { items: outline.map((node) => ({ kind: "line", node })), folded: [] };
  }

  const runs = similarRuns(outline, (members) => {
    const total = members.reduce((sum, member) => sum + weight(member), 0);
    return total > 2 * foldCost && total / members.length <= options.budget / 8;
  });
  const shown = new Uint8Array(outline.length);
  const inRun = new Uint8Array(outline.length);
  for (const run of runs) for (const member of run.members) inRun.fill(1, member, outline[member]!.end);

  const score = (node: OutlineNode): number => rank(node, options);
  let left = options.budget;
  // What is left out besides the runs gets one fold line per parent; each parent that is shown pays for it in advance.
  const skeletonBudget = options.budget * (runs.length > 0 ? 0.7 : 1);
  const skeleton = outline.filter((node) => !inRun[node.index]);
  const skeletonCost = skeleton.reduce((sum, node) => sum + cost[node.index]!, 0);
  if (skeletonCost + runs.length * foldCost <= skeletonBudget) {
    for (const node of skeleton) shown[node.index] = 1;
    left -= skeletonCost + runs.length * foldCost;
  } else {
    const start = left;
    left -= foldCost;
    for (const node of ranked(skeleton, score)) {
      const path = pathTo(outline, node).filter((at) => !shown[at]);
      const price = path.reduce((sum, at) => sum + cost[at]! + (outline[at]!.end > at + 1 ? foldCost : 0), 0);
      if (price > left - (start - skeletonBudget)) continue;
      for (const at of path) shown[at] = 1;
      left -= price;
    }
  }
  const members = runs.flatMap((run) =>
    run.parent < 0 || shown[run.parent] ? run.members.map((member) => outline[member]!) : [],
  );
  for (const node of ranked(members, score)) {
    const price = weight(node.index);
    if (price > left) continue;
    shown.fill(1, node.index, node.end);
    left -= price;
  }
  return layOut(outline, shown, runs);
}

interface Run {
  readonly parent: number;
  readonly role: string;
  readonly run: number;
  readonly members: readonly number[];
}

/** The outermost runs of neighbours with the same role that `worth` accepts. */
function similarRuns(outline: Outline, worth: (members: readonly number[]) => boolean): Run[] {
  const runs: Run[] = [];
  const visit = (parent: number): void => {
    for (const run of runsUnder(outline, parent)) {
      if (run.members.length >= minRunLength && worth(run.members)) runs.push(run);
      else for (const member of run.members) if (outline[member]!.end > member + 1) visit(member);
    }
  };
  visit(-1);
  return runs;
}

/** All children of a line, split into runs of the same role. */
export function runsUnder(outline: Outline, parent: number): Run[] {
  const runs: (Run & { members: number[] })[] = [];
  const seen = new Map<string, number>();
  const end = parent < 0 ? outline.length : outline[parent]!.end;
  for (let at = parent + 1; at < end; at = outline[at]!.end) {
    const { role } = outline[at]!;
    const last = runs.at(-1);
    if (last?.role === role) last.members.push(at);
    else {
      const run = seen.get(role) ?? 0;
      seen.set(role, run + 1);
      runs.push({ parent, role, run, members: [at] });
    }
  }
  return runs;
}

function layOut(outline: Outline, shown: Uint8Array, runs: readonly Run[]): FoldedOutline {
  const items: Item[] = [];
  const folded: Fold[] = [];
  const runStart = new Map(runs.map((run) => [run.members[0]!, run]));
  const visit = (parent: number): void => {
    const rest: number[] = [];
    const all: number[] = [];
    const end = parent < 0 ? outline.length : outline[parent]!.end;
    const show = (at: number): void => {
      items.push({ kind: "line", node: outline[at]! });
      visit(at);
    };
    for (let at = parent + 1; at < end; at = outline[at]!.end) {
      const run = runStart.get(at);
      if (!run) {
        all.push(at);
        if (shown[at]) show(at);
        else rest.push(at);
        continue;
      }
      all.push(...run.members);
      const hidden = run.members.filter((member) => !shown[member]);
      for (const member of run.members) if (shown[member]) show(member);
      if (hidden.length > 0) addFold({ ...run, hidden });
      at = run.members.at(-1)!;
    }
    if (rest.length > 0) addFold({ parent, role: "rest", run: 0, members: all, hidden: rest });
  };
  const addFold = (fold: Fold): void => {
    folded.push(fold);
    items.push({ kind: "fold", fold });
  };
  visit(-1);
  return { items, folded };
}

const landmarks = new Set(["banner", "main", "navigation", "form", "search", "contentinfo", "region", "iframe"]);

function rank(node: OutlineNode, options: FoldOptions): number {
  const { page } = node;
  let score = 0;
  if (node.interactive) score += 4;
  if (page.states.includes("focused")) score += 6;
  if (options.isChanged?.(node)) score += 6;
  if (page.role === "dialog" || page.role === "alertdialog" || page.role === "alert") score += 6;
  if (page.role === "heading") score += 2;
  if (landmarks.has(page.role)) score += 2;
  if (options.isInView?.(node)) score += 3;
  return score;
}

function ranked(nodes: readonly OutlineNode[], score: (node: OutlineNode) => number): OutlineNode[] {
  return nodes
    .map((node) => ({ node, score: score(node) }))
    .sort((a, b) => b.score - a.score || a.node.index - b.node.index)
    .map(({ node }) => node);
}

function pathTo(outline: Outline, node: OutlineNode): number[] {
  const path: number[] = [];
  for (let at = node.index; at >= 0; at = outline[at]!.parent) path.push(at);
  return path;
}
