/**
 * The importer interface and the parts shared by all importers.
 *
 * - `Importer`: one record per format; `docs/eval-formats.md` is generated from these records.
 * - `runOf`, `resultOf` fill in what a tool leaves out; `Tally`, `Repeats`, `Losses` count while reading; `again` makes results that can be read twice.
 */
import { autoLabel, commitFor, deriveRunId } from "../results/identity.ts";
import type { ImportLimits } from "../results/limits.ts";
import type { RunDefaults } from "../results/read-results.ts";
import {
  blankResult,
  type EvalResult,
  type EvalRun,
  type EvalTier,
  type EvalTotals,
  type ImportedRun,
  type ResultStatus,
} from "../results/result.ts";
import type { Source } from "../results/source.ts";
import { previewOf, shaOf } from "./fields.ts";
import type { Head } from "./head.ts";

export interface ImportOptions {
  /** The format, if it should not be detected. */
  readonly format?: string;
  /** The file name to use for standard input. */
  readonly name?: string;
  /** These override the file. */
  readonly suite?: string;
  readonly label?: string;
  readonly tier?: EvalTier;
  readonly gitSha?: string;
  readonly gitBranch?: string;
  /** Used for what the file leaves out. */
  readonly defaults?: Partial<RunDefaults>;
  /** Report unreadable records in `warnings` instead of refusing the file. */
  readonly lenient?: boolean;
  /** The lowest passing score, for tools that write no verdict. */
  readonly passAt?: number;
  /** CSV: the titles of the columns. */
  readonly columns?: Readonly<Record<string, string>>;
  readonly limits?: Partial<ImportLimits>;
  /** Stops reading a stream. */
  readonly signal?: AbortSignal;
}

export interface Reading {
  readonly source: Source;
  readonly options: ImportOptions;
  readonly limits: ImportLimits;
  readonly lenient: boolean;
  readonly passAt: number;
}

export interface Importer {
  readonly id: string;
  readonly title: string;
  /** How such a file is created. */
  readonly madeBy: string;
  readonly carried: readonly string[];
  readonly lost: readonly string[];
  /** Where the tool's own counts are, and how ours relate to them. */
  readonly counts: string;
  recognises(head: Head): boolean;
  read(reading: Reading): AsyncIterable<ImportedRun>;
}

export const defaultPassAt = 0.5;

type KnownOfRun = Partial<EvalRun> & Pick<EvalRun, "suite" | "source" | "totals">;

export async function runOf(reading: Reading, known: KnownOfRun): Promise<EvalRun> {
  const { options, source } = reading;
  const suite = options.suite ?? known.suite;
  const tier = options.tier ?? known.tier ?? "standard";
  const at = known.at ?? new Date(source.mtimeMs ?? options.defaults?.nowMs ?? Date.now()).toISOString();
  const commit = commitFor(at, options.defaults ?? {});
  const gitBranch = options.gitBranch ?? known.gitBranch ?? commit.gitBranch;
  return {
    at,
    promptSha: null,
    model: null,
    judges: [],
    durationMs: null,
    costs: [],
    extra: {},
    ...known,
    runId: known.runId ?? (await runIdentity(reading)),
    suite,
    label: options.label ?? known.label ?? labelOf(tier, gitBranch, suite, options),
    gitSha: options.gitSha ?? known.gitSha ?? commit.gitSha,
    gitBranch,
    host: known.host ?? options.defaults?.host ?? null,
    tier,
  };
}

/** The id of a run if the tool gave none. */
export async function runIdentity({ source, options }: Reading): Promise<string> {
  const origin = { contentSha: await source.contentSha(), modifiedMs: source.mtimeMs };
  return deriveRunId(origin, options.defaults?.environment ?? {});
}

function labelOf(tier: EvalTier, branch: string | null, suite: string, { defaults = {} }: ImportOptions): string {
  return defaults.label || branch ? autoLabel({ label: defaults.label, branch, tier }) : suite;
}

export function resultOf(known: Partial<EvalResult> & Pick<EvalResult, "name" | "status">): EvalResult {
  return { ...blankResult, inputSha: shaOf(known.input), responsePreview: previewOf(known.output), ...known };
}

export class Tally {
  private readonly counts: Record<ResultStatus, number> = { pass: 0, fail: 0, error: 0, skipped: 0 };

  add(status: ResultStatus): void {
    this.counts[status] += 1;
  }

  get totals(): EvalTotals {
    const { pass, fail, error, skipped } = this.counts;
    return { total: pass + fail + error + skipped, passed: pass, failed: fail, errors: error, skipped };
  }
}

/** The second result with the same name and input is repeat 1, wherever it is in the file. */
export class Repeats {
  private readonly seen = new Map<string, number>();

  next(name: string, inputSha: string | null): number {
    const key = `${inputSha ?? ""}\n${name}`;
    const repeat = this.seen.get(key) ?? 0;
    this.seen.set(key, repeat + 1);
    return repeat;
  }
}

/** What was not carried over: each kind once, with its count. */
export class Losses {
  private readonly noted = new Map<string, number>();

  note(what: string, times = 1): void {
    if (times > 0) this.noted.set(what, (this.noted.get(what) ?? 0) + times);
  }

  /** Notes the members of a record that are not read. */
  unread(where: string, record: object, known: ReadonlySet<string>): void {
    for (const name of Object.keys(record)) if (!known.has(name)) this.note(`${where}.${name}`);
  }

  get sentences(): string[] {
    const shown = [...this.noted]
      .slice(0, 50)
      .map(([what, times]) => (times === 1 ? what : `${what} (${times} times)`));
    return this.noted.size > 50 ? [...shown, `and ${this.noted.size - 50} more kinds`] : shown;
  }
}

/** Results that are read from the start on each iteration. */
export function again<T>(make: () => AsyncGenerator<T> | Generator<T>): AsyncIterable<T> {
  return {
    async *[Symbol.asyncIterator]() {
      yield* make();
    },
  };
}

export function notNumbersWarning(count: number): string[] {
  return count === 0 ? [] : [`${count} value(s) were NaN or infinite and are read as missing`];
}

export function fileTitle(source: Source): string {
  return source.name.replace(/\.(?:jsonl?|ndjson|xml|csv|tsv|eval|db|sqlite)$/i, "") || source.name;
}
