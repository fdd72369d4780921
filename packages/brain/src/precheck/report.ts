/**
 * What a precheck found.
 *
 * - `conflictKinds` exact: git cannot merge it. overlap: another agent works on the same file. stale: what was read has changed since.
 *   semantic: a symbol that is used here has another signature there, although git merges it.
 * - `reportText(report)` for people and agents: who, what, where, how sure, what to do.
 */
import { shortLine } from "@devflow/core/plain-text";
import type { LineRange } from "../edits/index.ts";
import { bare, quoted } from "../quoting/quoted.ts";

export const conflictKinds = ["exact", "overlap", "stale", "semantic"] as const;
export type ConflictKind = (typeof conflictKinds)[number];
export const certainties = ["certain", "likely", "possible"] as const;

export interface Hunk {
  /** In the file as it is at HEAD here. */
  readonly lines: LineRange;
  readonly mine: string;
  readonly theirs: string;
}

export interface Finding {
  readonly kind: ConflictKind;
  readonly sure: (typeof certainties)[number];
  /** A person, as the team or git knows them. */
  readonly who: string;
  readonly branch: string | null;
  /** What they are about to do, if that is known. */
  readonly intent: string | null;
  readonly file: string;
  readonly lines: readonly LineRange[];
  /** In one sentence. */
  readonly what: string;
  readonly hunks: readonly Hunk[];
  /** What to do about it. */
  readonly next: string;
}

export interface PrecheckReport {
  /** The branch that this work is for; null when there is none. */
  readonly against: string | null;
  readonly branch: string | null;
  readonly head: string | null;
  /** How many branches were merged in thought. */
  readonly merged: number;
  /** What could not be checked, and why. */
  readonly unchecked: readonly { readonly what: string; readonly reason: string }[];
  readonly findings: readonly Finding[];
}

const maxFindings = 12;
const maxHunks = 3;
const maxHunkLines = 6;

export function reportText({ findings, unchecked, merged, against }: PrecheckReport): string {
  const left = unchecked.map(({ what, reason }) => `Not checked: ${shortLine(what, 120)} (${shortLine(reason, 160)}).`);
  if (findings.length === 0) {
    const compared = merged === 0 ? "" : ` ${merged} ${merged === 1 ? "branch" : "branches"} compared.`;
    return [
      `No conflicts found.${compared}${against === null && merged === 0 ? " There is no other branch here." : ""}`,
      ...left,
    ].join("\n");
  }
  const shown = findings.slice(0, maxFindings).map(findingText);
  const more = findings.length > maxFindings ? [`… and ${findings.length - maxFindings} more.`] : [];
  return [...shown, ...more, ...left].join("\n");
}

function findingText({ kind, sure, who, branch, intent, file, lines, what, hunks, next }: Finding): string {
  const where = `${isPlain.test(file) ? file : quoted(file, 200)}${lines.length > 0 ? `:${lines.slice(0, 5).map(rangeText).join(",")}` : ""}`;
  const on = branch === null ? "" : ` on ${isPlain.test(branch) ? branch : quoted(branch, 120)}`;
  const doing = intent === null ? "" : `, about to: ${quoted(intent, 160)}`;
  const parts = hunks
    .slice(0, maxHunks)
    .flatMap((hunk) => [
      `    lines ${rangeText(hunk.lines)}`,
      ...sideText("-", hunk.mine),
      ...sideText("+", hunk.theirs),
    ]);
  return [
    `${kind} (${sure}): ${where}: ${what}`,
    `    ${bare(who)}${on}${doing}`,
    ...parts,
    ...(hunks.length > maxHunks ? [`    … ${hunks.length - maxHunks} more`] : []),
    `    → ${next}`,
  ].join("\n");
}

/** Most names need no quotes. */
const isPlain = /^[\w./@+-]{1,200}$/;

/** `-` is this side, `+` the other one. */
function sideText(sign: string, text: string): string[] {
  const lines = text.split("\n").filter((line, at, all) => line !== "" || at < all.length - 1);
  const shown = lines.slice(0, maxHunkLines).map((line) => `    ${sign} ${shortLine(line, 160)}`);
  return lines.length > maxHunkLines ? [...shown, `    ${sign} …`] : shown;
}

const rangeText = ([first, last]: LineRange): string => (first === last ? String(first) : `${first}-${last}`);
