/**
 * Comments on lines on their way to an agent, in two steps: the files are read before the run is locked, the rows after.
 *
 * - `placesOf(context, runId)` where the lines of each draft are now, by id.
 * - `composeRequest(fact, words, given, places)` takes the drafts and returns them with the text for the agent.
 */
import { DevflowError } from "@devflow/core/errors";
import type { CommentPlace } from "@devflow/protocol";
import type { EngineContext } from "../engine/context.ts";
import type { RunFact } from "../engine/fact.ts";
import { RunRow } from "../engine/rows.ts";
import { bringHere } from "../fleet/bring-here.ts";
import { placeOf } from "./comment-place.ts";
import { type CommentRow, draftsOf, type SeenComment, takeDrafts } from "./comment-repository.ts";
import { mostRequested, requestText } from "./request-text.ts";
import { placeOfRun, workLines } from "./work-lines.ts";

export type Places = ReadonlyMap<string, CommentPlace>;

export async function placesOf(context: EngineContext, runId: string): Promise<Places> {
  const { run, drafts } = await context.database.asEngine(async (tx) => {
    const [row] = await tx`select to_jsonb(r) as run from app.runs r where r.id = ${runId}`;
    return { run: row && RunRow.parse(row.run), drafts: await draftsOf(tx, runId) };
  });
  const places = new Map<string, CommentPlace>();
  if (!run || drafts.length === 0) return places;
  const work = workLines(context, await bringHere(context, { ...placeOfRun(run), id: run.id, host: run.host }));
  for (const one of drafts) places.set(one.id, await placeNow(one, work));
  return places;
}

/** The base of a run never changes, so neither do its lines. */
export async function placeNow(
  comment: Pick<CommentRow, "side" | "file_path" | "first_line" | "quote">,
  work: ReturnType<typeof workLines>,
): Promise<CommentPlace> {
  if (comment.side === "old") return { is: "same" };
  const lines = await work.lines({ path: comment.file_path }, "new");
  return placeOf({ line: comment.first_line, quote: comment.quote }, lines);
}

export async function composeRequest(
  fact: RunFact,
  words: string,
  given: readonly SeenComment[],
  places: Places,
): Promise<{ readonly drafts: readonly CommentRow[]; readonly text: string }> {
  const drafts = given.length === 0 ? [] : await takeDrafts(fact, given);
  const text = requestText(
    words,
    drafts.map((one) => ({
      author: one.author_name ?? "A former member",
      file: one.file_path,
      side: one.side,
      line: one.first_line,
      endLine: one.last_line,
      commit: one.commit_id,
      quote: one.quote,
      text: one.body,
      place: places.get(one.id) ?? { is: "same" },
      attachments: one.attachments,
    })),
  );
  if (text.length > mostRequested) {
    const problem = `The comments have ${text.length} characters in all; an agent gets at most ${mostRequested} at once.`;
    throw new DevflowError("input_invalid", { details: { problem, next: "Shorten or remove some of them." } });
  }
  return { drafts, text };
}
