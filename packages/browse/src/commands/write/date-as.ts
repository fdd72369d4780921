/**
 * Dates and times as a field asks for them.
 *
 * - `dateAs(format, text)` pure: 2026-12-31 in a format such as `MM/DD/YYYY` or `TT.MM.JJJJ`; undefined where the text is no such
 *   date, or the format none of a date.
 * - `timeAs(text)` pure: `5:21` and `5:21 PM` as 05:21 and 17:21; undefined where the text is no such time.
 * - `isDateFormat(text)` pure; `isDateIn(format, text)` pure: whether the text has this form.
 */
interface Part {
  readonly kind: "year" | "month" | "day" | "separator";
  readonly text: string;
}

export function dateAs(format: string, text: string): string | undefined {
  const [, year = "", month = "", day = ""] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  const parts = year === "" ? undefined : partsOf(format);
  const short = (digits: string, wanted: number) => (wanted === 1 ? String(Number(digits)) : digits);
  return parts
    ?.map((part) => {
      if (part.kind === "separator") return part.text;
      if (part.kind === "year") return year;
      return short(part.kind === "month" ? month : day, part.text.length);
    })
    .join("");
}

export function timeAs(text: string): string | undefined {
  const [, hour = "", minutes = "", half = ""] =
    /^\s*(\d{1,2})(:\d{2}(?::\d{2})?)\s*(?:([ap])\.?m\.?)?\s*$/i.exec(text) ?? [];
  if (hour === "") return undefined;
  const hours = half === "" ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return `${String(hours).padStart(2, "0")}${minutes}`;
}

export const isDateFormat = (text: string): boolean => partsOf(text) !== undefined;

export function isDateIn(format: string, text: string): boolean {
  const form = (one: string) => one.replace(/[\p{L}\d]/gu, "0");
  return isDateFormat(format) && form(format.trim()) === form(text.trim()) && /^\D*(\d+\D*){3}$/.test(text);
}

/**
 * Four equal letters are the year and an M the month; the third part is the day. So other languages need no list, though a J is a
 * year in German and a day in French.
 */
function partsOf(format: string): readonly Part[] | undefined {
  const words = format.trim().match(/^(\p{L}+)([^\p{L}\d]{1,3})(\p{L}+)([^\p{L}\d]{1,3})(\p{L}+)\.?$/u);
  if (!words) return undefined;
  const parts = words.slice(1).map((text, at) => ({ kind: at % 2 === 1 ? "separator" : kindOf(text), text }) as const);
  const kinds = parts.map(({ kind }) => kind);
  const isDate = (["year", "month", "day"] as const).every((kind) => kinds.filter((one) => one === kind).length === 1);
  return isDate ? (parts as readonly Part[]) : undefined;
}

function kindOf(letters: string): Part["kind"] | undefined {
  const isOneLetter = new Set(letters.toUpperCase()).size === 1;
  if (!isOneLetter) return undefined;
  if (letters.length === 4) return "year";
  if (letters.length > 2) return undefined;
  return letters[0]?.toUpperCase() === "M" ? "month" : "day";
}
