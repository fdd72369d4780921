/**
 * Tables and lists that were filtered, sorted or paged, where the same row elements show other things: told as the rows they have now,
 * each once and whole.
 *
 * - `foldRows(changes, before, after)` pure: the changes without those in such rows; `rows` has these rows and their controls, and
 *   `tables` how many rows each of the tables has now, by its place.
 */
import type { NodeChange } from "../snapshot/diff.ts";
import { isField, isInteractive } from "../snapshot/interactive.ts";
import { type OutlineNode, outlineOf } from "../snapshot/outline.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { isRow, type Rows, rowsOf } from "../snapshot/rows.ts";
import type { PageChanges } from "./changes-of-page.ts";

type Parts = Omit<PageChanges, "renewed">;

export interface FoldedRows extends Parts {
  readonly rows: readonly OutlineNode[];
  readonly tables: ReadonlyMap<number, number>;
}

/** Fewer are told cell by cell. */
const fewestRows = 3;
const tableRoles = new Set(["grid", "table", "treegrid"]);
const noEditables: ReadonlySet<string> = new Set();

export function foldRows(changes: Parts, before: PageTree, after: PageTree): FoldedRows {
  const [was, is] = [rowsOf(before), rowsOf(after)];
  const nothing = { ...changes, rows: [], tables: new Map<number, number>() };
  const changed = changedRows(changes.changed, is);
  if (changed.size === 0) return nothing;
  const known = new Set(before.nodes.map(({ ref }) => ref));
  const added = rowsAmong(changes.added, is);
  const removed = rowsAmong(changes.removed, was);
  const others = [...changed].filter(([row, inside]) => isOther(after, row, inside)).map(([row]) => row);
  const perTable = Map.groupBy(others, (row) => tableOf(after, row));
  const tables = [...perTable].flatMap(([table, rows]) => {
    if (!table || !known.has(table.ref)) return [];
    const come = added.filter((row) => tableOf(after, row) === table).length;
    const gone = removed.filter((row) => tableOf(before, row)?.ref === table.ref).length;
    return rows.length + come + gone >= fewestRows ? [table] : [];
  });
  if (tables.length === 0) return nothing;
  const refs = new Set(tables.map(({ ref }) => ref));
  const isTold = (tree: PageTree, node: PageNode) => {
    const row = rowAround(tree === after ? is : was, node);
    return row !== undefined && refs.has(tableOf(tree, row)?.ref);
  };
  const told = new Set([...changed.keys(), ...added].filter((row) => isTold(after, row)));
  return {
    changed: changes.changed.filter((change) => !isTold(after, change.after)),
    added: changes.added.filter(({ page }) => !isTold(after, page)),
    removed: changes.removed.filter(({ page }) => !isTold(before, page)),
    rows: linesOf(after, is, told),
    tables: new Map(tables.map((table) => [table.index, rowsIn(after, table)])),
  };
}

/** The rows in which words changed, and which of their parts did. */
function changedRows(changes: readonly NodeChange[], rows: Rows): Map<PageNode, Set<PageNode>> {
  const found = new Map<PageNode, Set<PageNode>>();
  for (const { after: node, what } of changes) {
    const row = isField(node) || !(what.includes("name") || what.includes("text")) ? undefined : rowAround(rows, node);
    if (row) found.set(row, (found.get(row) ?? new Set()).add(node));
  }
  return found;
}

/** Its first words are others now, or half of them: it is about something else. */
function isOther({ nodes }: PageTree, row: PageNode, changed: ReadonlySet<PageNode>): boolean {
  // A button of a pager, say.
  if (changed.has(row)) return !isInteractive(row, noEditables);
  const parts: PageNode[] = [];
  for (let at = row.index + 1; at < row.end; at++) {
    const node = nodes[at]!;
    if ((node.name || node.text || "") === "" || isField(node)) continue;
    parts.push(node);
    at = node.end - 1;
  }
  const others = parts.filter((part) => [...changed].some((node) => node.index >= part.index && node.index < part.end));
  return others.length > 0 && (others[0] === parts[0] || others.length * 2 >= parts.length);
}

const rowAround = (rows: Rows, node: PageNode): PageNode | undefined => (isRow(node) ? node : rows.around(node));

const rowsAmong = (nodes: readonly OutlineNode[], rows: Rows): PageNode[] => [
  ...new Set(nodes.flatMap(({ page }) => rowAround(rows, page) ?? [])),
];

/** What holds its rows. */
function tableOf({ nodes }: PageTree, row: PageNode): PageNode | undefined {
  if (row.role !== "row") return nodes[row.parent];
  for (let at = row.parent; at >= 0; at = nodes[at]!.parent) if (tableRoles.has(nodes[at]!.role)) return nodes[at];
  return undefined;
}

function rowsIn(tree: PageTree, table: PageNode): number {
  const rows = tree.nodes
    .slice(table.index + 1, table.end)
    .filter((node) => isRow(node) && tableOf(tree, node) === table);
  const isHead = ({ index, end }: PageNode) => tree.nodes.slice(index, end).some(({ role }) => role === "columnheader");
  return rows.filter((row) => !isHead(row)).length;
}

/** Of each row its words and its controls. */
function linesOf(tree: PageTree, all: Rows, rows: ReadonlySet<PageNode>): OutlineNode[] {
  const isControl = ({ page, interactive }: OutlineNode) => interactive && isInteractive(page, noEditables);
  return outlineOf(tree).filter((node) => {
    if (rows.has(node.page)) return true;
    const row = rowAround(all, node.page);
    return row !== undefined && rows.has(row) && isControl(node);
  });
}
