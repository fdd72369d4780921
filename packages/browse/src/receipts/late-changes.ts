/**
 * What a page did after it was read last, and how its documents are told apart.
 *
 * - `lateChanges(tab, told, now)` one line for each change, a few at most: an action may have an effect that came too late for its
 *   own receipt.
 * - `firstRef(tree)` of its document.
 */
import type { Tab } from "../command.ts";
import { documentOf } from "../page-world/questions.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import { isRow, rowsOf } from "../snapshot/rows.ts";
import { changeLines } from "./change-lines.ts";
import { type Change, changesBetween } from "./describe-diff.ts";
import { noteRestless, withoutDigits } from "./restless.ts";
import { isScope } from "./telling-lines.ts";

const maxLate = 8;
const maxLooked = 12;

export async function lateChanges(tab: Tab, told: PageTree | undefined, now: PageTree): Promise<string[]> {
  const isSame = told !== undefined && told !== now && documentOf(firstRef(told)) === documentOf(firstRef(now));
  if (!isSame) return [];
  noteRestless(tab, told, now);
  const rows = rowsOf(told);
  const said = new Set(told.nodes.filter(isRow).map((row) => withoutDigits(rows.wordsOf(row))));
  const { shown } = changesBetween(told, now, maxLooked);
  const telling = shown.filter((change) => isWorthTelling(change, said));
  const lines = await changeLines(tab, telling.slice(0, maxLate));
  return telling.length > maxLate ? [...lines, `… ${telling.length - maxLate} more: snapshot -i`] : lines;
}

/** Clocks and counters change all the time, and messages go away. */
function isWorthTelling(change: Change, said: ReadonlySet<string>): boolean {
  if (change.kind === "added") return !isRow(change.node.page) || !said.has(withoutDigits(change.node.page.name));
  if (change.kind === "removed" && isBare(change.node.page)) return false;
  if (change.kind === "removed") return change.node.interactive || isScope(change.node.page) || isRow(change.node.page);
  if (change.kind !== "changed" || change.change.what.some((one) => one !== "text")) return true;
  const { before, after } = change.change;
  return withoutDigits(before.text) !== withoutDigits(after.text);
}

/** To hear that something without words is gone helps nobody. */
const isBare = ({ name, text }: PageNode): boolean => name === "" && text === undefined;

export const firstRef = ({ nodes }: PageTree): string => nodes.find(({ ref }) => ref !== undefined)?.ref ?? "";
