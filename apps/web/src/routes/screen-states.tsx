/** What stands in a screen's place while its code loads, when it fails, and when the address leads nowhere. */
import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { Page } from "../parts/page.tsx";
import { FaultNote, SkeletonRows } from "../parts/states.tsx";

export function ScreenLoading() {
  return (
    <Page title="Loading…">
      <SkeletonRows count={4} />
    </Page>
  );
}

export function ScreenFault({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This screen failed">
      <FaultNote fault={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
    </Page>
  );
}

export function NotFound() {
  return (
    <Page title="Nothing at this address">
      <p className="text-ink-soft">
        The link may be old, or its object was removed.{" "}
        <Link to="/" className="text-accent underline underline-offset-2">
          Go home
        </Link>
      </p>
    </Page>
  );
}
