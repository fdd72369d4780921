/**
 * Renders a folded outline as text for an agent and as data for `--json`. Pure, except that it assigns refs.
 *
 * - `renderText(parts)` one line per node, two spaces per level; fold lines say how to expand them.
 * - `renderData(parts)` the same as objects.
 */
import type { Fact, PageRef } from "../page-world/questions.ts";
import type { Fold, FoldedOutline } from "./fold.ts";
import { lineOf, nameOf, quote, shownValue, statesOf } from "./line.ts";
import type { Outline, OutlineNode } from "./outline.ts";

export interface RenderParts {
  readonly outline: Outline;
  readonly folded: FoldedOutline;
  readonly facts: ReadonlyMap<PageRef, Fact>;
  refOf(node: OutlineNode): string | undefined;
  groupOf(fold: Fold): string;
}

export interface SnapshotNode {
  readonly ref?: string;
  readonly role: string;
  readonly name?: string;
  /** What distinguishes it from others of the same role and name. */
  readonly place?: string;
  /** What it is, where it has no words. */
  readonly hint?: string;
  readonly value?: string;
  readonly states: readonly string[];
  readonly depth: number;
  /** 0 is the page itself; others count its iframes in reading order. */
  readonly frame: number;
  readonly visible: boolean;
  readonly url?: string;
}

export interface FoldedGroup {
  readonly group: string;
  readonly role: string;
  readonly total: number;
  readonly hidden: number;
  readonly expand: string;
}

export function renderText(parts: RenderParts): string {
  return parts.folded.items
    .map((item) => {
      if (item.kind === "fold") return foldLine(parts, item.fold);
      return lineOf(item.node, parts.refOf(item.node), factOf(parts, item.node));
    })
    .join("\n");
}

export function renderData(parts: RenderParts): { nodes: SnapshotNode[]; folded: FoldedGroup[] } {
  const frames = new Map<number, number>([[0, 0]]);
  const nodes = parts.folded.items.flatMap((item) => {
    if (item.kind === "fold") return [];
    const { page, role, depth } = item.node;
    if (!frames.has(page.frame)) frames.set(page.frame, frames.size);
    const fact = factOf(parts, item.node);
    const states = statesOf(item.node, fact);
    const ref = role === "text" ? undefined : parts.refOf(item.node);
    const value = role === "text" ? page.text : shownValue(item.node, fact);
    return [
      {
        ...(ref && { ref }),
        role,
        ...(nameOf(item.node) !== "" && { name: nameOf(item.node) }),
        ...(item.node.place && { place: item.node.place }),
        ...(page.name === "" && fact?.hint && { hint: fact.hint }),
        ...(value !== undefined && { value }),
        states,
        depth,
        frame: frames.get(page.frame)!,
        visible: !states.some((state) => /^(hidden|transparent|1px|off-screen|same colour|covered)/.test(state)),
        ...(page.url !== undefined && { url: page.url }),
      },
    ];
  });
  return { nodes, folded: parts.folded.folded.map((fold) => describeFold(parts, fold)) };
}

const factOf = (parts: RenderParts, node: OutlineNode): Fact | undefined =>
  node.page.ref === undefined ? undefined : parts.facts.get(node.page.ref);

function describeFold(parts: RenderParts, fold: Fold): FoldedGroup {
  const group = parts.groupOf(fold);
  const expand = `expand @${group} ${expandRange(fold)}`.trim();
  return { group, role: fold.role, total: fold.members.length, hidden: fold.hidden.length, expand };
}

/** The next few hidden members, numbered from 1. */
function expandRange(fold: Fold): string {
  if (fold.hidden.length === fold.members.length && fold.members.length <= 30) return "";
  const first = fold.members.indexOf(fold.hidden[0]!) + 1;
  return `${first}-${Math.min(first + 9, fold.members.length)}`;
}

function foldLine(parts: RenderParts, fold: Fold): string {
  const indent = "  ".repeat(fold.parent < 0 ? 0 : parts.outline[fold.parent]!.depth + 1);
  const { expand } = describeFold(parts, fold);
  const inside = contentOf(parts.outline, fold);
  const shown = fold.members.length - fold.hidden.length;
  const count = shown === 0 ? `×${fold.members.length}` : `×${fold.hidden.length} more of ${fold.members.length}`;
  const what = fold.role === "rest" ? `… ${fold.hidden.length} more` : `${fold.role} ${count}`;
  return `${indent}${what}${inside ? `: ${inside}` : ""} — ${expand}`;
}

/** What a typical member contains: names that most members share are quoted, others are shown by role. */
function contentOf(outline: Outline, fold: Fold): string {
  const sample = fold.hidden.slice(0, 40);
  const seen = new Map<string, number>();
  for (const member of sample) {
    const own = new Set<string>();
    const { end } = outline[member]!;
    const from = fold.role === "rest" || end === member + 1 ? member : member + 1;
    for (let at = from; at < end; at++) {
      const node = outline[at]!;
      if (!node.interactive && fold.role !== "rest") continue;
      own.add(`${node.role}\n${node.page.name || (node.page.text ?? "")}`);
      own.add(node.role);
    }
    for (const key of own) seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  const words: string[] = [];
  const common = sample.length * 0.6;
  for (const [key, count] of seen) {
    const [role, name] = key.split("\n");
    if (name === undefined) {
      const named = [...seen].some(([other, times]) => other.startsWith(`${role}\n`) && times >= common && times > 1);
      if (!named && count >= Math.min(common, 1)) words.push(role!);
    } else if (name !== "" && count >= common && count > 1) words.push(quote(name, 40));
  }
  return [...new Set(words)].slice(0, 5).join(", ");
}
