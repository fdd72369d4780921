/**
 * Reads the eval result format from a file, a pipe or memory, in bounded memory.
 *
 * - `readResults(given, options)` the run and its results one by one. Strict: after the last result, an error lists all
 *   problems, and nothing must be stored. Lenient: what can be read is yielded, the rest is in `rejected`.
 */
import { DevflowError } from "@devflow/core/errors";
import { type Fault, faultsOf } from "./faults.ts";
import { type FileRun, runHeaderSchema } from "./format.ts";
import { autoLabel, type CommitFacts, commitFor, deriveRunId, suiteOfPath } from "./identity.ts";
import { JsonBroken } from "./json-splitter.ts";
import { toRun } from "./normalise.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { type RawRecord, recordsOf } from "./records.ts";
import type { EvalResult, EvalRun, ImportedRun } from "./result.ts";
import { ResultReader } from "./result-reader.ts";
import { type ImportInput, openSource, type Source } from "./source.ts";

/** Used for what the file leaves out. */
export interface RunDefaults extends CommitFacts {
  readonly suite?: string | undefined;
  readonly label?: string | undefined;
  readonly host?: string | null;
  /** The CI variables, for the run's identity. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly nowMs: number;
}

export interface ReadOptions {
  readonly lenient?: boolean;
  /** The file name to use for standard input. */
  readonly name?: string;
  readonly defaults: RunDefaults;
}

export interface ReadRun extends ImportedRun {
  readonly run: EvalRun;
  readonly results: AsyncIterable<EvalResult>;
  readonly contentSha: string;
  /** True if the id is from the file, false if it was derived. */
  readonly isRunIdGiven: boolean;
  /** Lenient only: what was left out, by path. Grows while `results` is read. */
  readonly rejected: readonly Fault[];
  /** Removes the temporary copy of a stream. */
  close(): Promise<void>;
}

/** More errors than this are counted, not listed. */
const listedFaults = 50;

export async function readResults(input: ImportInput, options: ReadOptions): Promise<ReadRun> {
  const source = await openSource(input, options.name);
  try {
    return await readSource(source, options);
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** Reads from an open source, which is closed after the last result; closing it twice is harmless. */
export async function readSource(source: Source, options: ReadOptions): Promise<ReadRun> {
  try {
    return await readOutlined(source, options);
  } catch (error) {
    if (error instanceof JsonBroken) throw brokenFile(source, error);
    throw error;
  }
}

async function readOutlined(source: Source, options: ReadOptions): Promise<ReadRun> {
  const outline = await outlineOf(source);
  const isLenient = options.lenient ?? false;
  if (outline.broken && (!isLenient || !hasResults(outline))) throw outline.broken;
  const warnings = [...outline.warnings];
  const rejected: Fault[] = [];
  const reader = new ResultReader({ isLenient, rejected, warnings, listedFaults });
  const records = recordsOf(source, outline);
  // In JSONL the run is the first line, which must be read first.
  const ahead = outline.shape === "lines" ? await firstRecord(records) : null;
  const members = ahead && isHeader(ahead.value) ? ahead.value : outline.members;
  const header = checkHeader(members, outline, reader, ahead && isHeader(ahead.value) ? "line 1: " : "");
  if (reader.faultCount > 0 && !isLenient) throw reader.failure(source.name);
  const contentSha = await source.contentSha();
  const run = toRun(header, identityOf(header, source, contentSha, options.defaults));
  const results = resultsOf(source, reader, records, ahead && !isHeader(ahead.value) ? ahead : null, isLenient);
  const isRunIdGiven = typeof header.run_id === "string";
  const partial = () => (reader.isTruncated || outline.broken?.kind === "truncated" ? "the file ends early" : null);
  const close = () => source.close();
  return { run, results, losses: [], warnings, rejected, contentSha, isRunIdGiven, partial, close };
}

const hasResults = (outline: Outline): boolean => outline.shape !== "object" || outline.resultsMember !== null;

async function* resultsOf(
  source: Source,
  reader: ResultReader,
  records: AsyncIterator<RawRecord>,
  ahead: RawRecord | null,
  isLenient: boolean,
): AsyncIterable<EvalResult> {
  try {
    for (let record = ahead; ; record = null) {
      if (record === null) {
        const next = await records.next();
        if (next.done) break;
        record = next.value;
      }
      const result = reader.read(record);
      if (result) yield result;
    }
  } catch (error) {
    if (!(error instanceof JsonBroken)) throw error;
    if (!isLenient) throw brokenFile(source, error);
    reader.isTruncated ||= error.kind === "truncated";
    reader.reject({ path: error.path, problem: error.message, member: null });
  } finally {
    await source.close();
  }
  if (!isLenient && reader.faultCount > 0) throw reader.failure(source.name);
}

async function firstRecord(records: AsyncIterator<RawRecord>): Promise<RawRecord | null> {
  const first = await records.next();
  return first.done ? null : first.value;
}

/** Whether the first line is about the run: it has no name, but a member of a run. */
function isHeader(value: unknown): value is Record<string, unknown> {
  if (value === null || typeof value !== "object" || Array.isArray(value) || Object.hasOwn(value, "name")) return false;
  return ["schema_version", "suite", "label", "run_id", "tier"].some((member) => Object.hasOwn(value, member));
}

function checkHeader(
  members: Readonly<Record<string, unknown>>,
  outline: Outline,
  reader: ResultReader,
  path: string,
): FileRun {
  const faults = [...outline.faults, ...faultsOf(runHeaderSchema, members, path)];
  for (const fault of faults) reader.reject(fault);
  const bad = new Set(faults.map(({ member }) => member));
  return Object.fromEntries(Object.entries(members).filter(([member]) => !bad.has(member))) as FileRun;
}

function identityOf(header: FileRun, source: Source, contentSha: string, defaults: RunDefaults) {
  const origin = { contentSha, modifiedMs: source.mtimeMs };
  const at = new Date(header.timestamp ?? source.mtimeMs ?? defaults.nowMs).toISOString();
  const commit = commitFor(at, defaults);
  const gitBranch = header.git_branch ?? commit.gitBranch;
  const tier = header.tier ?? "standard";
  return {
    runId: header.run_id ?? deriveRunId(origin, defaults.environment ?? {}),
    suite: header.suite ?? defaults.suite ?? suiteOfPath(source.givenName),
    label: header.label ?? autoLabel({ label: defaults.label, branch: gitBranch, tier }),
    at,
    gitSha: header.git_sha ?? commit.gitSha,
    gitBranch,
    host: header.host ?? header.hostname ?? defaults.host ?? null,
  };
}

function brokenFile(source: Source, error: JsonBroken): DevflowError {
  const next =
    error.kind === "truncated"
      ? `Create it again, or store the complete results: devflow eval push --lenient ${source.givenName ?? "-"}`
      : "See the format: docs/eval-result-format.md";
  const at = error.offset > 0 ? ` (byte ${error.offset})` : "";
  const problem = `${source.name} cannot be read: ${error.message}${at}.`;
  return new DevflowError("input_invalid", { details: { problem, next, path: error.path }, cause: error });
}
