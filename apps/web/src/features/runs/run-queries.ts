/** Queries about runs. A change of a run marks them stale by the first part of their key. */
import type { ApprovalList } from "@devflow/protocol";
import { useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import { useIsTeamServer, useServices } from "../../app-context.tsx";
import { useTeam } from "../../queries.ts";

/** Runs of the selected team. */
export function useTeamRuns() {
  const { api } = useServices();
  const runs = useQuery({ queryKey: ["runs"], queryFn: ({ signal }) => api.runs.list({}, signal) });
  const team = useTeam();
  return { ...runs, list: runs.data?.runs.filter((run) => team === undefined || run.teamId === team.id) };
}

/** What the home page shows of the selected team's runs. */
export function useRunsAtHome() {
  const { api } = useServices();
  const team = useTeam()?.id;
  const limit = 8;
  return {
    counts: useQuery({ queryKey: ["runs", "counts", team], queryFn: ({ signal }) => api.runs.counts(team, signal) }),
    active: useQuery({
      queryKey: ["runs", "active", team],
      queryFn: ({ signal }) => api.runs.newest({ state: "active", team, limit }, signal),
    }),
    ended: useQuery({
      queryKey: ["runs", "ended", team],
      queryFn: ({ signal }) => api.runs.newest({ state: "completed,failed,aborted", team, limit }, signal),
    }),
  };
}

/** Open gates of all teams, whichever team is selected. */
export function useApprovals() {
  const { api } = useServices();
  const enabled = !useIsTeamServer();
  const queryFn = ({ signal }: { signal: AbortSignal }) => api.runs.waiting(signal);
  return useQuery({ queryKey: ["approvals"], queryFn, select: gatesOf, enabled });
}

/** Open permission requests of agents, of all teams. */
export function useOpenPermissions() {
  const { api } = useServices();
  const enabled = !useIsTeamServer();
  const queryFn = ({ signal }: { signal: AbortSignal }) => api.runs.waiting(signal);
  return useQuery({ queryKey: ["approvals"], queryFn, select: permissionsOf, enabled });
}

/** How many questions wait for a person. */
export const useWaitingCount = (): number =>
  (useApprovals().data?.length ?? 0) + (useOpenPermissions().data?.length ?? 0);

type Waiting = z.infer<typeof ApprovalList>;
const gatesOf = ({ approvals }: Waiting) => approvals;
const permissionsOf = ({ permissions }: Waiting) => permissions;

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

/** Beats come every ten seconds and are no events. */
export function useFleet() {
  const { api } = useServices();
  return useQuery({ queryKey: ["fleet"], queryFn: ({ signal }) => api.runs.fleet(signal), refetchInterval: 10_000 });
}

export function useSessions(all: boolean) {
  const { api } = useServices();
  return useQuery({ queryKey: ["sessions", all], queryFn: ({ signal }) => api.runs.sessions(all, signal) });
}
