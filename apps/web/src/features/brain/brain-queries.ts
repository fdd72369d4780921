/** The brain's rows of the team, and of one repository if the URL names one. A change marks them stale by the first part of their key. */
import type { RpcAnswer, RpcArguments, RpcName } from "@devflow/protocol";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useServices } from "../../app-context.tsx";
import { keptOf, useRepos, useTeam } from "../../queries.ts";

/** The canonical remote of the repository in the URL. */
export function useRepoName(): string | undefined {
  const { repo } = useSearch({ from: "__root__" });
  const repos = useRepos();
  return repos.data?.find(({ id, name }) => id === repo || name === repo)?.remote ?? undefined;
}

export function useBrain<Name extends RpcName>(
  list: "presence" | "intents" | "decisions" | "handoffs" | "edits",
  name: Name,
  args: Omit<RpcArguments<Name>, "team_id" | "repo">,
  options: { readonly enabled?: boolean; readonly refetchMs?: number; readonly repo?: string | undefined } = {},
) {
  const { api } = useServices();
  const team = useTeam();
  const chosen = useRepoName();
  const repo = options.repo ?? chosen;
  return useQuery({
    queryKey: [list, name, team?.id, repo, args],
    queryFn: ({ signal }): Promise<RpcAnswer<Name>> =>
      api.rpc(name, { team_id: team!.id, ...(repo ? { repo } : {}), ...args } as unknown as RpcArguments<Name>, signal),
    enabled: team !== undefined && (options.enabled ?? true),
    placeholderData: keptOf(team),
    ...(options.refetchMs === undefined ? {} : { refetchInterval: options.refetchMs }),
  });
}
