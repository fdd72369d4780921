/** Names and values of one item. */
import type { ReactNode } from "react";

export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="divide-y divide-line">
      {rows.map(([name, value]) => (
        <div key={name} className="flex flex-wrap gap-x-4 gap-y-1 px-4 py-2">
          <dt className="w-28 shrink-0 text-ink-soft">{name}</dt>
          <dd className="min-w-0 flex-1 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Mono({ children }: { children: ReactNode }) {
  return <span className="font-mono text-meta break-all">{children}</span>;
}
