/** Queries used by several screens. A change marks them stale by the first part of their key. */
import { type Query, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useServices } from "./app-context.tsx";
import { ApiFault } from "./model/api-fault.ts";
import { chosenTeam } from "./model/frame-search.ts";

export function useStatus() {
  const { api } = useServices();
  return useQuery({
    queryKey: ["status"],
    queryFn: ({ signal }) => api.status(signal),
    refetchInterval: ({ state }) => {
      if (state.status !== "error") return 30_000;
      return isEvalsOnly(state.error) ? false : 3_000;
    },
  });
}

/** Whether the server is that of `devflow eval watch --port`, which serves evals only. */
const isEvalsOnly = (fault: Error | null): boolean => fault instanceof ApiFault && fault.code === "server_not_running";

export function useIsEvalsOnly(): boolean {
  return isEvalsOnly(useStatus().error);
}

export function useCommands() {
  const { api } = useServices();
  return useQuery({
    queryKey: ["commands"],
    queryFn: ({ signal }) => api.commands(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The team in the URL, or the first one. */
export function useTeam() {
  const status = useStatus();
  const { team } = useSearch({ from: "__root__" });
  return chosenTeam(status.data?.teams ?? [], team);
}

/**
 * For queries whose key has the team's id in the third place: while a filter changes, what was there stays on the screen; of another
 * team, or of one that was left, nothing does.
 */
export function keptOf(team: { readonly id: string } | undefined) {
  return <Data>(shown: Data | undefined, query: Pick<Query, "queryKey"> | undefined): Data | undefined =>
    team !== undefined && query?.queryKey[2] === team.id ? shown : undefined;
}

export function useRepos() {
  const { api } = useServices();
  const team = useTeam();
  return useQuery({
    queryKey: ["repos", team?.id],
    queryFn: ({ signal }) => api.repos(team!.id, signal),
    enabled: team !== undefined,
  });
}

export function useMembers() {
  const { api } = useServices();
  const team = useTeam();
  return useQuery({
    queryKey: ["members", team?.id],
    queryFn: ({ signal }) => api.members(team!.id, signal),
    enabled: team !== undefined,
  });
}

/** Invites that nobody has used; only admins of a team server may ask. */
export function useInvites(enabled: boolean) {
  const { api } = useServices();
  const team = useTeam();
  return useQuery({
    queryKey: ["invites", team?.id],
    queryFn: ({ signal }) => api.rpc("list_invites", { team_id: team!.id }, signal),
    enabled: enabled && team !== undefined,
  });
}

export function useTokens(enabled: boolean) {
  const { api } = useServices();
  const team = useTeam();
  return useQuery({
    queryKey: ["tokens", team?.id],
    queryFn: ({ signal }) => api.rpc("list_tokens", { team_id: team!.id }, signal),
    enabled: enabled && team !== undefined,
  });
}
