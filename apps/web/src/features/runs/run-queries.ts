/** Queries about runs. A change of a run marks them stale by the first part of their key. */
import { useQuery } from "@tanstack/react-query";
import { useServices } from "../../app-context.tsx";
import { useTeam } from "../../queries.ts";

/** Runs of the selected team. */
export function useTeamRuns() {
  const { api } = useServices();
  const runs = useQuery({ queryKey: ["runs"], queryFn: ({ signal }) => api.runs.list({}, signal) });
  const team = useTeam();
  return { ...runs, list: runs.data?.runs.filter((run) => team === undefined || run.teamId === team.id) };
}

/** Open gates of all teams, whichever team is selected. */
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
