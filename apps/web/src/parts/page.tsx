/** A screen: its heading, which takes the focus after a navigation, and its content. */
import { type ReactNode, useEffect } from "react";

export interface PageProps {
  readonly title: string;
  /** One line beneath the heading. */
  readonly lead?: ReactNode;
  readonly above?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, lead, above, children }: PageProps) {
  useEffect(() => {
    document.title = title === "Home" ? "Devflow" : `${title} · Devflow`;
  }, [title]);
  return (
    <div className="mx-auto w-full max-w-[1120px] px-4 pt-6 pb-12 wide:px-8 wide:pt-8">
      {above}
      <h1 tabIndex={-1} className="text-title tracking-tight break-words">
        {title}
      </h1>
      {lead !== undefined && <div className="mt-1 max-w-[72ch] text-ink-soft">{lead}</div>}
      <div className="mt-6">{children}</div>
    </div>
  );
}

/** A named part of a screen. */
export function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0">
      <div className="mb-2 flex min-h-6 items-center justify-between gap-4">
        <h2 className="text-body">{title}</h2>
        {aside}
      </div>
      <div className="overflow-hidden rounded-panel border border-line bg-raised">{children}</div>
    </section>
  );
}
