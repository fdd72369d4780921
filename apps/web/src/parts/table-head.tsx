/** The head of a dense table: titles with the classes that say how wide a column is and from which width it shows. */
import type { ReactNode } from "react";

export type HeadColumn = readonly [title: string, look: string];

export function TableHead({ columns, before }: { columns: readonly HeadColumn[]; before?: ReactNode }) {
  return (
    <thead>
      <tr className="h-8 border-b border-line bg-sunken text-meta text-ink-soft">
        {before}
        {columns.map(([title, look]) => (
          <th key={title} scope="col" className={`px-3 font-normal ${look}`}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}
