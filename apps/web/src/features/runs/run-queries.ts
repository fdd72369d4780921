/** Lists of runs and what belongs to them, named so that a change of a run makes them stale. */
import { useQuery } from "@tanstack/react-query";
import { useServices } from "../../app-context.tsx";
import { useTeam } from "../../queries.ts";

/** Runs of the chosen team. */
export function useTeamRuns() {
  const { api } = useServices();
  const runs = useQuery({ queryKey: ["runs"], queryFn: ({ signal }) => api.runs.list({}, signal) });
  const team = useTeam();
  return { ...runs, list: runs.data?.runs.filter((run) => team === undefined || run.teamId === team.id) };
}

/** Gates of all teams: whoever has to decide wants to know, whichever team is chosen. */
export function useApprovals() {
  const { api } = useServices();
  return useQuery({ queryKey: ["approvals"], queryFn: ({ signal }) => api.runs.approvals(signal) });
}

export function useTemplates() {
  const { api } = useServices();
  return useQuery({
    queryKey: ["templates"],
    queryFn: ({ signal }) => api.runs.templates(signal),
    staleTime: 60_000,
  });
}

export function usePersonas() {
  const { api } = useServices();
  return useQuery({ queryKey: ["personas"], queryFn: ({ signal }) => api.runs.personas(signal), staleTime: 60_000 });
}

export function useSessions(all: boolean) {
  const { api } = useServices();
  return useQuery({ queryKey: ["sessions", all], queryFn: ({ signal }) => api.runs.sessions(all, signal) });
}
