/**
 * Others who work on the same files, from the edits and intents that the team knows. Pure.
 *
 * - `overlaps(own, team)` one finding per agent and file: `likely` where the lines meet, `possible` where only the file does.
 */
import type { LineRange } from "../edits/index.ts";
import { bare, shellWord } from "../quoting/quoted.ts";
import type { Finding } from "./report.ts";

export interface TeamEdit {
  readonly agent: string;
  readonly who: string;
  readonly branch: string | null;
  readonly file: string;
  readonly lines: readonly LineRange[];
  readonly at: string;
}

export interface TeamIntent {
  readonly agent: string;
  readonly who: string;
  readonly branch: string | null;
  readonly text: string;
  readonly files: readonly string[];
}

export interface TeamWork {
  readonly edits: readonly TeamEdit[];
  readonly intents: readonly TeamIntent[];
}

/** Lines as near as this meet when git merges them. */
const nearLines = 3;

export function overlaps(
  own: { readonly agent: string | undefined; readonly changed: ReadonlyMap<string, readonly LineRange[]> },
  { edits, intents }: TeamWork,
): Finding[] {
  const intentOf = new Map(intents.map((one) => [one.agent, one]));
  const findings: Finding[] = [];
  for (const [file, lines] of own.changed) {
    const theirs = edits.filter((one) => one.file === file && one.agent !== own.agent);
    for (const [agent, some] of Map.groupBy(theirs, (one) => one.agent)) {
      const [newest] = some;
      if (!newest) continue;
      const touched = some.flatMap((one) => one.lines);
      const met = touched.filter((range) => lines.some((one) => meets(one, range)));
      findings.push({
        kind: "overlap",
        sure: met.length > 0 ? "likely" : "possible",
        who: newest.who,
        branch: newest.branch,
        intent: intentOf.get(agent)?.text ?? null,
        file,
        lines: met,
        what: met.length > 0 ? "they changed the same lines" : "they changed other lines of this file",
        hunks: [],
        next: `Ask ${bare(newest.who)} who goes first, or see their work: devflow brain why ${shellWord(file)}`,
      });
    }
    for (const intent of intents) {
      const isKnown = intent.agent === own.agent || theirs.some((one) => one.agent === intent.agent);
      if (isKnown || !intent.files.includes(file)) continue;
      findings.push({
        kind: "overlap",
        sure: "possible",
        who: intent.who,
        branch: intent.branch,
        intent: intent.text,
        file,
        lines: [],
        what: "they are about to change this file",
        hunks: [],
        next: `Tell ${bare(intent.who)} what you changed: devflow brain handoff write`,
      });
    }
  }
  return findings;
}

function meets([first, last]: LineRange, [from, to]: LineRange): boolean {
  return first - nearLines <= to && from - nearLines <= last;
}
