/**
 * A benchmark is one record in its own file, `bench/<name>.bench.ts`: what is measured, the contenders, and the goals.
 * Running, tables and docs/benchmarks.md are derived from it.
 *
 * - `defineBenchmark(record)`.
 */
import type { Summary } from "./summary.ts";

export interface BenchmarkContext {
  readonly root: string;
  /** `.cache/bench`: peers and executables, fetched or built on demand. */
  readonly cache: string;
  say(line: string): void;
}

/** One of the things that are compared; the first is ours. */
export interface Contender {
  readonly name: string;
  /** One round: one or more measurements in the benchmark's unit. */
  sample(): Promise<readonly number[]>;
}

export interface PreparedBenchmark {
  readonly contenders: readonly Contender[];
  finish?(): Promise<void>;
}

export type Summaries = (contender: string) => Summary;

export interface Goal {
  /** The text of the goal, with its number. */
  readonly text: string;
  /** The figure to compare with it, as text, and whether it is met. */
  judge(of: Summaries): { readonly figure: string; readonly met: boolean };
}

export interface Benchmark {
  readonly name: string;
  readonly what: string;
  readonly unit: "ms" | "MB" | "count" | "bytes";
  /** Rounds per contender, interleaved; the first `warmUp` are discarded. */
  readonly rounds: number;
  readonly warmUp: number;
  readonly goals: readonly Goal[];
  prepare(context: BenchmarkContext): Promise<PreparedBenchmark>;
}

export function defineBenchmark(record: Benchmark): Benchmark {
  return record;
}

export function ratioGoal(text: string, ours: string, peer: string, limit: number): Goal {
  return {
    text,
    judge: (of) => {
      const ratio = of(ours).median / of(peer).median;
      return { figure: `${ratio.toFixed(2)}×`, met: ratio <= limit };
    },
  };
}

export function limitGoal(text: string, contender: string, limit: number, unit: string, digits = 0): Goal {
  return {
    text,
    judge: (of) => {
      const { median } = of(contender);
      return { figure: `${median.toFixed(digits)} ${unit}`, met: median <= limit };
    },
  };
}
