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
import { isRow, rowsOf } from "../snapshot/rows.ts";
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
  const nothing = { ...changes, rows: [], tables: new Map<number, number>() };
  const [was, is] = [sideOf(before), sideOf(after)];
  const changed = changedRows(changes.changed, is);
  if (changed.size === 0) return nothing;
  const [added, removed] = [rowsAmong(changes.added, is), rowsAmong(changes.removed, was)];
  const others = [...changed].flatMap(([row, parts]) => (isOther(after, row, parts) ? [row] : []));
  const there = new Set(before.nodes.map(({ ref }) => ref));
  const tables = [...Map.groupBy(others, is.tableOf)].flatMap(([table, rows]) => {
    if (table?.ref === undefined || !there.has(table.ref)) return [];
    const isHere = (side: Side) => (row: PageNode) => side.tableOf(row)?.ref === table.ref;
    const count = rows.length + added.filter(isHere(is)).length + removed.filter(isHere(was)).length;
    return count >= fewestRows ? [table] : [];
  });
  if (tables.length === 0) return nothing;
  const refs = new Set<string | undefined>(tables.map(({ ref }) => ref));
  const isTold = (side: Side, node: PageNode) => {
    const row = side.rowAround(node);
    return row !== undefined && refs.has(side.tableOf(row)?.ref);
  };
  const told = new Set([...changed.keys(), ...added].filter((row) => isTold(is, row)));
  return {
    changed: changes.changed.filter((change) => !isTold(is, change.after)),
    added: changes.added.filter(({ page }) => !isTold(is, page)),
    removed: changes.removed.filter(({ page }) => !isTold(was, page)),
    rows: linesOf(is, told),
    tables: new Map(tables.map((table) => [table.index, rowsIn(is, table)])),
  };
}

/** The page before or after. */
interface Side {
  readonly tree: PageTree;
  rowAround(node: PageNode): PageNode | undefined;
  /** What holds the rows. */
  tableOf(row: PageNode): PageNode | undefined;
}

function sideOf(tree: PageTree): Side {
  const { nodes } = tree;
  const rows = rowsOf(tree);
  return {
    tree,
    rowAround: (node) => (isRow(node) ? node : rows.around(node)),
    tableOf(row) {
      if (row.role !== "row") return nodes[row.parent];
      for (let at = row.parent; at >= 0; at = nodes[at]!.parent) if (tableRoles.has(nodes[at]!.role)) return nodes[at];
      return undefined;
    },
  };
}

/** The rows in which words changed, and which of their parts did. */
function changedRows(changes: readonly NodeChange[], side: Side): Map<PageNode, Set<PageNode>> {
  const found = new Map<PageNode, Set<PageNode>>();
  for (const { after: node, what } of changes) {
    const row = isField(node) || !(what.includes("name") || what.includes("text")) ? undefined : side.rowAround(node);
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

const rowsAmong = (nodes: readonly OutlineNode[], side: Side): PageNode[] => [
  ...new Set(nodes.flatMap(({ page }) => side.rowAround(page) ?? [])),
];

function rowsIn({ tree, tableOf }: Side, table: PageNode): number {
  const inside = tree.nodes.slice(table.index + 1, table.end);
  const isHead = ({ index, end }: PageNode) => tree.nodes.slice(index, end).some(({ role }) => role === "columnheader");
  return inside.filter((row) => isRow(row) && tableOf(row) === table && !isHead(row)).length;
}

/** Of each row its words and its controls. */
function linesOf({ tree, rowAround }: Side, rows: ReadonlySet<PageNode>): OutlineNode[] {
  return outlineOf(tree).filter(({ page, interactive }) => {
    const row = rowAround(page);
    return row !== undefined && rows.has(row) && (row === page || interactive);
  });
}
