/** Requests about evals. Every response is parsed by its schema. */
import {
  EvalCaseDetail,
  EvalComparison,
  EvalCosts,
  type EvalExport,
  EvalFlaky,
  EvalJudges,
  type EvalLabelInput,
  EvalLabels,
  EvalMatrix,
  EvalOutputs,
  EvalResultPage,
  EvalRunDetail,
  EvalRunList,
  EvalSuiteList,
  EvalTrend,
  EvalWatchList,
} from "@devflow/protocol";
import type { z } from "zod";
import type { CompareSearch, EvalFilter, Place, ResultsSearch } from "./eval-search.ts";

export interface EvalTransport {
  get<T>(path: string, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T>;
  post<T>(path: string, body: unknown, schema: z.ZodType<T>): Promise<T>;
  text(path: string, signal?: AbortSignal): Promise<string>;
}

export interface MatrixSearch {
  readonly page: number;
  readonly differing: boolean;
}

export const resultPageSize = 50;

export function createEvalApi({ get, post, text: readText }: EvalTransport) {
  const at = (ref: string) => `/api/evals/runs/${encodeURIComponent(ref)}`;
  return {
    suites: (signal?: AbortSignal) => get("/api/evals/suites", EvalSuiteList, signal),
    runs: (filter: EvalFilter, after: string | undefined, signal?: AbortSignal) => {
      const { suite, tier, branch, label, failed, sha } = filter;
      const query = queryOf({ suite, tier, branch, label, failed: failed ? "1" : undefined, sha, after, limit: 50 });
      return get(`/api/evals/runs${query}`, EvalRunList, signal);
    },
    run: (ref: string, signal?: AbortSignal) => get(at(ref), EvalRunDetail, signal),
    results: (ref: string, search: ResultsSearch, signal?: AbortSignal) => {
      const { status, category, q, text, metadata, criterion, below, sort, page } = search;
      const descending = sort?.startsWith("-") ? "1" : undefined;
      const query = queryOf({
        ...{ status, category, name: q, text, metadata, criterion, below, descending, page, pageSize: resultPageSize },
        sort: sort?.replace(/^-/, ""),
      });
      return get(`${at(ref)}/results${query}`, EvalResultPage, signal);
    },
    matrix: (ref: string, { page, differing }: MatrixSearch, signal?: AbortSignal) =>
      get(`${at(ref)}/matrix${queryOf({ page, differing: differing ? "1" : undefined })}`, EvalMatrix, signal),
    exported: (ref: string, as: EvalExport) => readText(`${at(ref)}/export${queryOf({ as })}`),
    labels: ({ run, ordinal }: Place, signal?: AbortSignal) =>
      get(`${at(run)}/results/${ordinal}/labels`, EvalLabels, signal),
    addLabel: ({ run, ordinal }: Place, label: EvalLabelInput) =>
      post(`${at(run)}/results/${ordinal}/label`, label, EvalLabels),
    case: (suite: string, key: string, tier: string | undefined, signal?: AbortSignal) =>
      get(`/api/evals/cases/${encodeURIComponent(key)}${queryOf({ suite, tier })}`, EvalCaseDetail, signal),
    outputs: (a: Place, b: Place, signal?: AbortSignal) => {
      const query = queryOf({ a: a.run, aOrdinal: a.ordinal, b: b.run, bOrdinal: b.ordinal });
      return get(`/api/evals/outputs${query}`, EvalOutputs, signal);
    },
    compare: ({ suite, tier, a, b, mixJudges }: CompareSearch, signal?: AbortSignal) =>
      get(
        `/api/evals/compare${queryOf({ suite, tier, a, b, mixJudges: mixJudges ? "1" : undefined })}`,
        EvalComparison,
        signal,
      ),
    trend: (suite: string, tier: string, variant: string | undefined, signal?: AbortSignal) =>
      get(`/api/evals/trend${queryOf({ suite, tier, variant })}`, EvalTrend, signal),
    flaky: ({ suite, tier }: EvalFilter, signal?: AbortSignal) =>
      get(`/api/evals/flaky${queryOf({ suite, tier })}`, EvalFlaky, signal),
    cost: ({ suite, tier, since }: EvalFilter & { since?: string | undefined }, signal?: AbortSignal) =>
      get(`/api/evals/cost${queryOf({ suite, tier, since })}`, EvalCosts, signal),
    judges: ({ suite, tier }: EvalFilter, signal?: AbortSignal) =>
      get(`/api/evals/judges${queryOf({ suite, tier })}`, EvalJudges, signal),
    watched: (signal?: AbortSignal) => get("/api/evals/watch", EvalWatchList, signal),
  };
}

function queryOf(values: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value));
  const text = query.toString();
  return text && `?${text}`;
}
