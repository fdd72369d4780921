/** Conflicts that git itself finds, as findings. */
import { shellWord } from "../quoting/quoted.ts";
import { type FileConflict, mergeTrees } from "./merge-trees.ts";
import type { OtherHead } from "./other-heads.ts";
import type { TeamWork } from "./overlap.ts";
import type { GitPlace, OwnWork } from "./own-work.ts";
import type { Finding, PrecheckReport } from "./report.ts";

export async function exactFindings(
  place: GitPlace,
  own: OwnWork,
  heads: readonly OtherHead[],
  team: TeamWork | undefined,
): Promise<{ findings: readonly Finding[]; merged: number; unmergeable: PrecheckReport["unchecked"] }> {
  const results = await mergeTrees(place, own.head, heads);
  const findings = results.flatMap((one) =>
    "conflicts" in one ? one.conflicts.map((conflict) => findingOf(one.head, conflict, team)) : [],
  );
  const unmergeable = results.flatMap((one) =>
    "unmergeable" in one ? [{ what: one.head.name, reason: inWords(one.unmergeable) }] : [],
  );
  return { findings, merged: results.length - unmergeable.length, unmergeable };
}

function findingOf(head: OtherHead, { path, kinds, hunks }: FileConflict, team: TeamWork | undefined): Finding {
  const intent = team?.intents.find(({ branch, agent }) => agent === head.agent || branch === head.branch);
  return {
    kind: "exact",
    // Its author pushes the target when it is merged; a branch may still change before that.
    sure: head.isTarget ? "certain" : "likely",
    who: intent?.who ?? head.author,
    branch: head.name,
    intent: intent?.text ?? null,
    file: path,
    lines: hunks.map(({ lines }) => lines),
    what: `git cannot merge it${head.agent === undefined ? "" : " with their work in progress"} (${kindText(kinds)})`,
    hunks,
    next: head.isTarget
      ? `Merge it here first: git merge ${shellWord(head.name)}`
      : `See the whole conflict: git merge --no-commit ${shellWord(head.name)}, then git merge --abort`,
  };
}

function kindText(kinds: readonly string[]): string {
  const known = new Set(kinds);
  if (known.has("binary")) return "both changed a binary file";
  known.delete("contents");
  return known.size > 0 ? [...known].join(", ") : "both changed the same lines";
}

function inWords(reason: string): string {
  return /unrelated histories/.test(reason)
    ? "no common commit is known here; in a shallow clone, fetch more: git fetch --unshallow"
    : reason;
}
