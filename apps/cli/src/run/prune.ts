/** `devflow run prune`: the worktrees and branches that ended runs left, and the disk they take. */
import type { HandlerOf } from "@devflow/core/command";
import { plainLine } from "@devflow/core/plain-text";
import { PruneAnswer, type PrunedRun } from "@devflow/protocol";
import { counted, size } from "../data/amounts.ts";
import { textTable } from "../text-table.ts";
import type { runPruneRecord } from "./care-commands.ts";
import { connectRuns } from "./runs-client.ts";
import { elapsed, shortId } from "./words.ts";

export const prune: HandlerOf<typeof runPruneRecord> = async ({ olderThan, branches, yes }, context) => {
  const client = await connectRuns(context);
  const body = { olderThanDays: olderThan, branches, dryRun: !yes };
  const answer = await client.post("/api/runs/prune", body, PruneAnswer);
  const again = `devflow run prune${olderThan > 0 ? ` --older-than ${olderThan}` : ""}${branches ? " --branches" : ""} --yes`;
  context.output.result(answer, answer.runs.length === 0 ? "Nothing to remove." : pruneText(answer, again));
};

function pruneText({ dryRun, runs }: { dryRun: boolean; runs: readonly PrunedRun[] }, again: string): string {
  const rows = runs.map((run) => [
    shortId(run.id),
    run.state,
    `${elapsed(run.endedAt, null, Date.now())} ago`,
    size(run.bytes + run.attachmentBytes),
    `${run.branch} (${branchWord(run)})`,
    plainLine(run.title),
  ]);
  const titles = ["RUN", "STATE", "ENDED", "DISK", "BRANCH", "TITLE"].map((title) =>
    title === "DISK" ? { title, align: "right" as const } : { title },
  );
  const free = runs.filter((run) => run.kept === null);
  const bytes = size(free.reduce((sum, run) => sum + run.bytes + run.attachmentBytes, 0));
  const kept = runs.flatMap((run) => (run.kept === null ? [] : [`Kept ${shortId(run.id)}: ${plainLine(run.kept)}`]));
  const end = dryRun
    ? `${counted(runs.length, "worktree")}, ${bytes}. Remove: ${again}`
    : `Removed ${counted(free.length, "worktree")}, ${bytes}.`;
  return [textTable(titles, rows), ...kept, end].join("\n");
}

function branchWord({ isMerged, branchRemoved }: PrunedRun): string {
  if (branchRemoved) return "removed";
  return isMerged === null ? "gone" : isMerged ? "merged" : "not merged";
}
