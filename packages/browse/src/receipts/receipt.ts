/**
 * What an action visibly changed.
 *
 * - `receiptText(receipt)` pure: one line for what was done, one for each effect, or `no observable effect`.
 */
export interface Receipt {
  /** `clicked @e3 button "Save"`. */
  readonly did: string;
  readonly url?: { readonly from: string; readonly to: string };
  /** The page requested this document, which has not arrived. */
  readonly waitingFor?: string;
  /** The new document, if the page navigated. */
  readonly page?: { readonly title: string; readonly status?: number };
  readonly changes: readonly string[];
  /** Number of changes not listed. */
  readonly more: number;
  /** Number of elements that were replaced by equal ones. */
  readonly replaced?: number;
  readonly focus?: string;
  readonly scrolled?: string;
  readonly console: readonly string[];
  readonly failed: readonly string[];
  readonly dialogs: readonly string[];
  readonly downloads: readonly string[];
  readonly opened: readonly string[];
  readonly effect: boolean;
  readonly ms: number;
}

export function receiptText(receipt: Receipt): string {
  const lines = [receipt.did];
  if (receipt.url) lines.push(`url ${receipt.url.from} → ${receipt.url.to}`);
  if (receipt.waitingFor) {
    lines.push(`waiting for ${receipt.waitingFor}, which has not answered; wait --idle, or stop-loading`);
  }
  if (receipt.page) {
    const status =
      receipt.page.status === undefined || receipt.page.status < 400 ? "" : ` (HTTP ${receipt.page.status})`;
    lines.push(`new page ${JSON.stringify(receipt.page.title)}${status}: snapshot -i`);
  }
  lines.push(...receipt.changes);
  if (receipt.more > 0) lines.push(`… ${receipt.more} more changes: snapshot -D`);
  if (receipt.replaced) lines.push(`${receipt.replaced} elements were replaced by equal ones; new refs: snapshot -i`);
  if (receipt.focus) lines.push(`focus ${receipt.focus}`);
  if (receipt.scrolled) lines.push(`scrolled ${receipt.scrolled}`);
  lines.push(...receipt.dialogs, ...receipt.downloads, ...receipt.opened);
  lines.push(...receipt.console.map((text) => `console error: ${text}`));
  lines.push(...receipt.failed.map((text) => `request failed: ${text}`));
  if (!receipt.effect) lines.push("no observable effect");
  return lines.join("\n");
}
