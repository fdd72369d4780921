/** `devflow run cleanup | purge`: for runs that have ended. */
import type { HandlerOf } from "@devflow/core/command";
import { CleanupAnswer, PurgeAnswer } from "@devflow/protocol";
import type { runCleanupRecord, runPurgeRecord } from "./care-commands.ts";
import { pickRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import { shortId } from "./words.ts";

export const cleanup: HandlerOf<typeof runCleanupRecord> = async ({ run: given, force, confirm }, context) => {
  const client = await connectRuns(context);
  const { id } = await pickRun(client, given, "run cleanup", context);
  const body = { force, ...(confirm === undefined ? {} : { confirm }) };
  const answer = await client.post(`/api/runs/${id}/cleanup`, body, CleanupAnswer);
  const done = answer.removed ? `Removed ${answer.worktree}.` : `${answer.worktree} was already gone.`;
  context.output.result(answer, `${done}\nIts branch stays: ${answer.branch}`);
};

export const purge: HandlerOf<typeof runPurgeRecord> = async ({ run: given, confirm = "" }, context) => {
  const client = await connectRuns(context);
  const { id } = await pickRun(client, given, "run purge", context);
  const answer = await client.post(`/api/runs/${id}/purge`, { confirm }, PurgeAnswer);
  const done = answer.purged ? "The content was deleted; hashes are kept." : "It was already purged.";
  context.output.result(answer, `${done}\nIt can still be verified: devflow run verify ${shortId(id)}`);
};
