/**
 * One side of a comparison: its runs with their results, grouped into cases.
 *
 * - `gatherCases(side)` all results of a side by case; a case is identified by name and input. If one run has two results for
 *   the same case and repeat, the last finished counts and the other is superseded.
 * - `inputIdentity(result)` the hash of the input; null if the tool gave none.
 */
import { hash, hashBytes } from "@devflow/core/hash";
import type { EvalResult, EvalRun } from "../results/result.ts";

export interface ComparedRun {
  readonly run: EvalRun;
  readonly results: readonly EvalResult[];
}

export interface CaseResult {
  readonly run: EvalRun;
  readonly result: EvalResult;
}

export interface SideCase {
  readonly name: string;
  readonly inputSha: string | null;
  readonly results: readonly CaseResult[];
}

export interface GatheredSide {
  readonly cases: ReadonlyMap<string, SideCase>;
  readonly superseded: readonly CaseResult[];
}

export function gatherCases(side: readonly ComparedRun[]): GatheredSide {
  const cases = new Map<string, SideCase & { readonly results: CaseResult[] }>();
  const superseded: CaseResult[] = [];
  for (const { run, results } of side) {
    const seen = new Map<string, number>();
    for (const result of results) {
      const inputSha = inputIdentity(result);
      const key = `${inputSha ?? ""}\u0000${result.name}`;
      let own = cases.get(key);
      if (!own) {
        own = { name: result.name, inputSha, results: [] };
        cases.set(key, own);
      }
      const place = seen.get(`${result.repeat}\u0000${key}`);
      if (place === undefined) {
        seen.set(`${result.repeat}\u0000${key}`, own.results.length);
        own.results.push({ run, result });
      } else {
        const earlier = own.results[place]!;
        const newest = isFinishedBefore(result, earlier.result) ? earlier : { run, result };
        superseded.push(newest === earlier ? { run, result } : earlier);
        own.results[place] = newest;
      }
    }
  }
  return { cases, superseded };
}

export function inputIdentity({ inputSha, input }: EvalResult): string | null {
  if (inputSha !== null || input === null || input === undefined) return inputSha;
  try {
    return hash(input);
  } catch {
    // No canonical form (a lone surrogate): JSON.stringify still distinguishes the inputs.
    return hashBytes(JSON.stringify(input) ?? "");
  }
}

/** By `finished_at`, if the workers recorded it; otherwise by the order in the file. */
function isFinishedBefore(one: EvalResult, other: EvalResult): boolean {
  const [first, second] = [one.extra.finished_at, other.extra.finished_at];
  return typeof first === "string" && typeof second === "string" && Date.parse(first) < Date.parse(second);
}
