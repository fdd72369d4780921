/** Queries about evals. Results are pushed by commands, not through this page, so lists are fetched again every few seconds. */
import type { EvalLabelInput } from "@devflow/protocol";
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useServices } from "../../app-context.tsx";
import type { MatrixSearch } from "../../model/evals/eval-api.ts";
import type { CompareSearch, EvalFilter, Place, ResultsSearch } from "../../model/evals/eval-search.ts";

const refetchMs = 10_000;

export function useSuites() {
  const { evals } = useServices().api;
  return useQuery({
    queryKey: ["evals", "suites"],
    queryFn: ({ signal }) => evals.suites(signal),
    refetchInterval: refetchMs,
  });
}

export function useEvalRuns(filter: EvalFilter) {
  const { evals } = useServices().api;
  return useInfiniteQuery({
    queryKey: ["evals", "runs", filter],
    queryFn: ({ pageParam, signal }) => evals.runs(filter, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    refetchInterval: refetchMs,
    placeholderData: keepPreviousData,
  });
}

export function useEvalRun(ref: string) {
  const { evals } = useServices().api;
  return useQuery({ queryKey: ["evals", "run", ref], queryFn: ({ signal }) => evals.run(ref, signal) });
}

export function useResults(ref: string, search: ResultsSearch) {
  const { evals } = useServices().api;
  return useQuery({
    queryKey: ["evals", "results", ref, search],
    queryFn: ({ signal }) => evals.results(ref, search, signal),
    placeholderData: keepPreviousData,
  });
}

export function useCase(suite: string, key: string, tier: string | undefined) {
  const { evals } = useServices().api;
  return useQuery({
    queryKey: ["evals", "case", suite, key, tier],
    queryFn: ({ signal }) => evals.case(suite, key, tier, signal),
  });
}

export function useOutputs(a: Place | undefined, b: Place | undefined) {
  const { evals } = useServices().api;
  return useQuery({
    queryKey: ["evals", "outputs", a, b],
    queryFn: ({ signal }) => evals.outputs(a as Place, b as Place, signal),
    enabled: a !== undefined && b !== undefined,
    placeholderData: keepPreviousData,
  });
}

export function useComparison(search: CompareSearch) {
  const { evals } = useServices().api;
  return useQuery({
    queryKey: ["evals", "compare", search],
    queryFn: ({ signal }) => evals.compare(search, signal),
  });
}

export function useMatrix(ref: string, search: MatrixSearch, isWanted: boolean) {
  const { evals } = useServices().api;
  return useQuery({
    queryKey: ["evals", "matrix", ref, search],
    queryFn: ({ signal }) => evals.matrix(ref, search, signal),
    enabled: isWanted,
    placeholderData: keepPreviousData,
  });
}

export function useLabels(place: Place) {
  const { evals } = useServices().api;
  return useQuery({ queryKey: ["evals", "labels", place], queryFn: ({ signal }) => evals.labels(place, signal) });
}

export function useAddLabel(place: Place) {
  const { evals } = useServices().api;
  const client = useQueryClient();
  return useMutation({
    mutationFn: (label: EvalLabelInput) => evals.addLabel(place, label),
    onSuccess: (labels) => client.setQueryData(["evals", "labels", place], labels),
  });
}

export function useTrend(suite: string | undefined, tier: string | undefined, variant: string | undefined) {
  const { evals } = useServices().api;
  return useQuery({
    queryKey: ["evals", "trend", suite, tier, variant],
    queryFn: ({ signal }) => evals.trend(suite ?? "", tier ?? "", variant, signal),
    enabled: suite !== undefined && tier !== undefined,
  });
}

export function useFlaky(filter: EvalFilter, isWanted = true) {
  const { evals } = useServices().api;
  return useQuery({
    queryKey: ["evals", "flaky", filter],
    queryFn: ({ signal }) => evals.flaky(filter, signal),
    enabled: isWanted,
  });
}

export function useCosts(filter: EvalFilter & { since?: string | undefined }) {
  const { evals } = useServices().api;
  return useQuery({
    queryKey: ["evals", "cost", filter],
    queryFn: ({ signal }) => evals.cost(filter, signal),
    placeholderData: keepPreviousData,
  });
}

export function useJudges(filter: EvalFilter) {
  const { evals } = useServices().api;
  return useQuery({
    queryKey: ["evals", "judges", filter],
    queryFn: ({ signal }) => evals.judges(filter, signal),
    placeholderData: keepPreviousData,
  });
}

export function useWatched() {
  const { evals } = useServices().api;
  return useQuery({
    queryKey: ["evals", "watched"],
    queryFn: ({ signal }) => evals.watched(signal),
    refetchInterval: 2_000,
  });
}
