/**
 * Puts back what Playwright's tree loses of a page's words: white space in the values of fields, icons in a sentence, and the space
 * of a line break between two words.
 *
 * - `withLostWords(tree, labels)` pure. An icon stands in the text as a hint: `press the <i.fa-gear> button`.
 */
import type { IconInWords, Labels } from "../page-world/questions.ts";
import { isField } from "./interactive.ts";
import type { PageNode, PageTree } from "./page-tree.ts";

export function withLostWords(tree: PageTree, { values = [], icons = [] }: Labels): PageTree {
  if (values.length + icons.length === 0) return tree;
  const held = new Map(values.map(({ ref, value }) => [ref, value]));
  const iconsIn = Map.groupBy(icons, ({ ref }) => ref);
  const nodes = tree.nodes.map((node): PageNode => {
    const value = isField(node) ? held.get(node.ref ?? "") : undefined;
    if (value !== undefined) return { ...node, text: value };
    const parent = tree.nodes[node.parent];
    const own = iconsIn.get(node.ref ?? (node.role === "text" ? (parent?.ref ?? "") : ""));
    if (!own) return node;
    const breaks = own.filter(({ hint }) => hint === "");
    const name = breaks.reduce(withIcon, node.name);
    return { ...node, name, ...(node.text !== undefined && { text: own.reduce(withIcon, node.text) }) };
  });
  return { ...tree, nodes };
}

function withIcon(text: string, { before, after, hint }: IconInWords): string {
  for (const between of hint === "" ? [""] : [" ", ""]) {
    const at = text.indexOf(before + between + after);
    const end = at + before.length;
    if (at >= 0) return [text.slice(0, end), hint, text.slice(end + between.length)].filter(Boolean).join(" ");
  }
  return text;
}
