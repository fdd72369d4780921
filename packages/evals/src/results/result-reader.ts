/**
 * Converts raw records to results, keeping track of the repeats of each case and the errors of the run.
 *
 * - `read(record)` the result, or null if it was rejected.
 * - `reject(fault)` records an error; `failure(name)` is the exception that lists all of them.
 */
import { DevflowError } from "@devflow/core/errors";
import { describeFaults, type Fault, faultsOf } from "./faults.ts";
import { type FileResult, resultSchema } from "./format.ts";
import { caseKey } from "./identity.ts";
import { statusOf, toResult } from "./normalise.ts";
import type { RawRecord } from "./records.ts";
import type { EvalResult } from "./result.ts";

const maxResults = 2_000_000;

interface ReaderOptions {
  readonly isLenient: boolean;
  readonly rejected: Fault[];
  readonly warnings: string[];
  readonly listedFaults: number;
}

export class ResultReader {
  faultCount = 0;
  /** The file ends in the middle of a record. */
  isTruncated = false;
  readonly #options: ReaderOptions;
  readonly #repeats = new RepeatNumbers();
  readonly #listed: Fault[] = [];
  #warnings = 0;
  #count = 0;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  read(raw: RawRecord): EvalResult | null {
    for (const warning of raw.warnings) this.#warn(`${raw.path} ${warning}`);
    const faults = raw.faults.map((problem): Fault => ({ path: raw.path.replace(/: $/, ""), problem, member: null }));
    for (const fault of faults) this.reject(fault);
    if (raw.value === undefined || (faults.length > 0 && !this.#options.isLenient)) return null;
    const record = this.#checked(raw.value, raw.path);
    if (!record) return null;
    this.#count += 1;
    if (this.#count > maxResults) {
      const problem = `The run has more than ${maxResults} results.`;
      throw new DevflowError("input_invalid", { details: { problem, next: "Split it into several runs." } });
    }
    const result = toResult(record);
    const { repeat, isMoved } = this.#repeats.next(caseKey(result.name, result.inputSha), record.repeat ?? null);
    if (isMoved) {
      this.#warn(
        `${raw.path} repeat ${record.repeat} of "${record.name}" occurs twice; the second is stored as ${repeat}`,
      );
    }
    return { ...result, repeat };
  }

  reject(fault: Fault): void {
    this.faultCount += 1;
    if (this.#options.isLenient) {
      if (this.#options.rejected.length < 10_000) this.#options.rejected.push(fault);
    } else if (this.#listed.length < this.#options.listedFaults) {
      this.#listed.push(fault);
    }
  }

  failure(name: string): DevflowError {
    const next = "Fix them, or store what can be read: devflow eval push --lenient <file>";
    return describeFaults(name, this.#listed, this.faultCount - this.#listed.length, next);
  }

  #checked(value: unknown, path: string): FileResult | null {
    const faults = [...faultsOf(resultSchema, value, path), ...verdictFaults(value, path)];
    if (faults.length === 0) return value as FileResult;
    for (const fault of faults) this.reject(fault);
    if (!this.#options.isLenient) return null;
    return withoutFaulty(value, faults);
  }

  /** At most 100: a warning per record could be longer than the file. */
  #warn(text: string): void {
    this.#warnings += 1;
    if (this.#warnings <= 100) this.#options.warnings.push(text);
    else if (this.#warnings === 101) this.#options.warnings.push("… and more");
  }
}

/** What the schema cannot express: there must be exactly one verdict. */
function verdictFaults(value: unknown, path: string): Fault[] {
  if (value === null || typeof value !== "object") return [];
  const record = value as Partial<FileResult>;
  const at = path.endsWith(": ") || path === "" ? path : `${path}.`;
  if (record.passed == null && record.status == null && record.error == null) {
    return [{ path: `${at}passed`, problem: "expected true or false (or a status), found nothing", member: "passed" }];
  }
  if (typeof record.passed === "boolean" && typeof record.status === "string") {
    const isPass = statusOf(record) === "pass";
    if (record.passed !== isPass) {
      const problem = `expected to agree with passed (${record.passed}), found "${record.status}"`;
      return [{ path: `${at}status`, problem, member: "status" }];
    }
  }
  return [];
}

/** The record with its invalid members moved to `unread`; null if the rest is not a result. */
function withoutFaulty(value: unknown, faults: readonly Fault[]): FileResult | null {
  const bad = new Set(faults.map(({ member }) => member));
  if (bad.has(null) || bad.has("name") || bad.has("passed") || bad.has("status")) return null;
  const entries = Object.entries(value as Record<string, unknown>);
  const unread = Object.fromEntries(entries.filter(([member]) => bad.has(member)));
  const rest = Object.fromEntries([...entries.filter(([member]) => !bad.has(member)), ["unread", unread]]);
  return faultsOf(resultSchema, rest, "").length === 0 ? (rest as FileResult) : null;
}

/** Numbers the results of one case; a number that is taken is replaced with the next free one. */
class RepeatNumbers {
  /** Keyed by the first 52 bits of the case's key: with two million cases, a collision has odds of 1:2000 and only skips a number. */
  readonly #next = new Map<number, number>();
  readonly #given = new Set<string>();

  next(key: string, given: number | null): { readonly repeat: number; readonly isMoved: boolean } {
    const short = Number.parseInt(key.slice(0, 13), 16);
    const next = this.#next.get(short) ?? 0;
    if (given === null) {
      let repeat = next;
      while (this.#given.has(`${short}/${repeat}`)) repeat += 1;
      this.#next.set(short, repeat + 1);
      return { repeat, isMoved: false };
    }
    const isTaken = given < next || this.#given.has(`${short}/${given}`);
    if (isTaken) return { repeat: this.next(key, null).repeat, isMoved: true };
    this.#given.add(`${short}/${given}`);
    return { repeat: given, isMoved: false };
  }
}
