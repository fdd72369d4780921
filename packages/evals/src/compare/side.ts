/**
 * One side of a comparison: its results by case, in columns. Two hundred thousand results as objects would take a gigabyte; as
 * columns they take a few megabytes.
 *
 * - `gatherSides(a, b)` both sides, with cases numbered alike; a case is identified by name and input. If one run has two
 *   results for the same case and repeat, the last finished counts and the other is superseded.
 * - `Side` the columns; `SideCase` one case of a side: `rows()` are its places in the columns.
 * - `inputIdentity(result)` the hash of the input; null if the tool gave none.
 */
import { hash, hashBytes } from "@devflow/core/hash";
import { type EvalResult, type EvalRun, resultStatuses } from "../results/result.ts";
import { type ResultCost, usdOf } from "../store/index.ts";
import { CaseNames } from "./case-names.ts";

/** What a comparison reads of a result: a complete result or a stored row. */
export type ComparedResult = Pick<
  EvalResult,
  | "name"
  | "category"
  | "status"
  | "repeat"
  | "inputSha"
  | "expectationsSha"
  | "scores"
  | "durationMs"
  | "turns"
  | "cached"
> &
  Partial<Pick<EvalResult, "input" | "output" | "usage" | "extra">> & {
    readonly cost?: ResultCost | null;
    readonly tools?: number | null;
  };

export interface ComparedRun<R extends ComparedResult = ComparedResult> {
  readonly run: EvalRun;
  /** May be read several times. */
  readonly results: Iterable<R> & { readonly length: number };
  /** What the whole run cost, for tools that do not record it per result. */
  readonly cost?: { readonly actualUsd: number; readonly estimatedUsd: number; readonly unpricedCalls: number };
  /** The complete results at these places; without it, `results` is an array that holds them. */
  readonly read?: (ordinals: readonly number[]) => readonly EvalResult[];
}

export const status = { pass: 0, fail: 1, error: 2, skipped: 3 } as const satisfies Record<
  EvalResult["status"],
  number
>;

/** The scores of one criterion. Most results have it, or only a few: a file may name a new criterion in every result. */
export class ScoreColumn {
  readonly #size: number;
  #few: Map<number, number> | null = new Map();
  #all = new Float64Array();
  count = 0;

  constructor(size: number) {
    this.#size = size;
  }

  set(row: number, score: number): void {
    this.count++;
    this.#few?.set(row, score);
    if (!this.#few) this.#all[row] = score;
    else if (this.#few.size > this.#size / 16) {
      this.#all = new Float64Array(this.#size).fill(Number.NaN);
      for (const [at, value] of this.#few) this.#all[at] = value;
      this.#few = null;
    }
  }

  /** NaN if the result has no such score. */
  at(row: number): number {
    return this.#few ? (this.#few.get(row) ?? Number.NaN) : this.#all[row]!;
  }
}

/** Missing numbers are NaN. */
export class Side {
  readonly runs: readonly ComparedRun[];
  readonly cases: CaseNames;
  readonly status: Uint8Array;
  readonly cached: Uint8Array;
  readonly run: Uint32Array;
  readonly ordinal: Uint32Array;
  readonly durationMs: Float64Array;
  readonly turns: Float64Array;
  readonly tools: Float64Array;
  readonly usd: Float64Array;
  readonly scores = new Map<string, ScoreColumn>();
  superseded = 0;
  readonly #repeat: Uint32Array;
  readonly #case: Uint32Array;
  readonly #finishedMs = new Map<number, number>();
  readonly #category: Uint32Array;
  readonly #categories: string[] = [];
  readonly #categoryNumbers = new Map<string, number>();
  readonly #expectations: (string | null)[] = [];
  #order = new Uint32Array();
  #starts = new Uint32Array();

  constructor(runs: readonly ComparedRun[], cases: CaseNames) {
    const size = runs.reduce((sum, { results }) => sum + results.length, 0);
    this.runs = runs;
    this.cases = cases;
    [this.status, this.cached] = [new Uint8Array(size), new Uint8Array(size)];
    [this.run, this.ordinal] = [new Uint32Array(size), new Uint32Array(size)];
    [this.#repeat, this.#case, this.#category] = [new Uint32Array(size), new Uint32Array(size), new Uint32Array(size)];
    [this.durationMs, this.turns] = [new Float64Array(size), new Float64Array(size)];
    [this.tools, this.usd] = [new Float64Array(size), new Float64Array(size)];
    let row = 0;
    runs.forEach(({ results }, run) => {
      let ordinal = 0;
      for (const result of results) this.#add(row++, run, ordinal++, result);
    });
  }

  /** After both sides were read, because the cases are numbered together. */
  group(): void {
    const count = this.cases.size;
    const starts = new Uint32Array(count + 1);
    for (const no of this.#case) starts[no + 1]! += 1;
    for (let no = 0; no < count; no++) starts[no + 1]! += starts[no]!;
    const next = starts.slice();
    const order = new Uint32Array(this.#case.length);
    this.#case.forEach((no, row) => {
      order[next[no]!++] = row;
    });
    [this.#order, this.#starts] = [order, starts];
    this.#dropSuperseded();
  }

  has(no: number): boolean {
    return this.#starts[no + 1]! > this.#starts[no]!;
  }

  rows(no: number): Uint32Array {
    return this.#order.subarray(this.#starts[no]!, this.#starts[no + 1]!);
  }

  /** The rows of a case without a new object: `rowAt(from)` up to before `rowAt(to)`. */
  from(no: number): number {
    return this.#starts[no]!;
  }

  to(no: number): number {
    return this.#starts[no + 1]!;
  }

  rowAt(place: number): number {
    return this.#order[place]!;
  }

  category(no: number): string | null {
    const [first] = this.rows(no);
    return first === undefined ? null : (this.#categories[this.#category[first]! - 1] ?? null);
  }

  /** The hash of the case's expectations, read from its complete result. */
  expectation(no: number): string | null {
    const row = this.rows(no)[0]!;
    if (this.#expectations[no] === undefined)
      this.#expectations[no] = this.read([row]).get(row)?.expectationsSha ?? null;
    return this.#expectations[no] ?? null;
  }

  /** The complete results at these rows; one read per run. */
  read(rows: readonly number[]): Map<number, EvalResult> {
    const found = new Map<number, EvalResult>();
    for (const [run, own] of Map.groupBy(rows, (row) => this.run[row]!)) {
      const { read, results } = this.runs[run]!;
      const ordinals = own.map((row) => this.ordinal[row]!);
      const whole = read ? read(ordinals) : ordinals.map((ordinal) => (results as readonly EvalResult[])[ordinal]!);
      own.forEach((row, at) => {
        const result = whole[at];
        if (result) found.set(row, result);
      });
    }
    return found;
  }

  #add(row: number, run: number, ordinal: number, result: ComparedResult): void {
    const inputSha = inputIdentity(result);
    const no = this.cases.numberOf(result.name, inputSha);
    this.#case[row] = no;
    this.#repeat[row] = result.repeat;
    this.run[row] = run;
    this.ordinal[row] = ordinal;
    this.status[row] = resultStatuses.indexOf(result.status);
    this.cached[row] = result.cached ? 1 : 0;
    this.durationMs[row] = result.durationMs ?? Number.NaN;
    this.turns[row] = result.turns ?? Number.NaN;
    this.tools[row] = toolCalls(result) ?? Number.NaN;
    this.usd[row] = costOf(result) ?? Number.NaN;
    for (const criterion in result.scores) {
      if (Object.hasOwn(result.scores, criterion)) this.#column(criterion).set(row, result.scores[criterion]!);
    }
    if (result.category !== null) this.#category[row] = this.#categoryNumber(result.category);
    const finishedAt = result.extra?.finished_at;
    if (typeof finishedAt === "string") this.#finishedMs.set(row, Date.parse(finishedAt));
  }

  /** From 1; 0 is no category. */
  #categoryNumber(category: string): number {
    const known = this.#categoryNumbers.get(category) ?? this.#categories.push(category);
    this.#categoryNumbers.set(category, known);
    return known;
  }

  #column(criterion: string): ScoreColumn {
    let column = this.scores.get(criterion);
    if (!column) {
      column = new ScoreColumn(this.status.length);
      this.scores.set(criterion, column);
    }
    return column;
  }

  /** By `finished_at`, if the workers recorded it; otherwise by the order in the file. */
  #dropSuperseded(): void {
    const kept = new Uint32Array(this.#order.length);
    const starts = new Uint32Array(this.#starts.length);
    let size = 0;
    for (let no = 0; no + 1 < this.#starts.length; no++) {
      starts[no] = size;
      if (this.to(no) - this.from(no) === 1) kept[size++] = this.rowAt(this.from(no));
      else if (this.to(no) > this.from(no)) {
        const rows = this.rows(no);
        const last = new Map<number, number>();
        for (const row of rows) {
          const place = this.run[row]! * 2 ** 32 + this.#repeat[row]!;
          const earlier = last.get(place);
          if (earlier !== undefined) this.superseded++;
          if (earlier === undefined || !this.#isFinishedBefore(row, earlier)) last.set(place, row);
        }
        for (const row of last.values()) kept[size++] = row;
      }
    }
    starts[starts.length - 1] = size;
    [this.#order, this.#starts] = [kept.subarray(0, size), starts];
  }

  #isFinishedBefore(row: number, other: number): boolean {
    const [one, two] = [this.#finishedMs.get(row), this.#finishedMs.get(other)];
    return one !== undefined && two !== undefined && one < two;
  }
}

/** One case of a side. */
export class SideCase {
  readonly side: Side;
  readonly no: number;

  constructor(side: Side, no: number) {
    this.side = side;
    this.no = no;
  }

  get name(): string {
    return this.side.cases.name(this.no);
  }

  get inputSha(): string | null {
    return this.side.cases.inputSha(this.no);
  }

  rows(): Uint32Array {
    return this.side.rows(this.no);
  }
}

export function gatherSides(
  a: readonly ComparedRun[],
  b: readonly ComparedRun[],
): { readonly a: Side; readonly b: Side } {
  const cases = new CaseNames();
  const sides = { a: new Side(a, cases), b: new Side(b, cases) };
  sides.a.group();
  sides.b.group();
  return sides;
}

export function inputIdentity({ inputSha, input }: Pick<ComparedResult, "inputSha" | "input">): string | null {
  if (inputSha !== null || input === null || input === undefined) return inputSha;
  try {
    return hash(input);
  } catch {
    // No canonical form (a lone surrogate): JSON.stringify still distinguishes the inputs.
    return hashBytes(JSON.stringify(input) ?? "");
  }
}

/** Unknown if any call has no price: a partial cost would look like a saving. */
function costOf({ cost, usage = [] }: ComparedResult): number | null {
  if (cost !== undefined) return usdOf(cost);
  if (usage.length === 0 || usage.some(({ costUsd }) => costUsd === null)) return null;
  return usage.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
}

function toolCalls({ tools, output }: ComparedResult): number | null {
  if (tools !== undefined) return tools;
  if (typeof output !== "object" || output === null || !("tool_calls" in output)) return null;
  return Array.isArray(output.tool_calls) ? output.tool_calls.length : null;
}
