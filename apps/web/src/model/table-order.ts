/** Sorts and filters a table by the URL: `sort=name` or `sort=-name`, `q=words`. */
export interface Order {
  readonly column: string;
  readonly descending: boolean;
}

export function parseOrder(sort: string | undefined, fallback: string): Order {
  const text = sort || fallback;
  return text.startsWith("-") ? { column: text.slice(1), descending: true } : { column: text, descending: false };
}

/** The `sort` parameter after a click on a column heading. */
export function toggledOrder(order: Order, column: string): string {
  return order.column === column && !order.descending ? `-${column}` : column;
}

export function arrange<Row>(
  rows: readonly Row[],
  columns: readonly { readonly id: string; readonly text: (row: Row) => string }[],
  order: Order,
  query: string,
): Row[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const by = columns.find((column) => column.id === order.column) ?? columns[0];
  const sign = order.descending ? -1 : 1;
  return rows
    .filter((row) => {
      const text = columns
        .map((column) => column.text(row))
        .join("\n")
        .toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((a, b) => (by ? sign * by.text(a).localeCompare(by.text(b), undefined, { numeric: true }) : 0));
}
