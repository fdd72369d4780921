/**
 * A person's comment on lines that a run changed. A draft of the run: the agent gets it with a verdict or a message.
 *
 * - `commentOnRun(context, run, given, actor)` the comment's id. The same token gives the same comment.
 */
import { DevflowError } from "@devflow/core/errors";
import { uuidv5 } from "@devflow/core/ids";
import { shortId } from "@devflow/core/short-id";
import { mostCommentedLines } from "@devflow/protocol";
import { placeUpload } from "../attachments/attachment-file.ts";
import { claimUploads } from "../attachments/attachment-repository.ts";
import { runDiff } from "../care/run-diff.ts";
import { change, type EngineContext } from "../engine/context.ts";
import { refuseTerminal } from "../engine/end-run.ts";
import type { Actor } from "../events/actor.ts";
import type { VisibleRun } from "../views/index.ts";
import { insertComment } from "./comment-repository.ts";
import { type DiffSide, workLines } from "./work-lines.ts";

export interface GivenComment {
  readonly file: string;
  readonly side: DiffSide;
  readonly line: number;
  readonly endLine?: number | undefined;
  readonly text: string;
  readonly attachments?: readonly string[] | undefined;
  readonly clientToken: string;
}

export async function commentOnRun(
  context: EngineContext,
  run: VisibleRun,
  given: GivenComment,
  actor: Actor,
): Promise<string> {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
  const { file, side, line, text, attachments } = given;
  const endLine = given.endLine ?? line;
  const { quote, commit } = await quoted(context, run, { file, side, line, endLine });
  const id = uuidv5(run.id, `comment:${actor.userId}:${given.clientToken}`);
  const used = await change(
    context,
    run.id,
    async (fact) => {
      refuseTerminal(fact, "commented on");
      if (!(await insertComment(fact, { id, file, side, line, endLine, commit, quote, text }))) return [];
      fact.touch();
      const owner = { runId: run.id, teamId: run.teamId, host: run.host, commentId: id };
      return await claimUploads(context, fact.tx, owner, attachments, actor);
    },
    actor,
  );
  for (const one of used) await placeUpload(context, run, one);
  return id;
}

/** The lines as they are now; they are what the comment is about. */
async function quoted(
  context: EngineContext,
  run: VisibleRun,
  { file, side, line, endLine }: { file: string; side: DiffSide; line: number; endLine: number },
): Promise<{ quote: string; commit: string }> {
  const see = `See the diff: devflow run diff ${shortId(run.id)}`;
  const changed = (await runDiff(context, run)).files.find((one) => one.path === file || one.from === file);
  if (!changed) throw invalid(`Run ${shortId(run.id)} has not changed ${file}.`, see);
  if (changed.path !== file && side === "new") throw invalid(`${file} is ${changed.path} now.`, see);
  if (changed.change === "deleted" && side === "new") {
    const again = `devflow run comment ${shortId(run.id)} ${file}:${line} --old -m "…"`;
    throw invalid(`${file} was removed by the change.`, `Comment on a line that it had: ${again}`);
  }
  const work = workLines(context, run);
  const lines = await work.lines(changed, side);
  const when = side === "old" ? " before the change" : "";
  if (!lines) throw invalid(`${file} has no lines of text${when}.`, see);
  if (endLine < line) throw invalid(`Lines ${line}-${endLine} are the wrong way round.`, see);
  if (endLine > lines.length) {
    const count = lines.length === 1 ? "1 line" : `${lines.length} lines`;
    throw invalid(`${file} has ${count}${when}; there is no line ${endLine}.`, see);
  }
  if (endLine - line >= mostCommentedLines)
    throw invalid(`A comment can be about at most ${mostCommentedLines} lines.`, see);
  return { quote: lines.slice(line - 1, endLine).join("\n"), commit: await work.commit() };
}

const invalid = (problem: string, next: string): DevflowError =>
  new DevflowError("input_invalid", { details: { problem, next } });
