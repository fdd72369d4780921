/** `devflow run cleanup | purge`: for runs that have ended. */
import type { HandlerOf } from "@devflow/core/command";
import { plainLine } from "@devflow/core/plain-text";
import { CleanupAnswer, PurgeAnswer, type RemovalElsewhere } from "@devflow/protocol";
import type { runCleanupRecord, runPurgeRecord } from "./care-commands.ts";
import { pickRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import { shortId } from "./words.ts";

export const cleanup: HandlerOf<typeof runCleanupRecord> = async ({ run: given, force, confirm }, context) => {
  const client = await connectRuns(context);
  const { id } = await pickRun(client, given, "run cleanup", context);
  const body = { force, ...(confirm === undefined ? {} : { confirm }) };
  const answer = await client.post(`/api/runs/${id}/cleanup`, body, CleanupAnswer);
  const isElsewhere = answer.elsewhere.length > 0;
  const done = answer.removed ? `Removed ${answer.worktree}.` : `${answer.worktree} was already gone.`;
  const lines = [...(isElsewhere && !answer.removed ? [] : [done]), ...elsewhereLines(answer.elsewhere)];
  if (answer.elsewhere.some((one) => one.done < one.runs))
    lines.push(`See how far they are: devflow run cleanup ${shortId(id)}`);
  context.output.result(answer, [...lines, `Its branch stays: ${answer.branch}`].join("\n"));
};

function elsewhereLines(machines: readonly RemovalElsewhere[]): string[] {
  return machines.flatMap(({ name, state, runs, done, problems }) => {
    const what = runs === 1 ? "it" : `${runs} runs`;
    const isAway = state !== "present" && state !== "draining";
    const line = done === runs ? `${name} has removed ${what}.` : `${name} was asked to remove ${what}.`;
    const more = done < runs && isAway ? ` It is ${state}, and does so when it is back.` : "";
    return [`${line}${more}`, ...problems.map((one) => `  It kept something before: ${plainLine(one)}`)];
  });
}

export const purge: HandlerOf<typeof runPurgeRecord> = async ({ run: given, confirm = "" }, context) => {
  const client = await connectRuns(context);
  const { id } = await pickRun(client, given, "run purge", context);
  const answer = await client.post(`/api/runs/${id}/purge`, { confirm }, PurgeAnswer);
  const done = answer.purged ? "The content was deleted; hashes are kept." : "It was already purged.";
  const lines = [done, ...elsewhereLines(answer.elsewhere)].join("\n");
  context.output.result(answer, `${lines}\nIt can still be verified: devflow run verify ${shortId(id)}`);
};
