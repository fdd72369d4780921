/** The server's answers as queries, named so that a change can mark them stale. */
import { useQuery } from "@tanstack/react-query";
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
      return isEvalsAlone(state.error) ? false : 3_000;
    },
  });
}

/** The page of `devflow eval watch --port`: a server that shows evals and says of all else who has it. */
const isEvalsAlone = (fault: Error | null): boolean => fault instanceof ApiFault && fault.code === "server_not_running";

export function useIsEvalsAlone(): boolean {
  return isEvalsAlone(useStatus().error);
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
