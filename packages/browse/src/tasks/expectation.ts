/**
 * What a step of a verb must lead to: what its recording led to, without what depends on the values.
 *
 * - `expectationOf(command, outcome, values)` pure: undefined when nothing can be expected of it.
 * - `unmet(expected, outcome)` pure: what differs, as readable lines; empty when all is as expected.
 * - `isLate(expected, outcome)` pure: only the URL or the title is missing, so the page may still be on its way.
 * - `arrivalScript(expected)` JavaScript that is true once it has arrived.
 */
import { z } from "zod";
import type { Outcome } from "../journal/index.ts";
import { slug } from "./slug.ts";

/** What the recording had none of. */
const troubles = ["alert", "dialog", "failed request"] as const;
type Trouble = (typeof troubles)[number];

export const Expectation = z.object({
  /** The URL's path. Here and below `*` stands for what differs each time: values, numbers, ids. */
  path: z.string().optional(),
  /** The page's title. */
  page: z.string().optional(),
  dialogs: z.array(z.string()).optional(),
  without: z.array(z.enum(troubles)).optional(),
  effect: z.boolean().optional(),
});
export type Expectation = z.output<typeof Expectation>;

/** Choosing what is chosen already has no effect. */
const mustAct = new Set(["click", "dblclick", "press"]);

export function expectationOf(command: string, outcome: Outcome, values: readonly string[]): Expectation | undefined {
  const seen = seenIn(outcome);
  if (!seen) return undefined;
  const { url, title, dialogs, effect } = seen;
  const path = url === undefined ? undefined : pathPattern(url, values);
  const without = troubles.filter((kind) => seen.troubles[kind]?.length === 0);
  return {
    ...(path !== undefined && { path }),
    ...(title !== undefined && { page: textPattern(title, values) }),
    ...(dialogs.length > 0 && { dialogs: dialogs.map((one) => textPattern(one, values)) }),
    ...(without.length > 0 && { without }),
    ...(effect && url === undefined && title === undefined && mustAct.has(command) && { effect }),
  };
}

export function unmet(expected: Expectation, outcome: Outcome): string[] {
  const seen = seenIn(outcome);
  if (!seen) return [];
  const { path, page, dialogs = [], without = [], effect } = expected;
  const missing = dialogs.filter((one) => !seen.dialogs.some((dialog) => fits(one, dialog)));
  const isHere = isAt(path, seen.url);
  // That it has no new title follows from that it has no new URL.
  const isTitled = hasTitle(page, seen.title) || (!isHere && seen.title === undefined);
  const lines = [
    ...(isHere ? [] : [`expected the URL ${path}, but it ${whereIs(seen.url)}`]),
    ...(isTitled ? [] : [`expected the page ${JSON.stringify(page)}, but it is ${titleOf(seen.title)}`]),
    ...missing.map((one) => `expected the dialog ${one}, which did not open`),
    ...without.flatMap((kind) => (seen.troubles[kind] ?? []).map((line) => `unexpected ${kind}: ${line}`)),
  ];
  return lines.length === 0 && effect && !seen.effect ? ["it had no effect"] : lines;
}

export function isLate(expected: Expectation, outcome: Outcome): boolean {
  const { path: _, page: __, ...others } = expected;
  return unmet(expected, outcome).length > 0 && unmet(others, outcome).length === 0;
}

export function arrivalScript({ path, page }: Expectation): string {
  const test = (pattern: string | undefined, of: string) =>
    pattern === undefined ? "true" : `new RegExp(${JSON.stringify(regexOf(pattern))}, "s").test(${of})`;
  const own = `(location.pathname + (location.hash.startsWith("#/") ? location.hash.split("?")[0] : ""))`;
  return `${test(path, own)} && ${test(page, "document.title")}`;
}

interface Seen {
  /** Where it led; undefined when it stayed where it was. */
  readonly url: string | undefined;
  readonly title: string | undefined;
  readonly dialogs: readonly string[];
  /** Without those that its kind of outcome does not tell. */
  readonly troubles: Partial<Record<Trouble, readonly string[]>>;
  readonly effect: boolean;
}

function seenIn(outcome: Outcome): Seen | undefined {
  if (outcome.kind === "arrived") {
    const { url, title, failed, ...arrival } = outcome.arrival;
    const dialogs = arrival.dialogs?.map(dialogIn);
    const troubles = { "failed request": failed, ...(dialogs && { dialog: dialogs }) };
    return { url, title, dialogs: dialogs ?? [], troubles, effect: true };
  }
  if (outcome.kind !== "receipt") return undefined;
  const { url, page, changes, failed, effect, ...receipt } = outcome.receipt;
  const dialogs = receipt.dialogs.map(dialogIn);
  const alerts = changes.flatMap((line) => /^[+~]?\s*(?:@\w+ )?alert\s*(.*)/s.exec(line)?.[1] ?? []);
  const troubles = { alert: alerts, dialog: dialogs, "failed request": failed };
  return { url: url?.to, title: page?.title, dialogs, troubles, effect };
}

/** Without what Devflow adds about accepting it. */
const dialogIn = (line: string): string => line.replace(/^dialog /, "").replace(/; to accept it:.*$/s, "");

const whereIs = (url: string | undefined): string => (url === undefined ? "did not change" : `is ${pathOf(url)}`);
const titleOf = (title: string | undefined): string => (title === undefined ? "the same page" : JSON.stringify(title));
const isAt = (path: string | undefined, url: string | undefined): boolean =>
  path === undefined || (url !== undefined && fits(path, pathOf(url)));
const hasTitle = (page: string | undefined, title: string | undefined): boolean =>
  page === undefined || (title !== undefined && fits(page, title));

/** Routers in the page keep their path after the `#`. */
function pathOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, hash } = new URL(url);
  return pathname + (hash.startsWith("#/") ? (hash.split("?")[0] ?? "") : "");
}

function pathPattern(url: string, values: readonly string[]): string {
  const own = values.map(slug).filter((value) => value !== "");
  const isValue = (part: string) => own.some((value) => `-${slug(decoded(part))}-`.includes(`-${value}-`));
  return pathOf(url)
    .split("/")
    .map((part) => (part !== "#" && part !== "" && (isId(part) || isValue(part)) ? "*" : part))
    .join("/");
}

/** `1042`, `8f3a-11c9`, but not `v2` or `step-1`. */
const isId = (part: string): boolean =>
  /^\d+$/.test(part) || (part.length >= 8 && (part.match(/\d/g)?.length ?? 0) >= 3) || part.includes("{{");

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function textPattern(text: string, values: readonly string[]): string {
  const words = values.filter((value) => value.trim() !== "").map((value) => RegExp.escape(value.trim()));
  const isWord = words.map((word) => String.raw`(?<![\p{L}\p{N}])${word}(?![\p{L}\p{N}])`);
  return text.replace(new RegExp([...isWord, String.raw`\d+(?:[.,:]\d+)*`].join("|"), "giu"), "*");
}

const fits = (pattern: string, text: string): boolean => new RegExp(regexOf(pattern), "s").test(text);

const regexOf = (pattern: string): string =>
  `^${pattern
    .split("*")
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
    .join(".*")}$`;
