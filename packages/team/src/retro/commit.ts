/**
 * A commit as a retro sees it.
 *
 * - `commitOf(fields)` from the fields of `git log`: who, when on their own clock, and what its message says about it.
 */
import type { LineKind } from "./line-kind.ts";

export interface ChangedFile {
  readonly path: string;
  /** Its path before, if the commit moved it. */
  readonly from: string | undefined;
  /** Zero for files that are no text. */
  readonly added: number;
  readonly deleted: number;
  readonly kind: LineKind;
}

export interface CommitFacts {
  readonly sha: string;
  readonly atMs: number;
  /** The day on the author's own clock. */
  readonly day: string;
  /** 0 to 23, on the author's own clock. */
  readonly hour: number;
  /** By the repository's mailmap. */
  readonly name: string;
  readonly email: string;
  readonly subject: string;
  readonly isMerge: boolean;
  /** Commits that it takes back; empty for a revert that does not name one. */
  readonly reverts: readonly string[] | undefined;
  /** An agent wrote it, or helped. */
  readonly isAssisted: boolean;
  /** A program that commits by itself, such as a bot that updates dependencies. */
  readonly isBot: boolean;
}

export interface Commit extends CommitFacts {
  readonly files: readonly ChangedFile[];
}

export interface CommitFields {
  readonly sha: string;
  readonly parents: string;
  /** `<seconds> <+hhmm>`, as `--date=raw` writes it. */
  readonly date: string;
  readonly name: string;
  readonly email: string;
  readonly message: string;
}

export function commitOf({ sha, parents, date, name, email, message }: CommitFields): CommitFacts {
  const [seconds = "0", zone = "+0000"] = date.split(" ");
  const atMs = Number(seconds) * 1000;
  const own = new Date(atMs + offsetMinutes(zone) * 60_000);
  const [subject = ""] = message.split("\n", 1);
  const isBot = /\[bot\]/i.test(name) || /\[bot\]@/i.test(email);
  return {
    sha,
    atMs,
    day: own.toISOString().slice(0, 10),
    hour: own.getUTCHours(),
    name,
    email,
    subject,
    isMerge: parents.includes(" "),
    reverts: revertsOf(subject, message),
    isAssisted: isAgent(name, email) || isSignedByAgent(message),
    isBot: isBot && !isAgent(name, email),
  };
}

/** Zones of broken clocks exist in old histories; none is more than a day off. */
function offsetMinutes(zone: string): number {
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  const offset = Math.min(1440, Number(hours) * 60 + Number(minutes));
  return sign === "-" ? -offset : offset;
}

function revertsOf(subject: string, message: string): readonly string[] | undefined {
  const named = [...message.matchAll(/^This reverts commit ([0-9a-f]{7,64})\b/gim)].map(([, sha = ""]) => sha);
  return named.length > 0 || /^revert[\s:("!]/i.test(subject) ? named : undefined;
}

function isSignedByAgent(message: string): boolean {
  const helpers = message.matchAll(
    /^(?:co-authored-by|assisted-by|generated-by|ai-assisted-by):[ \t]*([^<\n]*)(?:<([^>\n]*)>)?/gim,
  );
  for (const [line, name = "", email = ""] of helpers) {
    if (!/^co-authored-by/i.test(line) || isAgent(name.trim(), email)) return true;
  }
  return /^(?:🤖 )?generated (?:with|by) \[?(?:claude code|codex|cursor|copilot|devin|amp|opencode)\b/im.test(message);
}

/** Addresses that only agents have. A name alone is not enough where people have it too. */
const addresses =
  /@(?:anthropic\.com|openai\.com|aider\.chat|cursor\.com|ampcode\.com|sourcegraph\.com|opencode\.ai|cognition\.ai)$|\bcopilot@users\.noreply\.github\.com$|devin-ai-integration|^(?:gemini|jules|codex|claude)[\w-]*(?:\[bot\])?@/i;
const names =
  /^(?:claude (?:code|opus|sonnet|haiku|fable|agent)\b.*|(?:github )?copilot(?: .*)?|cursor ?agent|openai codex|codex cli|devin(?: ai|-ai.*)|aider \(.*\)|gemini (?:cli|code assist).*|google jules|windsurf|opencode|amp code|cline|roo code)$/i;

function isAgent(name: string, email: string): boolean {
  if (/^claude$/i.test(name) && /(?:^|@|\.)anthropic\.com$/i.test(email)) return true;
  return names.test(name) || addresses.test(email);
}
