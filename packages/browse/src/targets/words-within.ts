/**
 * Elements that say more than the words that were given for them.
 *
 * - `sayingMore(tree, words, clickables)` pure: those whose words contain these; controls, or else the innermost elements. Without
 *   regard to case.
 * - `beginningWith(nodes, tree, words)` pure: the one of them, if there is no other, and its words begin with these. `Save` is not meant for
 *   `Do not save`.
 * - `isWords(word)` pure: rather words than CSS.
 */
import type { PageRef } from "../page-world/questions.ts";
import { isFieldRole, isInteractive } from "../snapshot/interactive.ts";
import { isLabelAround } from "../snapshot/labels.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { plain } from "./by-words.ts";

const noClickables: ReadonlySet<PageRef> = new Set();

export function sayingMore(tree: PageTree, words: string, clickables = noClickables): PageNode[] {
  const wanted = plain(words);
  if (wanted.length < 2) return [];
  const isControl = (node: PageNode) => isInteractive(node, clickables);
  const saying = tree.nodes.flatMap((node) => {
    if (!plain(wordsOf(node)).includes(wanted) || isLabelAround(tree, node)) return [];
    // Words without an element of their own are those of the element around them.
    const own = node.ref === undefined && node.role === "text" ? tree.nodes[node.parent] : node;
    return own?.ref === undefined ? [] : [own];
  });
  const all = [...new Set(saying)];
  const controls = all.filter(isControl);
  return innermost(controls.length > 0 ? controls : all);
}

export function beginningWith(nodes: readonly PageNode[], tree: PageTree, words: string): PageNode | undefined {
  const [only, ...others] = nodes;
  if (!only || others.length > 0) return undefined;
  const wanted = plain(words);
  const said = [only, ...tree.nodes.slice(only.index + 1, only.end)].map((node) => plain(wordsOf(node)));
  const isEnd = (rest: string) => words.trim().endsWith("…") || !/^[\p{L}\p{N}]/u.test(rest);
  return said.some((one) => one.startsWith(wanted) && isEnd(one.slice(wanted.length))) ? only : undefined;
}

export const isWords = (word: string): boolean =>
  /[A-Z\s]/.test(word.trim()) && !/^\s*(css=|[#.[*:>])|[[\]{}=>]/.test(word);

const wordsOf = ({ role, name, text }: PageNode): string => name || (isFieldRole(role) ? "" : (text ?? ""));

const innermost = (nodes: readonly PageNode[]): PageNode[] =>
  nodes.filter(({ index, end }) => !nodes.some((one) => one.index > index && one.index < end));
