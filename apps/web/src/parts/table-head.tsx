/** The head of a dense table: titles, each with classes for the column's width and for the window width from which it shows. */
import type { ReactNode } from "react";

export type HeadColumn = readonly [title: string, className: string];

export function TableHead({ columns, before }: { columns: readonly HeadColumn[]; before?: ReactNode }) {
  return (
    <thead>
      <tr className="h-8 border-b border-line bg-sunken text-meta text-ink-soft">
        {before}
        {columns.map(([title, className]) => (
          <th key={title} scope="col" className={`px-3 font-normal ${className}`}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}
