/**
 * The filters and tests of Nunjucks, and the globals `range`, `cycler` and `joiner`.
 *
 * - `filters`, `tests`, `globals` by name. A filter gets the value, its positional arguments and its keyword arguments.
 */
import { TemplateFault } from "./lex.ts";
import { memberOf } from "./safe-members.ts";

export type Keywords = Readonly<Record<string, unknown>>;
export type Filter = (value: unknown, args: readonly unknown[], keywords: Keywords) => unknown;

const isBlank = (value: unknown): boolean => value === null || value === undefined || value === false;
/** Text filters fail on other values, as their methods do not exist there. */
function text(value: unknown): string {
  if (isBlank(value)) return "";
  if (typeof value !== "string") throw new TemplateFault(`expected text, found ${typeof value}`);
  return value;
}
function present(value: unknown): unknown {
  if (isBlank(value)) throw new TemplateFault("expected a value, found none");
  return value;
}
function list(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === "string") return [...value];
  throw new TemplateFault(`expected a list, found ${value === null ? "null" : typeof value}`);
}
const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
const attribute = (item: unknown, path: unknown): unknown =>
  String(path)
    .split(".")
    .reduce<unknown>((at, key) => memberOf(at, key), item);
const escaped = (value: unknown): string =>
  String(value ?? "").replace(
    /[&"'<>`]/g,
    (one) => ({ "&": "&amp;", '"': "&quot;", "'": "&#39;", "<": "&lt;", ">": "&gt;", "`": "&#96;" })[one] ?? one,
  );
const size = (value: unknown, most = 1_000_000): number => {
  const count = Number(value);
  if (count > most) throw new TemplateFault(`${count} is more than ${most}`);
  return count;
};
const spaces = (count: number): string => " ".repeat(Math.max(0, Math.ceil(count)));

export const tests: Readonly<Record<string, (value: unknown, other: unknown) => boolean>> = {
  callable: (value) => typeof value === "function",
  defined: (value) => value !== undefined,
  divisibleby: (value, by) => Number(value) % Number(by) === 0,
  escaped: () => false,
  equalto: (value, other) => value === other,
  eq: (value, other) => value === other,
  sameas: (value, other) => value === other,
  even: (value) => Number(value) % 2 === 0,
  falsy: (value) => !value,
  ge: (value, other) => (value as number) >= (other as number),
  greaterthan: (value, other) => (value as number) > (other as number),
  gt: (value, other) => (value as number) > (other as number),
  le: (value, other) => (value as number) <= (other as number),
  lessthan: (value, other) => (value as number) < (other as number),
  lt: (value, other) => (value as number) < (other as number),
  lower: (value) => text(value).toLowerCase() === value,
  ne: (value, other) => value !== other,
  null: (value) => value === null,
  none: (value) => value === null,
  number: (value) => typeof value === "number",
  odd: (value) => Number(value) % 2 === 1,
  string: (value) => typeof value === "string",
  truthy: (value) => Boolean(value),
  undefined: (value) => value === undefined,
  upper: (value) => text(value).toUpperCase() === value,
  iterable: (value) => typeof value === "string" || Array.isArray(value),
  mapping: isMembers,
};

function selected(expected: boolean): Filter {
  return (value, [name = "truthy", other]) => {
    const test = Object.hasOwn(tests, String(name)) ? tests[String(name)] : undefined;
    if (!test) throw new TemplateFault(`unknown test "${String(name)}"`);
    return list(value).filter((item) => test(item, other) === expected);
  };
}

function replaced(value: unknown, [old, next, most = -1]: readonly unknown[]): unknown {
  if (old instanceof RegExp) return String(value).replace(old, String(next));
  const wanted = typeof old === "number" ? String(old) : old;
  if (typeof wanted !== "string") return value;
  const given = typeof value === "number" ? String(value) : value;
  if (typeof given !== "string") return given;
  if (wanted === "") return `${String(next)}${given.split("").join(String(next))}${String(next)}`;
  const limit = Number(most);
  const parts = given.split(wanted);
  if (limit < 0 || limit >= parts.length) return parts.join(String(next));
  return [...parts.slice(0, limit), parts.slice(limit).join(wanted)].join(String(next));
}

function sorted(value: unknown, args: readonly unknown[], keywords: Keywords): unknown[] {
  const isReversed = keywords.reverse ?? args[0];
  const isCaseSensitive = keywords.case_sensitive ?? args[1];
  const path = keywords.attribute ?? args[2];
  const key = (item: unknown): unknown => {
    const found = path ? attribute(item, path) : item;
    return !isCaseSensitive && typeof found === "string" ? found.toLowerCase() : found;
  };
  return list(value).toSorted((a, b) => {
    const [x, y] = [key(a) as number, key(b) as number];
    const order = x < y ? -1 : x > y ? 1 : 0;
    return isReversed ? -order : order;
  });
}

function truncated(value: unknown, [given, cutsWords, end]: readonly unknown[], keywords: Keywords): string {
  const whole = text(value);
  const length = Number(keywords.length ?? given) || 255;
  if (whole.length <= length) return whole;
  const space = whole.lastIndexOf(" ", length);
  const cut = (keywords.killwords ?? cutsWords) || space === -1 ? length : space;
  return whole.slice(0, cut) + String(keywords.end ?? end ?? "...");
}

function grouped(value: unknown, [path]: readonly unknown[]): Record<string, unknown[]> {
  const groups = Map.groupBy(list(value), (item) => String(attribute(item, path)));
  return Object.fromEntries(groups);
}

function sliced(value: unknown, [count, fill]: readonly unknown[]): unknown[][] {
  const items = list(value);
  const groups = size(count);
  const [length, extra] = [Math.floor(items.length / groups), items.length % groups];
  let offset = 0;
  return Array.from({ length: groups }, (_, index) => {
    const start = offset + index * length;
    if (index < extra) offset += 1;
    const part = items.slice(start, offset + (index + 1) * length);
    return fill && index >= extra ? [...part, fill] : part;
  });
}

function batched(value: unknown, [count, fill]: readonly unknown[]): unknown[][] {
  const [items, length] = [list(value), size(count)];
  const rows: unknown[][] = [];
  for (let at = 0; at < items.length; at += length || items.length) rows.push(items.slice(at, at + length));
  const last = rows.at(-1);
  while (fill && last && last.length < length) last.push(fill);
  return rows;
}

function stripped(value: unknown, [keepsLines]: readonly unknown[]): string {
  const plain = text(value)
    .replace(/<\/?[a-z][a-z0-9]*\b[^>]*>|<!--[\s\S]*?-->/gi, "")
    .trim();
  if (!keepsLines) return plain.replace(/\s+/g, " ");
  return plain
    .replace(/^ +| +$/gm, "")
    .replace(/ +/g, " ")
    .replace(/\r\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n");
}

const linked = (url: string, shown: string, isFollowed: boolean): string =>
  `<a href="${url}"${isFollowed ? "" : ' rel="nofollow"'}>${shown}</a>`;

function withLinks(value: unknown, [given, noFollow]: readonly unknown[]): string {
  const length = typeof given === "number" ? given : Number.POSITIVE_INFINITY;
  return text(value)
    .split(/(\s+)/)
    .map((word) => {
      const url = /^(?:\(|<|&lt;)?(.*?)(?:\.|,|\)|\n|&gt;)?$/.exec(word)?.[1] ?? word;
      const shown = url.slice(0, length);
      if (/^https?:\/\//.test(url)) return linked(url, shown, noFollow !== true);
      if (/^www\./.test(url)) return linked(`http://${url}`, shown, noFollow !== true);
      if (/^[\w.!#$%&'*+\-/=?^`{|}~]+@[a-z\d-]+(?:\.[a-z\d-]+)+$/i.test(url))
        return `<a href="mailto:${url}">${url}</a>`;
      if (/\.(?:org|net|com)(?::|\/|$)/.test(url)) return linked(`http://${url}`, shown, noFollow !== true);
      return word;
    })
    .join("");
}

function parsedJson(value: unknown): unknown {
  try {
    return JSON.parse(String(value));
  } catch (error) {
    throw new TemplateFault(`load: ${(error as Error).message}`);
  }
}

const escapeFilter: Filter = (value) => escaped(value);
const fallback: Filter = (value, [other, isLoose]) => (isLoose ? value || other : value === undefined ? other : value);

export const filters: Readonly<Record<string, Filter>> = {
  abs: (value) => Math.abs(value as number),
  batch: batched,
  capitalize: (value) => capitalized(text(value)),
  center(value, [given]) {
    const [whole, width] = [text(value), size(given || 80)];
    const missing = width - whole.length;
    return missing <= 0 ? whole : spaces(missing / 2 - (missing % 2)) + whole + spaces(missing / 2);
  },
  default: fallback,
  d: fallback,
  dictsort(value, [isCaseSensitive, by = "key"]) {
    if (!isMembers(value)) throw new TemplateFault("dictsort needs an object");
    const index = by === "value" ? 1 : 0;
    const key = (pair: [string, unknown]): unknown => {
      const found = pair[index];
      return !isCaseSensitive && typeof found === "string" ? found.toUpperCase() : found;
    };
    return Object.entries(value).toSorted((a, b) => {
      const [x, y] = [key(a) as number, key(b) as number];
      return x > y ? 1 : x === y ? 0 : -1;
    });
  },
  dump: (value, [indent]) => JSON.stringify(value, null, indent as number),
  escape: escapeFilter,
  e: escapeFilter,
  forceescape: escapeFilter,
  safe: (value) => String(value ?? ""),
  first: (value) => list(value)[0],
  float(value, [other]) {
    const found = Number.parseFloat(value as string);
    return Number.isNaN(found) ? other : found;
  },
  groupby: grouped,
  indent(value, [given, indentsFirst]) {
    const lines = text(value).split("\n");
    const before = spaces(size(given || 4));
    return lines.map((line, index) => (index === 0 && !indentsFirst ? line : before + line)).join("\n");
  },
  int(value, args, keywords) {
    const found = Number.parseInt(value as string, Number(keywords.base ?? args[1] ?? 10));
    return Number.isNaN(found) ? (keywords.default ?? args[0]) : found;
  },
  join: (value, [separator = "", path]) =>
    list(value)
      .map((item) => (path ? attribute(item, path) : item))
      .join(String(separator || "")),
  last: (value) => list(value).at(-1),
  length(value) {
    if (isBlank(value)) return 0;
    if (isMembers(value)) return Object.keys(value).length;
    return (value as { length?: number }).length;
  },
  list: (value) =>
    isMembers(value) ? Object.entries(value).map(([key, member]) => ({ key, value: member })) : list(value),
  load: parsedJson,
  lower: (value) => text(value).toLowerCase(),
  nl2br: (value) => text(value ?? "").replace(/\r\n|\n/g, "<br />\n"),
  random: (value) => list(value)[Math.floor(Math.random() * list(value).length)],
  reject: selected(false),
  rejectattr: (value, [path]) => list(value).filter((item) => !memberOf(item, path)),
  replace: replaced,
  reverse: (value) => (typeof value === "string" ? [...value].reverse().join("") : list(value).toReversed()),
  round(value, [precision, method]) {
    const factor = 10 ** Number(precision || 0);
    const rounded = method === "ceil" ? Math.ceil : method === "floor" ? Math.floor : Math.round;
    return rounded((value as number) * factor) / factor;
  },
  select: selected(true),
  selectattr: (value, [path]) => list(value).filter((item) => Boolean(memberOf(item, path))),
  slice: sliced,
  sort: sorted,
  string: (value) => String(present(value)),
  striptags: stripped,
  sum: (value, [path, start = 0]) =>
    list(value).reduce<number>((all, item) => all + ((path ? attribute(item, path) : item) as number), Number(start)),
  title: (value) => text(value).split(" ").map(capitalized).join(" "),
  trim: (value) => text(present(value)).trim(),
  truncate: truncated,
  upper: (value) => text(value).toUpperCase(),
  urlencode(value) {
    if (typeof value === "string") return encodeURIComponent(value);
    const pairs = Array.isArray(value)
      ? (value as [string, string][])
      : Object.entries(value as Record<string, string>);
    return pairs.map(([key, one]) => `${encodeURIComponent(key)}=${encodeURIComponent(one)}`).join("&");
  },
  urlize: withLinks,
  wordcount: (value) => text(value).match(/\w+/g)?.length ?? null,
};

const longestRange = 1_000_000;

export const globals: Readonly<Record<string, (...args: never[]) => unknown>> = {
  range(first: number, last?: number, given?: number) {
    const [start, stop, step] = last === undefined ? [0, first, 1] : [first, last, given || 1];
    if ((stop - start) / step > longestRange) throw new TemplateFault(`range of more than ${longestRange} numbers`);
    const found: number[] = [];
    for (let at = start; step > 0 ? at < stop : at > stop; at += step) found.push(at);
    return found;
  },
  cycler(...items: unknown[]) {
    let index = -1;
    const made = {
      current: null as unknown,
      reset() {
        index = -1;
        made.current = null;
      },
      next() {
        index = (index + 1) % Math.max(1, items.length);
        made.current = items[index];
        return made.current;
      },
    };
    return made;
  },
  joiner(separator = ",") {
    let isFirst = true;
    return () => {
      const shown = isFirst ? "" : separator;
      isFirst = false;
      return shown;
    };
  },
};
