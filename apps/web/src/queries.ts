/** The server's answers as queries, named so that a change can mark them stale. */
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useServices } from "./app-context.tsx";
import { chosenTeam } from "./model/frame-search.ts";

export function useStatus() {
  const { api } = useServices();
  return useQuery({
    queryKey: ["status"],
    queryFn: ({ signal }) => api.status(signal),
    refetchInterval: (query) => (query.state.status === "error" ? 3_000 : 30_000),
  });
}

export function useCommands() {
  const { api } = useServices();
  return useQuery({
    queryKey: ["commands"],
    queryFn: ({ signal }) => api.commands(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The team that the address names, or the first. */
export function useTeam() {
  const status = useStatus();
  const { team } = useSearch({ from: "__root__" });
  return chosenTeam(status.data?.teams ?? [], team);
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
