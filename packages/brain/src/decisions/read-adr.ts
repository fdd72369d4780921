/**
 * One ADR, read: Nygard's form, MADR 2 to 4, log4brains, and what people make of them.
 *
 * - `readAdr(path, text)` title, state, texts and what it says about other ADRs; or why it is none. Nothing of the text is lost: what
 *   belongs to no known part stays in the body.
 */
import { parse as parseYaml } from "yaml";
import type { Decision } from "../records/index.ts";
import { isDateKey, isStatusKey, isTagKey, sectionOf, stateOf } from "./adr-words.ts";

export interface Adr {
  readonly path: string;
  /** From the file's name or its title. */
  readonly number: number | null;
  readonly title: string;
  /** Undefined: the file does not say. */
  readonly state: Decision["state"] | undefined;
  readonly date: string | undefined;
  readonly tags: readonly string[];
  readonly body: string;
  readonly context: string;
  readonly alternatives: string;
  /** Names of files that it says it replaces, and that replace it. */
  readonly supersedes: readonly string[];
  readonly supersededBy: readonly string[];
}

export type ReadAdr = { readonly adr: Adr } | { readonly problem: string };

const longestPart = 50_000;

export function readAdr(path: string, text: string): ReadAdr {
  if (text.includes("\0")) return { problem: "it is not a text file" };
  const { matter, rest } = frontMatter(text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n"));
  const lines = rest.split("\n");
  const at = titleAt(lines);
  const title = at === undefined ? textOf(matter.title) : plainTitle(at.line);
  if (title === undefined || title === "") return { problem: "it has no title" };
  const after = at === undefined ? lines : lines.slice(at.index + at.height);
  const { head, parts } = split(after);
  const facts = { ...matter, ...keyedLines(head) };
  const statusText = [
    textOf(find(facts, isStatusKey)),
    parts
      .filter((one) => one.part === "status")
      .map(({ text: own }) => own)
      .join("\n"),
  ]
    .filter(Boolean)
    .join("\n");
  const body = [
    head.filter((line) => !isKeyed(line)).join("\n"),
    ...parts.filter(({ part }) => part === "decision").map((one) => `${one.heading}\n${one.text}`),
  ];
  const textFor = (part: string) =>
    parts
      .filter((one) => one.part === part)
      .map(({ text: own }) => own.trim())
      .join("\n\n")
      .trim()
      .slice(0, longestPart);
  const whole = body.join("\n").trim();
  if (whole.length > 100_000) return { problem: "it is longer than 100,000 characters" };
  return {
    adr: {
      path,
      number: numberOf(path, title),
      title: title.replace(/^(?:ADR[-\s]?)?\d{1,6}\s*[.:)–-]\s+/i, "").slice(0, 300),
      state: stateOf(statusText),
      date: dateOf(textOf(find(facts, isDateKey)) ?? statusText) ?? dateOf(path.replace(/^.*\//, "")),
      tags: tagsOf(find(facts, isTagKey)),
      body: whole,
      context: textFor("context"),
      alternatives: textFor("alternatives"),
      ...relationsOf(`${statusText}\n${head.join("\n")}`),
    },
  };
}

const plainTitle = (line: string): string =>
  line
    .replace(/\s+#*\s*$/, "")
    .replace(/[*_`]/g, "")
    .trim();

interface TitleAt {
  readonly index: number;
  /** Two lines when the title is underlined. */
  readonly height: number;
  readonly line: string;
}

function titleAt(lines: readonly string[]): TitleAt | undefined {
  for (const [index, line] of lines.entries()) {
    const found = /^#\s+(.+)$/.exec(line)?.[1];
    if (found !== undefined) return { index, height: 1, line: found };
    if (line.trim() !== "" && /^=+\s*$/.test(lines[index + 1] ?? "")) return { index, height: 2, line };
  }
  return undefined;
}

function frontMatter(text: string): { matter: Record<string, unknown>; rest: string } {
  const [whole, yaml] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
  if (whole === undefined || yaml === undefined) return { matter: {}, rest: text };
  try {
    const value: unknown = parseYaml(yaml, { maxAliasCount: 10 });
    const matter = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
    return { matter, rest: text.slice(whole.length) };
  } catch {
    return { matter: {}, rest: text };
  }
}

/** What stands before the first heading, and the parts. */
function split(lines: readonly string[]): {
  head: string[];
  parts: { heading: string; part: ReturnType<typeof sectionOf>; text: string }[];
} {
  const head: string[] = [];
  const parts: { heading: string; part: ReturnType<typeof sectionOf>; lines: string[] }[] = [];
  let isCode = false;
  for (const line of lines) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    const [, heading] = isCode ? [] : (/^##\s+(.+?)\s*#*$/.exec(line) ?? []);
    if (heading !== undefined) parts.push({ heading: line, part: sectionOf(heading), lines: [] });
    else (parts.at(-1)?.lines ?? head).push(line);
  }
  return { head, parts: parts.map(({ heading, part, lines: own }) => ({ heading, part, text: own.join("\n") })) };
}

const keyedLine = /^\s*(?:[*-]\s+)?\**([\p{L}-]{2,20})\**\s*[::]\s*\**\s*(.+?)\s*$/u;

const isKeyed = (line: string): boolean => {
  const key = keyedLine.exec(line)?.[1] ?? "";
  return isStatusKey(key) || isDateKey(key) || isTagKey(key);
};

/** `Date: …`, `* Status: …`, `- **Tags**: …` above the first part. */
function keyedLines(head: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    head.flatMap((line) => {
      const [, key = "", value = ""] = keyedLine.exec(line) ?? [];
      return key === "" ? [] : [[key, value]];
    }),
  );
}

function find(facts: Record<string, unknown>, isKey: (word: string) => boolean): unknown {
  return Object.entries(facts).find(([key]) => isKey(key))?.[1];
}

function textOf(value: unknown): string | undefined {
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;
}

function tagsOf(value: unknown): string[] {
  const words = Array.isArray(value) ? value.map(String) : (textOf(value) ?? "").split(/[,;]/);
  return words
    .map((word) =>
      word
        .trim()
        .toLowerCase()
        .replace(/[^a-z0-9._-]+/g, "-")
        .replace(/^[-._]+|[-._]+$/g, ""),
    )
    .filter((word) => /^[a-z0-9][a-z0-9._-]{0,63}$/.test(word))
    .slice(0, 50);
}

/** A day as people write it first; otherwise digits in the order year, month, day. */
function dateOf(text: string): string | undefined {
  const [, year, month, day] = /(\d{4})[-/.年]?(\d{2})[-/.月]?(\d{2})/.exec(text) ?? [];
  const iso = `${year}-${month}-${day}`;
  const ms = Date.parse(`${iso}T00:00:00Z`);
  if (!Number.isFinite(ms) || new Date(ms).toISOString().slice(0, 10) !== iso) return undefined;
  return Number(year) >= 1970 && Number(year) <= 2100 ? iso : undefined;
}

function numberOf(path: string, title: string): number | null {
  const name = path.replace(/^.*\//, "");
  // Eight digits are a day, as log4brains names files.
  const found =
    /^(?:adr[-_]?)?(\d{1,6})[-_. ]/i.exec(name)?.[1] ?? /^(?:ADR[-\s]?)?(\d{1,6})\s*[.:)–-]\s/i.exec(title)?.[1];
  return found === undefined ? null : Number(found);
}

function relationsOf(text: string): Pick<Adr, "supersedes" | "supersededBy"> {
  const supersedes: string[] = [];
  const supersededBy: string[] = [];
  for (const line of text.split("\n")) {
    const isReplaced =
      /supers?[ec]+ded\s+by|replaced\s+by|ersetzt\s+durch|remplac[ée]e?\s+par|reemplazad[oa]\s+por|substitu[ií]d[oa]\s+por|被.*取代/i.test(
        line,
      );
    const replaces = /supers?[ec]+des|replaces|ersetzt\s+(?!durch)|remplace\s|reemplaza\s|substitui\s|取代了/i.test(
      line,
    );
    if (!isReplaced && !replaces) continue;
    const named = [...line.matchAll(/\]\(([^)\s]+?\.md)(?:#[^)]*)?\)/g)].map(([, target = ""]) =>
      target.replace(/^.*\//, ""),
    );
    const numbered =
      named.length > 0
        ? []
        : [...line.matchAll(/\bADR[-\s]?(\d{1,6})\b|#(\d{1,6})\b/gi)].map(([, a, b]) => a ?? b ?? "");
    (isReplaced ? supersededBy : supersedes).push(...named, ...numbered);
  }
  return { supersedes: [...new Set(supersedes)], supersededBy: [...new Set(supersededBy)] };
}
