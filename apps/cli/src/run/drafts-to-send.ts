/** The comments on lines that were not sent yet, as they are now: one that is changed meanwhile is not sent. */
import { CommentList, type RunDetail } from "@devflow/protocol";
import type { RunsClient } from "./runs-client.ts";

export async function draftsToSend(client: RunsClient, run: RunDetail): Promise<{ id: string; revision: number }[]> {
  if (run.draftComments === 0) return [];
  const { comments } = await client.get(`/api/runs/${run.id}/comments`, CommentList);
  return comments.filter(({ sent }) => sent === null).map(({ id, revision }) => ({ id, revision }));
}
