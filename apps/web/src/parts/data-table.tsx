/** A table of links: sorted and filtered by the URL, navigated with j and k, opened with Enter. */
import type { ReactNode } from "react";
import { arrange, type Order, toggledOrder } from "../model/table-order.ts";
import { Icon } from "./icon.tsx";
import { EmptyNote } from "./states.tsx";

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly cell?: (row: Row) => ReactNode;
  /** Hidden on narrow screens. */
  readonly wideOnly?: boolean;
  /** A class for the column's width; equal shares without it. */
  readonly width?: string;
  /** Right-aligned. */
  readonly isNumber?: boolean;
}

export interface DataTableProps<Row> {
  readonly caption: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly order: Order;
  readonly query: string;
  readonly onSort: (sort: string) => void;
}

export function DataTable<Row>({ caption, rows, columns, keyOf, order, query, onSort }: DataTableProps<Row>) {
  const shown = arrange(rows, columns, order, query);
  if (shown.length === 0) return <EmptyNote title={`No match for “${query}”`} />;
  return (
    <table className="w-full table-fixed border-collapse text-left">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr className="border-b border-line bg-sunken">
          {columns.map((column) => {
            const sorted = order.column === column.id;
            return (
              <th
                key={column.id}
                scope="col"
                aria-sort={sorted ? (order.descending ? "descending" : "ascending") : "none"}
                className={`px-4 font-normal ${column.width ?? ""} ${column.wideOnly ? "hidden wide:table-cell" : ""}`}
              >
                <button
                  type="button"
                  onClick={() => onSort(toggledOrder(order, column.id))}
                  className={`flex h-8 items-center gap-1 text-meta text-ink-soft hover:text-ink ${column.isNumber ? "ml-auto" : ""}`}
                >
                  {column.title}
                  {sorted && <Icon name={order.descending ? "down" : "up"} />}
                </button>
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {shown.map((row) => (
          <tr key={keyOf(row)} className="hover:bg-hover">
            {columns.map((column) => (
              <td
                key={column.id}
                className={`h-12 px-4 break-words ${column.wideOnly ? "hidden wide:table-cell" : ""} ${column.isNumber ? "text-right tabular-nums" : ""}`}
              >
                {column.cell ? column.cell(row) : column.text(row) || <span className="text-ink-soft">none</span>}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
