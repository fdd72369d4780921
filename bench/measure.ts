/**
 * Measures contenders in turns, so that other load on the machine affects all of them alike.
 *
 * - `measure(benchmark, context)` the summary of each contender and the outcome of each goal.
 */
import type { Benchmark, BenchmarkContext } from "./benchmark.ts";
import { type Summary, summarize } from "./summary.ts";

export interface Measured {
  readonly benchmark: Benchmark;
  readonly rows: readonly { readonly name: string; readonly summary: Summary }[];
  readonly goals: readonly { readonly text: string; readonly figure: string; readonly met: boolean }[];
}

export async function measure(benchmark: Benchmark, context: BenchmarkContext): Promise<Measured> {
  const prepared = await benchmark.prepare(context);
  const samples = new Map<string, number[]>(prepared.contenders.map(({ name }) => [name, []]));
  try {
    for (let round = 0; round < benchmark.warmUp + benchmark.rounds; round++) {
      // Each round begins with another contender, because one that follows a heavy one would always be slower.
      for (let turn = 0; turn < prepared.contenders.length; turn++) {
        const contender = prepared.contenders[(round + turn) % prepared.contenders.length];
        const taken = (await contender?.sample()) ?? [];
        if (round >= benchmark.warmUp) samples.get(contender?.name ?? "")?.push(...taken);
      }
    }
  } finally {
    await prepared.finish?.();
  }
  const rows = [...samples].map(([name, taken]) => ({ name, summary: summarize(taken) }));
  const of = (name: string): Summary => {
    const found = rows.find((row) => row.name === name);
    if (!found) throw new Error(`benchmark ${benchmark.name} has no contender "${name}"`);
    return found.summary;
  };
  return { benchmark, rows, goals: benchmark.goals.map(({ text, judge }) => ({ text, ...judge(of) })) };
}
