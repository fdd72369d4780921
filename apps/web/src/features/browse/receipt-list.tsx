/** What the last commands changed, newest first. The text comes from pages and is shown as plain text. */
import type { BrowseReceipt } from "@devflow/protocol";
import { milliseconds } from "../../model/evals/eval-words.ts";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote } from "../../parts/states.tsx";

export function ReceiptList({ receipts }: { receipts: readonly BrowseReceipt[] }) {
  if (receipts.length === 0) return <EmptyNote title="No commands yet" command="devflow browse snapshot -i" />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a group around one list
    <div role="group" aria-label="Receipts" tabIndex={0} className="max-h-160 overflow-y-auto outline-offset-[-2px]">
      <ol className="divide-y divide-line">
        {receipts.map((receipt) => (
          <li key={receipt.seq} data-receipt={receipt.command} className="px-4 py-2">
            <div className="flex flex-wrap items-center gap-x-3 text-meta text-ink-soft">
              <span className="font-mono text-ink">{receipt.command}</span>
              {receipt.outcome === "failed" && <StateWord word="Failed" tone="bad" />}
              <span className="min-w-0 truncate">
                {receipt.session}
                {receipt.tab && ` ${receipt.tab}`}
              </span>
              <span className="ml-auto tabular-nums">{milliseconds(receipt.ms)}</span>
              <RelativeTime at={receipt.at} />
            </div>
            <pre className="mt-1 max-h-40 overflow-hidden font-mono text-meta break-words whitespace-pre-wrap">
              {receipt.text}
            </pre>
          </li>
        ))}
      </ol>
    </div>
  );
}
