/**
 * Which lines are shown where there are more than an answer may have: what is in a dialog that opened comes first, then the content
 * of the page, then what is around it, and at last what is gone.
 *
 * - `chooseLines(all, after, limits)` pure. Where the page is new, what is around its content is shown only if all fits.
 * - `leftOutOf(left, after)` pure: what is not shown, in numbers.
 */
import type { PageTree } from "../snapshot/page-tree.ts";
import { isRow } from "../snapshot/rows.ts";
import { type Landmark, landmarkOf, namesOf } from "./parts-of-page.ts";
import { controlOfRowRank, isControl, isNeeded, middleRank, type Ranked } from "./rank-lines.ts";

export interface Limits {
  readonly limit: number;
  /** A few lines cost no more than to say that they are left out, and then to ask for them. */
  readonly slack: number;
  readonly isNewPage: boolean;
}

/** Lines that are not shown, without what was removed. */
export interface LeftOut {
  readonly more: number;
  /** How many of them are controls. */
  readonly moreControls: number;
  /** Where they are, if none of them is in the content of the page. */
  readonly moreIn?: MoreIn | undefined;
  /** The names of those that are in the header or the navigation. */
  readonly menu?: readonly string[];
}

export interface MoreIn {
  readonly all?: string;
  readonly controls?: string;
  readonly words?: string;
}

export function chooseLines(all: readonly Ranked[], after: PageTree, limits: Limits): ReadonlySet<Ranked> {
  const { limit, slack, isNewPage } = limits;
  const content = isNewPage ? contentOf(all, after) : all;
  if (content.length < all.length && all.length <= limit) return new Set(all);
  // A form is of no use without its last button.
  const most = Math.max(limit, Math.min(limit * 2, content.filter(isNeeded).length));
  const mostTelling = (lines: readonly Ranked[], count = most) => withWholeRows(lines, mostRanked(lines, count));
  const fits = ({ length }: readonly Ranked[]) => length <= most + slack;
  if (fits(content)) return new Set(content);
  const there = content.filter(({ kind }) => kind !== "removed");
  if (fits(there)) return new Set(there);
  const opened = isNewPage ? [] : inDialogs(there);
  if (opened.length === 0 || opened.length === there.length) return mostTelling(content);
  if (!fits(opened)) return mostTelling(opened);
  const others = there.filter((one) => !opened.includes(one));
  return new Set([...opened, ...mostTelling(others, Math.max(0, most - opened.length))]);
}

/** A page that has nothing to use but its menu is used by that. */
function contentOf(all: readonly Ranked[], after: PageTree): readonly Ranked[] {
  const isAround = ({ page }: Ranked) => ![undefined, "complementary"].includes(landmarkOf(after, page));
  const content = all.filter((one) => !isAround(one));
  return content.some(isControl) ? content : all;
}

function inDialogs(lines: readonly Ranked[]): Ranked[] {
  const dialogs = lines.filter(({ kind, page }) => kind === "added" && /^(alert)?dialog$/.test(page.role));
  return lines.filter(({ page: { index } }) => dialogs.some(({ page }) => index >= page.index && index < page.end));
}

const mostRanked = (all: readonly Ranked[], most: number): ReadonlySet<Ranked> =>
  new Set(all.toSorted((a, b) => a.rank - b.rank).slice(0, most));

/** A row without its controls would look as if it had none, and so would one among others that have theirs. */
function withWholeRows(all: readonly Ranked[], chosen: ReadonlySet<Ranked>): ReadonlySet<Ranked> {
  const whole = new Set(chosen);
  for (const [at, row] of all.entries()) {
    if (!chosen.has(row) || row.rank < middleRank || !isRow(row.page)) continue;
    const end = all.findIndex((one, after) => after > at && one.page.index >= row.page.end);
    const own = all.slice(at, end < 0 ? all.length : end);
    if (!own.every((one) => chosen.has(one))) for (const one of own) whole.delete(one);
  }
  const controls = all.filter(({ rank }) => rank === controlOfRowRank);
  if (!controls.every((one) => whole.has(one))) for (const one of controls) whole.delete(one);
  return whole;
}

export function leftOutOf(left: readonly Ranked[], after: PageTree): LeftOut {
  const places = new Map(left.map((one): [Ranked, Landmark | undefined] => [one, landmarkOf(after, one.page)]));
  const [controls, words] = [left.filter(isControl), left.filter((one) => !isControl(one))];
  const [all, ofControls, ofWords] = [left, controls, words].map((lines) =>
    namesOf(lines.map((one) => places.get(one))),
  );
  const isOfMenu = (one: Ranked) => ["banner", "navigation"].includes(places.get(one) ?? "");
  const menu = new Set(controls.flatMap((one) => (isOfMenu(one) && one.page.name !== "" ? [one.page.name] : [])));
  const isSaid = all !== undefined || ofControls !== undefined || ofWords !== undefined;
  return {
    more: left.length,
    moreControls: controls.length,
    ...(menu.size > 0 && { menu: [...menu] }),
    ...(isSaid && {
      moreIn: { ...(all && { all }), ...(ofControls && { controls: ofControls }), ...(ofWords && { words: ofWords }) },
    }),
  };
}
