/**
 * Queries about a team's numbers. They are read again when a record arrives, and every half minute: the cost of runs changes without a
 * record.
 */
import type { RpcAnswer, RpcArguments, RpcName } from "@devflow/protocol";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useServices } from "../../app-context.tsx";
import type { RecordsSearch } from "../../model/team/metric-search.ts";
import { keptOf, useTeam } from "../../queries.ts";

type MetricName = Extract<
  RpcName,
  | "team_overview"
  | "eval_trend"
  | "eval_struggles"
  | "velocity"
  | "costs"
  | "qa_health"
  | "review_signal"
  | "agent_usage"
  | "leaderboard"
>;

const refetchMs = 30_000;

/** Of the selected team, and of the repository in the address if there is one. */
export function useMetric<Name extends MetricName>(name: Name, args: Omit<RpcArguments<Name>, "team_id" | "repo">) {
  const { api } = useServices();
  const team = useTeam();
  const { repo } = useSearch({ from: "__root__" });
  return useQuery({
    queryKey: ["metrics", name, team?.id, repo, args],
    queryFn: ({ signal }): Promise<RpcAnswer<Name>> =>
      api.rpc(name, withoutMissing({ team_id: team?.id, repo, ...args }) as RpcArguments<Name>, signal),
    enabled: team !== undefined,
    placeholderData: keptOf(team),
    refetchInterval: refetchMs,
  });
}

const pageSize = 50;

export function useRecords(search: RecordsSearch) {
  const { api } = useServices();
  const team = useTeam();
  const { repo } = useSearch({ from: "__root__" });
  const { kind, by, case: caseName, ...rest } = search;
  return useInfiniteQuery({
    queryKey: ["metrics", "records", team?.id, repo, search],
    queryFn: ({ pageParam, signal }) =>
      api.rpc(
        "activity",
        withoutMissing({
          team_id: team?.id,
          repo,
          ...rest,
          kinds: kind === undefined ? undefined : [kind],
          user_id: by,
          case_name: caseName,
          before_at: pageParam?.at,
          before_id: pageParam?.id,
          max_rows: pageSize,
        }) as RpcArguments<"activity">,
        signal,
      ),
    initialPageParam: undefined as { at: string; id: string } | undefined,
    getNextPageParam: (last) => (last.length < pageSize ? undefined : last.at(-1)),
    enabled: team !== undefined,
    placeholderData: keptOf(team),
  });
}

export function useRecord(id: string) {
  const { api } = useServices();
  const team = useTeam();
  return useQuery({
    queryKey: ["metrics", "record", team?.id, id],
    queryFn: ({ signal }) => api.rpc("record", { team_id: team!.id, id }, signal),
    enabled: team !== undefined,
  });
}

/** A missing argument keeps the default of the function; null would be a value. */
function withoutMissing(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}
