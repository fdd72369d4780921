/** What is shown while a screen's code loads, when it fails, and when there is no such page. */
import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { ApiFault } from "../model/api-fault.ts";
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
  const isMissing = error instanceof ApiFault && error.kind === "unreachable";
  return (
    <Page title="This screen failed">
      <FaultNote
        fault={error instanceof Error ? error : new Error(String(error))}
        onRetry={isMissing ? () => void reloadIfReachable() : reset}
      />
    </Page>
  );
}

export function NotFound() {
  return (
    <Page title="Page not found">
      <p className="text-ink-soft">
        The link may be outdated, or the item was removed.{" "}
        <Link to="/" className="text-accent underline underline-offset-2">
          Go to Home
        </Link>
      </p>
    </Page>
  );
}

/** Reloading while the server is unreachable would lose the page, so its health is checked first. */
async function reloadIfReachable(): Promise<void> {
  const isReachable = await fetch("/health", { cache: "no-store" }).then(
    (answer) => answer.ok,
    () => false,
  );
  if (isReachable) location.reload();
}
