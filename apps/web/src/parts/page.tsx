/** A screen: its heading, which is focused after navigation, and its content. */
import { type ReactNode, useEffect } from "react";

export interface PageProps {
  readonly title: string;
  /** One line below the heading. */
  readonly lead?: ReactNode;
  readonly above?: ReactNode;
  /** Buttons and links beside the heading. */
  readonly actions?: ReactNode;
  /** Uses the full window width, for tables and evidence. */
  readonly broad?: boolean;
  /** While true, the children are a placeholder. The content replaces it instead of being pushed down by the lead. */
  readonly isLoading?: boolean;
  readonly children: ReactNode;
}

export function Page({ title, lead, above, actions, broad = false, isLoading = false, children }: PageProps) {
  useEffect(() => {
    document.title = title === "Home" ? "Devflow" : `${title} · Devflow`;
  }, [title]);
  return (
    <div
      className={`mx-auto w-full ${broad ? "max-w-[1600px]" : "max-w-[1120px]"} px-4 pt-6 pb-12 wide:px-8 wide:pt-8`}
    >
      {above}
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <h1 tabIndex={-1} className="min-w-0 text-title tracking-tight break-words">
          {title}
        </h1>
        {actions}
      </div>
      {lead !== undefined && <div className={`mt-1 text-ink-soft ${broad ? "" : "max-w-[72ch]"}`}>{lead}</div>}
      <div key={isLoading ? "loading" : "content"} className="mt-6">
        {children}
      </div>
    </div>
  );
}

/** A titled section of a screen. */
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
