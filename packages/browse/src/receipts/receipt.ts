/**
 * What an action visibly changed.
 *
 * - `pageLines(page)` pure: its title and its most useful lines.
 * - `moreLines(left)`, `loadingLine(what)`, `atWorkLine` pure: what is not shown, or not there yet.
 * - `receiptText(receipt)` pure: one line for what was done, one for each effect, or `no observable effect`.
 */
import type { LeftOut, MoreIn } from "./choose-lines.ts";

export interface Receipt {
  /** `clicked @e3 button "Save"`. */
  readonly did: string;
  /** What the page did by itself, or as a late effect of what was done before. */
  readonly meanwhile?: readonly string[];
  readonly url?: { readonly from: string; readonly to: string };
  /** The page requested this document, which has not arrived. */
  readonly waitingFor?: string;
  /** The new document, if the page navigated. */
  readonly page?: NewPage;
  readonly changes: readonly string[];
  /** Number of changes not listed, and how many of them are controls. */
  readonly more: number;
  readonly moreControls?: number;
  /** Where these are, if none is in the content of the page. */
  readonly moreIn?: MoreIn;
  /** Number of removed elements that are not listed. */
  readonly moreRemoved?: number;
  /** Number of controls that took the place of others like them, and are not listed. */
  readonly renewed?: number;
  /** What the page is still waiting for. */
  readonly loading?: string;
  /** What was pressed says that it is at work, or the page has nothing yet but words to wait. */
  readonly atWork?: boolean;
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

/** Lines of a receipt about what changed, or what a new page has. */
export const maxChanges = 12;

export interface NewPage {
  readonly title: string;
  readonly status?: number;
  /** The most useful lines of it; absent in evidence. */
  readonly lines?: readonly string[];
  /** Number of lines that are not among them, and how many of those are controls. */
  readonly more?: number;
  readonly moreControls?: number;
  readonly moreIn?: MoreIn;
  readonly menu?: readonly string[];
}

export function receiptText(receipt: Receipt): string {
  const [did, changes] = withOwnChange(receipt.did, receipt.changes);
  const lines = [...(receipt.meanwhile ?? []).map((line) => `meanwhile: ${line}`), did];
  if (receipt.url) lines.push(urlLine(receipt.url));
  if (receipt.waitingFor) {
    lines.push(`waiting for ${receipt.waitingFor}, which has not answered; wait --idle, or stop-loading`);
  }
  const onPage = receipt.page ? pageLines(receipt.page, "new page ") : [];
  const isTold = (line: string) => onPage.some((one) => one.trim() === line);
  lines.push(...onPage, ...changes.filter((line) => !isTold(line)), ...moreLines(receipt));
  if (receipt.moreRemoved) lines.push(`… ${receipt.moreRemoved} more removed`);
  if (receipt.renewed) {
    lines.push(
      `${receipt.renewed} ${receipt.renewed === 1 ? "element has a new ref" : "elements have new refs"}: snapshot -i`,
    );
  }
  if (receipt.loading) lines.push(loadingLine(receipt.loading));
  else if (receipt.atWork) lines.push(atWorkLine);
  const { focus } = receipt;
  const isMarked = changes.some((line) => line.includes(`${focus} [`) && line.includes("[focused]"));
  if (focus && !isMarked) lines.push(`focus ${focus}`);
  if (receipt.scrolled && !did.startsWith("scrolled the page")) lines.push(`scrolled ${receipt.scrolled}`);
  lines.push(...receipt.dialogs, ...receipt.downloads, ...receipt.opened);
  lines.push(...receipt.console.map((text) => `console error: ${text}`));
  lines.push(...receipt.failed.map((text) => `request failed: ${text}`));
  if (!receipt.effect) lines.push("no observable effect");
  return lines.join("\n");
}

/** On the same site, where it is from then on says enough. */
function urlLine({ from, to }: NonNullable<Receipt["url"]>): string {
  const [before, after] = [from, to].map((url) => (URL.canParse(url) ? new URL(url) : undefined));
  const isSame = after !== undefined && after.origin !== "null" && before?.origin === after.origin;
  return `url → ${isSame ? to.slice(to.indexOf(after.host) + after.host.length) : to}`;
}

export function pageLines(page: NewPage, kind = ""): string[] {
  const { title, status = 0, lines = [] } = page;
  const head = `${kind}${JSON.stringify(title)}${status < 400 ? "" : ` (HTTP ${status})`}:`;
  if (lines.length === 0) return [`${head} snapshot -i`];
  return [head, ...[...lines, ...moreLines(page)].map((line) => `  ${line}`)];
}

export const atWorkLine = "still at work; wait for what comes: wait --change";

export const loadingLine = (what: string): string => `still loading: ${what}; wait for it: wait --idle`;

/** `more` in all, `moreControls` of them to be used. */
export function moreLines({ more = 0, moreControls = 0, moreIn, menu = [] }: Partial<LeftOut>): string[] {
  const names = menu.length > 0 ? ` (${menu.map((name) => JSON.stringify(name)).join(", ")})` : "";
  if (moreIn?.all && moreControls > 0) return [`… ${more} more in ${moreIn.all}${names}: snapshot -i`];
  const words = more - moreControls;
  const place = (name: string | undefined) => (name ? ` in ${name}` : "");
  const parts = [
    ...(moreControls > 0 ? [`${moreControls} more to use${place(moreIn?.controls)}${names}: snapshot -i`] : []),
    ...(words > 0 ? [`${words} more to read${place(moreIn?.words)}: text`] : []),
  ];
  return parts.length === 0 ? [] : [`… ${parts.join("; ")}`];
}

/** What changed about the element that was acted on stands in the first line: `filled @e5 textbox "Name": "" → "Ada"`. */
function withOwnChange(did: string, changes: readonly string[]): [string, readonly string[]] {
  const label = /@[ec]\d+ [a-z]+(?: "(?:[^"\\]|\\.)*")?$/.exec(did)?.[0] ?? "";
  const isOwn = (line: string) => [": ", " [", " → "].some((next) => line.startsWith(`~ ${label}${next}`));
  const own = label === "" ? -1 : changes.findIndex(isOwn);
  if (own < 0) return [did, changes];
  return [did.slice(0, -label.length) + changes[own]!.slice("~ ".length), changes.toSpliced(own, 1)];
}
