/**
 * Elements that a page replaced by equal ones, as when it renders itself anew. A ref to the old one then means the new one.
 *
 * - `noteHeirs(book, before, after)` notes them for the refs that an agent may have; only where there is no doubt: one equal element
 *   before and one after, of the same document, with the same words in the same row. It may have been out of reach in between.
 */
import { documentOf } from "../page-world/questions.ts";
import { isField } from "./interactive.ts";
import type { PageNode, PageTree } from "./page-tree.ts";
import type { KnownRef, RefBook } from "./ref-book.ts";
import { rowsOf } from "./rows.ts";

export function noteHeirs(book: RefBook, before: PageTree, after: PageTree): void {
  const there = new Set(after.nodes.map(({ ref }) => ref));
  const old = new Map(before.nodes.flatMap((node) => (node.ref === undefined ? [] : [[node.ref, node] as const])));
  const gone = book.all().flatMap((known) => {
    const page = pageOf(known);
    const node = there.has(page) ? undefined : old.get(page);
    if (there.has(page)) delete known.behind;
    return node || known.behind !== undefined ? [{ known, node }] : [];
  });
  if (gone.length === 0) return;
  const was = byIdentity(before);
  const is = byIdentity(after);
  for (const { known, node } of gone) {
    const key = node ? was.keyOf(node) : known.behind!;
    const isOnly = key !== "" && (node ? was.inReach(key) : was.outOfReach(key)).length === 1;
    delete known.behind;
    if (!isOnly) continue;
    const [heir, ...others] = is.inReach(key);
    if (!heir?.ref) {
      if (is.outOfReach(key).length === 1) known.behind = key;
      continue;
    }
    const isSame = documentOf(heir.ref) === documentOf(pageOf(known));
    if (others.length === 0 && !old.has(heir.ref) && isSame) known.heir = heir.ref;
  }
}

const pageOf = ({ heir, page }: KnownRef) => heir ?? page;

function byIdentity(tree: PageTree) {
  const rows = rowsOf(tree);
  const keyOf = (node: PageNode): string => {
    const row = rows.around(node);
    const words = [node.name || (isField(node) ? "" : (node.text ?? "")), row ? rows.wordsOf(row) : ""];
    return words.every((one) => one === "") ? "" : JSON.stringify([node.role, ...words]);
  };
  const nodes = Map.groupBy(tree.nodes, keyOf);
  return {
    keyOf,
    inReach: (key: string): PageNode[] => (nodes.get(key) ?? []).filter(({ ref }) => ref !== undefined),
    outOfReach: (key: string): PageNode[] => (nodes.get(key) ?? []).filter(({ ref }) => ref === undefined),
  };
}
