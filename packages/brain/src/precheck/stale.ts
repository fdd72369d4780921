/**
 * Premises that no longer hold: a file or a decision that this session read and that has changed since.
 *
 * - `staleFiles(place, own, reads)` files that the target branch changed after this work left it, and that were read as they were before.
 * - `staleDecisions(reads, now)` decisions that were replaced or changed. Pure.
 */
import { git } from "@devflow/git";
import { quoted, shellWord } from "../quoting/quoted.ts";
import { commitOf, type GitPlace, type OwnWork } from "./own-work.ts";
import type { Finding } from "./report.ts";

export async function staleFiles(
  place: GitPlace,
  own: OwnWork,
  reads: ReadonlyMap<string, string>,
): Promise<readonly Finding[]> {
  const { against, base, changed } = own;
  if (against === null || base === null || reads.size === 0) return [];
  const target = await commitOf(place, against);
  if (target === undefined) return [];
  const { stdout } = await git(["diff-tree", "-r", "-z", "--no-renames", base, target], {
    ...place,
    paths: [...reads.keys()],
  });
  const words = stdout.split("\0");
  const findings: Finding[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [, before, after] = /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) /.exec(words[at] ?? "") ?? [];
    const file = words[at + 1] ?? "";
    const read = reads.get(file);
    // What was edited here as well is git's to compare.
    if (read === undefined || read === after || changed.has(file) || before === undefined) continue;
    const isGone = /^0+$/.test(after ?? "");
    findings.push({
      kind: "stale",
      sure: read === before ? "likely" : "possible",
      who: await lastAuthor(place, base, target, file),
      branch: against,
      intent: null,
      file,
      lines: [],
      what: isGone
        ? "this session read the file, and it was deleted since"
        : "this session read the file, and it was changed since",
      hunks: [],
      next: `Look at what changed: git diff ${base.slice(0, 10)} ${shellWord(against)} -- ${shellWord(file)}`,
    });
  }
  return findings;
}

async function lastAuthor(place: GitPlace, base: string, target: string, file: string): Promise<string> {
  const { stdout } = await git(["log", "-1", "--format=%an", `${base}..${target}`], {
    ...place,
    paths: [file],
    answers: [128],
  });
  return stdout.trim() || "somebody";
}

export interface ReadDecision {
  readonly id: string;
  readonly rev: number;
}

export interface TeamDecision extends ReadDecision {
  readonly title: string;
  readonly who: string;
  readonly state: string;
}

export function staleDecisions(reads: readonly ReadDecision[], now: readonly TeamDecision[]): Finding[] {
  return reads.flatMap(({ id, rev }) => {
    const found = now.find((one) => one.id === id);
    if (found && found.rev <= rev) return [];
    return {
      kind: "stale",
      sure: "likely",
      who: found?.who ?? "the team",
      branch: null,
      intent: null,
      file: `decision ${id.slice(-8)}`,
      lines: [],
      what: found
        ? `this session was told ${quoted(found.title, 200)}, and it was changed since`
        : "this session was told this decision, and it no longer holds",
      hunks: [],
      next: `Read it again: devflow brain decide show ${id}`,
    } satisfies Finding;
  });
}
