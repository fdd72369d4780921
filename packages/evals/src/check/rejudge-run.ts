/**
 * Judges the outputs of a stored run again.
 *
 * - `rejudgeRun(stored, options)` a new run: results of checks without a judge stay, those of judges are replaced. Outputs are
 *   not produced again, so they have no cost and no duration, and their results count as cached.
 *
 * The expectations come from the case files if given, else from the results (`eval check` stores them there), else from the
 * criteria of the profile.
 */
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import type { EvalCase } from "../cases/index.ts";
import { type Expectation, expectationType } from "../expectations/index.ts";
import type { JudgeProfile } from "../judges/index.ts";
import { rejudgedSource } from "../results/identity.ts";
import type { EvalFailure, EvalResult, EvalRun } from "../results/result.ts";
import { type JudgeSettings, judgeFrom } from "./case-runner.ts";
import { checkCase } from "./check-case.ts";
import type { FailureRecord, ResultRecord, RunRecord } from "./result-record.ts";
import { runRecord } from "./run-record.ts";

export interface RejudgeOptions {
  readonly judge: JudgeSettings;
  /** Used for everything; undefined: the profiles that the expectations name. */
  readonly profile?: string | undefined;
  readonly cases?: readonly EvalCase[] | undefined;
  readonly host: string | null;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (done: number, total: number) => void;
  readonly now?: () => number;
}

export interface StoredOutputs {
  readonly run: EvalRun;
  readonly results: readonly EvalResult[];
}

/** More than the number of cores, because judging is mostly waiting for the network. */
const atOnce = 8;

export async function rejudgeRun({ run, results }: StoredOutputs, options: RejudgeOptions): Promise<RunRecord> {
  const { judge: settings, profile, cases = [], host, signal, now = Date.now } = options;
  const known = profile === undefined ? undefined : profileNamed(settings, profile);
  const judge = judgeFrom(settings, () => undefined, signal);
  const byCase = new Map(cases.map((one) => [`${one.inputSha}\n${one.name}`, one]));
  const began = now();
  const asked = results.map((result) => ({
    result,
    expectations: askedOf(result, byCase.get(`${result.inputSha}\n${result.name}`), known),
  }));
  if (asked.every(({ expectations }) => expectations.length === 0)) throw nothingToJudge(run);
  const records: ResultRecord[] = new Array(results.length);
  let next = 0;
  let done = 0;
  const work = async () => {
    for (let index = next++; index < asked.length; index = next++) {
      signal?.throwIfAborted();
      const one = asked[index];
      if (!one) continue;
      const old = oldPart(one.result);
      const given = caseOf(one.result, one.expectations);
      const fresh = await checkCase(
        given,
        { kind: "one", one: { output: one.result.output, error: old.error, cached: true } },
        { repeat: one.result.repeat, judge },
      );
      records[index] = merged(one.result, old, fresh);
      done += 1;
      options.onProgress?.(done, results.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, results.length) }, work));
  return {
    ...runRecord(records, {
      runId: uuidv7(began),
      suite: run.suite,
      label: run.label,
      at: began,
      gitSha: run.gitSha,
      gitBranch: run.gitBranch,
      promptSha: run.promptSha,
      host,
      tier: run.tier,
      model: run.model,
      durationMs: now() - began,
    }),
    rejudged_from: run.runId,
    source: `${rejudgedSource}${run.runId}`,
  };
}

function profileNamed({ profiles }: JudgeSettings, name: string): JudgeProfile {
  const found = profiles.profiles.get(name);
  if (found) return found;
  throw new DevflowError("not_found", {
    details: {
      what: `The judge profile "${name}"`,
      next: `Known profiles: ${[...profiles.profiles.keys()].join(", ")}. Profiles are in judge-profiles.yaml, or in the file given by --profiles.`,
    },
  });
}

const isJudgedType = (type: string | null): boolean => type !== null && expectationType(type)?.judged === true;

function askedOf(result: EvalResult, given: EvalCase | undefined, profile: JudgeProfile | undefined): Expectation[] {
  if (result.status === "skipped") return [];
  const told = given?.expectations ?? (result.extra as { judged_expectations?: unknown }).judged_expectations;
  const listed = (Array.isArray(told) ? (told as Expectation[]) : []).filter(({ type }) => isJudgedType(type));
  if (listed.length > 0) {
    return profile ? listed.map((one) => ({ ...one, judge_profile: profile.name })) : listed;
  }
  const criteria = Object.entries(profile?.criteria ?? {}).map(([name, { threshold }]) => [name, threshold ?? 0.7]);
  if (!profile || given || criteria.length === 0) return [];
  return [{ type: "quality_check", criteria: Object.fromEntries(criteria), judge_profile: profile.name }];
}

function nothingToJudge({ suite, runId }: EvalRun): DevflowError {
  return new DevflowError("input_invalid", {
    details: {
      problem: `${suite}/${runId} does not record what the judges should check.`,
      next: "Give the case files (--cases 'evals/**/*.yaml'), or a profile with criteria: --profile <name>",
    },
  });
}

interface OldPart {
  readonly failures: readonly FailureRecord[];
  readonly checkErrors: ResultRecord["check_errors"];
  /** The app's own error. */
  readonly error: string | undefined;
}

/** The results of checks without a judge. */
function oldPart(result: EvalResult): OldPart {
  const told = (result.extra as { check_errors?: ResultRecord["check_errors"] }).check_errors ?? [];
  const said = told.map(({ expectation_type, message }) => `${expectation_type}: ${message}`).join("\n");
  const error =
    result.error === null
      ? ""
      : result.error.endsWith(said)
        ? result.error.slice(0, -said.length || undefined)
        : result.error;
  const isOwn = ({ type, expectationType: name, criterion }: EvalFailure) =>
    !isJudgedType(name) && (type === "deterministic" || name === "comparison" || criterion === null);
  return {
    failures: result.failures.filter(isOwn).map(failureRecord),
    checkErrors: told.filter(({ expectation_type }) => !isJudgedType(expectation_type)),
    error: error.trim() || undefined,
  };
}

const failureRecord = (failure: EvalFailure): FailureRecord => ({
  type: failure.type,
  expectation_type: failure.expectationType ?? "",
  message: failure.message,
  criterion: failure.criterion,
  expected: failure.expected,
  actual: failure.actual,
  place: typeof failure.extra?.place === "string" ? failure.extra.place : null,
  details: failure.details,
  scores: failure.scores,
});

function caseOf(result: EvalResult, expectations: readonly Expectation[]): EvalCase {
  const input = result.input;
  return {
    name: result.name,
    description: undefined,
    category: result.category ?? undefined,
    tags: result.tags,
    scope: "standard",
    input: typeof input === "object" && input !== null && !Array.isArray(input) ? { ...input } : { input },
    inputSha: result.inputSha ?? "",
    expectations,
    expectationsSha: result.expectationsSha ?? "",
    promptSourceFiles: [],
    comparison: undefined,
    tierChain: undefined,
    severityOrder: undefined,
    file: "",
    line: 0,
  };
}

function merged(result: EvalResult, old: OldPart, fresh: ResultRecord): ResultRecord {
  const failures = [...old.failures, ...fresh.failures];
  const oldErrors = old.checkErrors.map(({ expectation_type, message }) => `${expectation_type}: ${message}`);
  const error = [...(fresh.error === null ? [] : [fresh.error]), ...oldErrors].join("\n") || null;
  const status =
    failures.length > 0 ? "fail" : error !== null ? "error" : result.status === "skipped" ? "skipped" : "pass";
  return {
    ...fresh,
    status,
    passed: status === "pass",
    error,
    input: result.input,
    ...(result.inputSha === null ? {} : { input_sha: result.inputSha }),
    failures,
    check_errors: [...old.checkErrors, ...fresh.check_errors],
    duration_ms: result.durationMs,
    turns: result.turns,
    response_preview: result.responsePreview,
    comparison: result.comparison,
  };
}
