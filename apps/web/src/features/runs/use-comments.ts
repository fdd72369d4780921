/** Comments on lines of a run: read once for the page, and read again when the run changes. */
import type { CommentView } from "@devflow/protocol";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useServices } from "../../app-context.tsx";

const none: readonly CommentView[] = [];

export function useComments(runId: string) {
  const { api } = useServices();
  const queries = useQueryClient();
  const query = useQuery({ queryKey: ["comments", runId], queryFn: ({ signal }) => api.runs.comments(runId, signal) });
  const comments = query.data ?? none;
  return {
    comments,
    drafts: comments.filter(({ sent }) => sent === null),
    fault: query.error,
    refresh: () => queries.invalidateQueries({ queryKey: ["comments", runId] }),
  };
}
