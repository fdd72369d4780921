/**
 * What happens to the days of a calendar, told in one line: the month that it shows now, and the refs of its days.
 *
 * - `foldCalendars(changes, before, after)` pure: the changes without those of days and of the month's name; `months` has the month
 *   of each calendar that is new or was turned, by the place of what holds its days.
 * - `monthText(month, refOf)` pure: `calendar now "January 2027": days 1–31 are @e33–@e63`.
 */
import type { NodeChange } from "../snapshot/diff.ts";
import { quote } from "../snapshot/line.ts";
import type { OutlineNode } from "../snapshot/outline.ts";
import type { PageNode, PageTree } from "../snapshot/page-tree.ts";
import type { PageChanges } from "./changes-of-page.ts";
import { dayOf, type Month, maybeTitle, monthsIn } from "./months.ts";

export type ShownMonth = Month & { readonly isNew: boolean };

export interface FoldedCalendars extends Omit<PageChanges, "renewed"> {
  readonly months: ReadonlyMap<number, ShownMonth>;
}

/** Fewer are told one by one: a day was chosen, say. */
const fewestOthers = 7;

type Parts = Omit<PageChanges, "renewed">;

export function foldCalendars(changes: Parts, before: PageTree, after: PageTree): FoldedCalendars {
  const shown = shownAnew(changes, after);
  if (shown.length === 0) return { ...changes, months: new Map() };
  const old = monthsIn(before);
  const months = shown.map((month): ShownMonth => ({ ...month, isNew: old.length === 0 }));
  const titles = new Set(months.flatMap((month) => month.titles));
  const isDay = (node: PageNode) => months.some(({ root }) => isIn(root, node));
  const wasPart = (node: PageNode) => old.some((month) => isIn(month.root, node) || month.titles.includes(node));
  return {
    changed: [
      ...changes.changed.filter(
        ({ after: node, what }) => !isDay(node) && (!titles.has(node) || what.includes("states")),
      ),
      ...months.flatMap(({ isNew, root }) => (isNew ? [] : [{ before: root, after: root, what: ["name" as const] }])),
    ],
    // A button with the name of the month opens a list of others.
    added: withRoots(
      changes.added.filter(({ page, interactive }) => !isDay(page) && (interactive || !titles.has(page))),
      months,
    ),
    removed: changes.removed.filter(({ page }) => !wasPart(page)),
    months: new Map(months.map((month) => [month.root.index, month])),
  };
}

/** Where many days are others than before, or the name of the month is. */
function shownAnew({ changed, added }: Parts, after: PageTree): Month[] {
  const isOther = ({ what }: NodeChange) => what.includes("name") || what.includes("text");
  const words = changed.filter(isOther).map((change) => change.after);
  const days = [...words, ...added.map(({ page }) => page)].filter((node) => dayOf(node) !== undefined);
  if (days.length < fewestOthers && !words.some(maybeTitle)) return [];
  const renamed = new Set(words);
  return monthsIn(after).filter(
    ({ root, titles }) =>
      titles.some((title) => renamed.has(title)) || days.filter((day) => isIn(root, day)).length >= fewestOthers,
  );
}

const isIn = ({ index, end }: PageNode, node: PageNode): boolean => node.index >= index && node.index < end;

/** A line for each new calendar, where it stands on the page. */
function withRoots(added: readonly OutlineNode[], months: readonly ShownMonth[]): OutlineNode[] {
  const lines = months.filter(({ isNew }) => isNew).map(({ root }) => lineFor(root));
  return [...added, ...lines].toSorted((a, b) => a.page.index - b.page.index);
}

const lineFor = (page: PageNode): OutlineNode => ({
  index: page.index,
  parent: -1,
  end: page.index + 1,
  depth: 0,
  role: "grid",
  interactive: false,
  page: { ...page, role: "grid" },
});

/** More make the line longer than the days are. */
const mostRanges = 7;

export function monthText(
  { title, isNew, days, cells }: ShownMonth,
  refOf: (day: PageNode) => string | undefined,
): string {
  // In this order, so that the days of the next month have refs in a row as well.
  const refs = new Map(cells.map((cell) => [cell, refOf(cell)]));
  const ranges = rangesOf(days.map((day) => Number(refs.get(day)?.slice(1) ?? Number.NaN)));
  const head = [`calendar${isNew ? "" : " now"}`, ...(title ? [quote(title, 60)] : [])].join(" ");
  const all = `${head}: days 1–${days.length}`;
  const shut = rangesWhere(days, ({ states }) => states.includes("disabled"));
  const closed = shut.length === 0 || shut.length > mostRanges ? "" : `; disabled: ${shut.join(", ")}`;
  if (ranges.length > mostRanges) return `${all}: snapshot -i${closed}`;
  if (ranges.length === 0) return `${all}${closed}`;
  const told = ranges.map(([first, last, ref], at) =>
    [`${first}–${last}`, ...(at === 0 ? ["are"] : []), `@e${ref}–@e${ref + last - first}`].join(" "),
  );
  return `${head}: days ${told.join(", ")}${closed}`;
}

/** Runs of days whose refs are in a row: the first day, the last, and the ref of the first. */
function rangesOf(refs: readonly number[]): (readonly [number, number, number])[] {
  const ranges: [number, number, number][] = [];
  for (const [at, ref] of refs.entries()) {
    const last = ranges.at(-1);
    if (Number.isNaN(ref)) continue;
    if (last && last[1] === at && last[2] + at - last[0] + 1 === ref) last[1] = at + 1;
    else ranges.push([at + 1, at + 1, ref]);
  }
  return ranges;
}

function rangesWhere(days: readonly PageNode[], is: (day: PageNode) => boolean): string[] {
  const chosen = days.map((day, at) => (is(day) ? at : Number.NaN));
  return rangesOf(chosen).map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
}
