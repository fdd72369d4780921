/**
 * A calendar that a page shows for a field.
 *
 * - `calendarIn(tree, known, languages)` pure: the month it shows, its days, and what turns to the months beside it. Undefined unless
 *   there is exactly one month with all of its days, and words that name it. `known` was there before the calendar.
 * - `dayFrom(text)` pure: a date as 2026-12-31; undefined for anything else.
 */
import type { PageRef } from "../../page-world/questions.ts";
import { isInteractive } from "../../snapshot/interactive.ts";
import { type PageNode, type PageTree, wordsIn } from "../../snapshot/page-tree.ts";

export interface Day {
  readonly year: number;
  /** 1 is January. */
  readonly month: number;
  readonly day: number;
}

export interface Calendar extends Omit<Day, "day"> {
  /** From the first to the last of the month. */
  readonly days: readonly PageNode[];
  readonly next: PageNode | undefined;
  readonly previous: PageNode | undefined;
}

export function dayFrom(text: string): Day | undefined {
  const [year = 0, month = 0, day = 0] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(text.trim()) ?? []).slice(1).map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) ? { year, month, day } : undefined;
}

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

export function calendarIn(
  tree: PageTree,
  known: ReadonlySet<PageRef | undefined>,
  languages: readonly string[],
): Calendar | undefined {
  const isNew = newIn(tree, known);
  const own = tree.nodes.filter((node) => node.ref !== undefined && isNew(node));
  const cells = dayCells(tree, own);
  const [days, ...others] = monthsAmong(cells);
  if (!days || others.length > 0) return undefined;
  const above = tree.nodes.slice(0, cells[0]!.node.index).filter(isNew);
  const shown = monthNamed(
    above.map((node) => node.name || (node.text ?? "")),
    monthNames(languages),
  );
  if (!shown || days.length !== daysIn(shown.year, shown.month)) return undefined;
  const isDay = new Set(cells.map(({ node }) => node));
  const buttons = own.filter((node) => isInteractive(node, noEditables) && !isDay.has(node));
  return { ...shown, days, next: turning(buttons, forward), previous: turning(buttons, back) };
}

const noEditables: ReadonlySet<string> = new Set();

/** Words have no ref, and belong to what is around them. */
function newIn({ nodes }: PageTree, known: ReadonlySet<PageRef | undefined>): (node: PageNode) => boolean {
  return (node) => {
    let around: PageNode | undefined = node;
    while (around && around.ref === undefined) around = nodes[around.parent];
    return around !== undefined && !known.has(around.ref);
  };
}

interface Cell {
  readonly node: PageNode;
  readonly day: number;
}

const cellRoles = new Set(["gridcell", "cell", "button", "link", "option", "generic"]);
const pressedRoles = new Set(["button", "link"]);

/** In reading order; a button in a cell stands for it. */
function dayCells(tree: PageTree, own: readonly PageNode[]): Cell[] {
  const found: Cell[] = [];
  for (const node of own) {
    const day = cellRoles.has(node.role) ? dayOf(node.name || (node.text ?? wordsIn(tree.nodes, node))) : undefined;
    if (day === undefined) continue;
    const last = found.at(-1);
    const isInside = last !== undefined && node.index < last.node.end;
    if (!isInside) found.push({ node, day });
    else if (last.day === day && pressedRoles.has(node.role)) found[found.length - 1] = { node, day };
  }
  return found;
}

/** `12`, or what a screen reader is told: `Tuesday, January 12th, 2027`. */
function dayOf(words: string): number | undefined {
  const isLong = /\b(19|20)\d\d\b/.test(words) && words.length < 50;
  const [, digits] = (isLong ? /(?:^|\D)(\d{1,2})(?!\d)/ : /^(\d{1,2})$/).exec(words.trim()) ?? [];
  const day = Number(digits);
  return day >= 1 && day <= 31 ? day : undefined;
}

const fewestDays = 28;

/** Runs of days without a gap. Those of the months beside it are shorter. */
function monthsAmong(cells: readonly Cell[]): PageNode[][] {
  const runs: PageNode[][] = [];
  for (const { node, day } of cells) {
    if (day === 1) runs.push([node]);
    else if (runs.at(-1)?.length === day - 1) runs.at(-1)!.push(node);
  }
  return runs.filter((run) => run.length >= fewestDays);
}

interface Names {
  readonly long: ReadonlyMap<string, number>;
  readonly short: ReadonlyMap<string, number>;
}

function monthNames(languages: readonly string[]): Names {
  const named = (style: "long" | "short") =>
    new Map(
      languages.flatMap((language) => {
        const format = new Intl.DateTimeFormat(language, { month: style, timeZone: "UTC" });
        return Array.from({ length: 12 }, (_, at) => {
          return [
            format
              .format(new Date(Date.UTC(2026, at, 1)))
              .toLowerCase()
              .replace(/\.$/, ""),
            at + 1,
          ] as const;
        });
      }),
    );
  return { long: named("long"), short: named("short") };
}

const mostTitle = 40;

/** The only month and the only year that are named. */
function monthNamed(all: readonly string[], names: Names): { year: number; month: number } | undefined {
  const titles = all.filter((words) => words.length <= mostTitle);
  const months = new Set(titles.flatMap((words) => monthIn(words, names) ?? []));
  const years = new Set(titles.flatMap((words) => words.match(/(?<!\d)(?:19|20)\d\d(?!\d)/g) ?? []).map(Number));
  const [month, ...otherMonths] = months;
  const [year, ...otherYears] = years;
  return month && year && otherMonths.length + otherYears.length === 0 ? { year, month } : undefined;
}

function monthIn(words: string, { long, short }: Names): number | undefined {
  const title = words.trim().toLowerCase();
  const [, number] = /^(\d{1,2})\s*[/.-]\s*\d{4}$/.exec(title) ?? /(?:^|\D)(\d{1,2})月/.exec(title) ?? [];
  if (number !== undefined) return Number(number);
  // A short name may be that of a weekday, too.
  const beside = title.replace(/[\s.,]*(19|20)\d\d[\s.,]*/, "");
  if (beside !== title && short.has(beside)) return short.get(beside);
  return title
    .split(/[^\p{L}]+/u)
    .map((word) => long.get(word))
    .find((month) => month !== undefined);
}

const forward = /\b(next|forward|nächst|suivant|siguiente|próximo|volgend|successiv)|^[›>→❯]$/i;
const back = /\b(prev|back|last month|vorherig|vorig|précédent|anterior|precedent)|^[‹<←❮]$/i;
const month = /month|monat|mois|\bmes|mês|maand/i;
const longer = /year|decade|jahr|année|\baño|\bano\b|jaar|anno/i;

function turning(buttons: readonly PageNode[], way: RegExp): PageNode | undefined {
  const all = buttons.filter(({ name, text }) => {
    const words = name || (text ?? "");
    return way.test(words) && !longer.test(words);
  });
  return all.find(({ name }) => month.test(name)) ?? (all.length === 1 ? all[0] : undefined);
}
