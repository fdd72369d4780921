/**
 * Which run a file is, and what it is called when it does not say.
 *
 * - `deriveRunId(origin, environment)` the CI's run and attempt, else the content with the file's time; stdin is always new.
 * - `autoLabel({ label, branch, tier })` `EVAL_LABEL` or the branch, with the tier behind it unless it is `standard`.
 * - `commitFor(at, facts)` the commit of a run that names none.
 * - `suiteOfPath(path)` the suite that a file's name tells.
 * - `caseKey(name, inputSha)` a case's identity in 16 hex digits.
 */
import { basename } from "node:path";
import { hashBytes } from "@devflow/core/hash";
import { uuidv7 } from "@devflow/core/ids";
import type { EvalTier } from "./result.ts";

export interface RunOrigin {
  readonly contentSha: string;
  /** Null: it came through a pipe. */
  readonly modifiedMs: number | null;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** One row per CI: the variables that together name one attempt of one job. */
const continuousIntegrations: readonly { readonly prefix: string; readonly variables: readonly string[] }[] = [
  { prefix: "github", variables: ["GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT"] },
  { prefix: "gitlab", variables: ["CI_PIPELINE_ID", "CI_JOB_ID"] },
  { prefix: "buildkite", variables: ["BUILDKITE_BUILD_ID", "BUILDKITE_JOB_ID"] },
  { prefix: "circleci", variables: ["CIRCLE_WORKFLOW_ID", "CIRCLE_BUILD_NUM"] },
  { prefix: "azure", variables: ["BUILD_BUILDID", "SYSTEM_JOBATTEMPT"] },
  { prefix: "jenkins", variables: ["BUILD_TAG", "BUILD_NUMBER"] },
];

export const ciVariables: readonly string[] = continuousIntegrations.flatMap(({ variables }) => variables);

/**
 * In CI the content stands beside the attempt, because one job may push several suites or several repeats; the file's
 * time does not, because an artifact that is handed from job to job gets a new one.
 */
export function deriveRunId(origin: RunOrigin, environment: Variables): string {
  if (origin.modifiedMs === null) return uuidv7();
  for (const { prefix, variables } of continuousIntegrations) {
    const values = variables.map((variable) => environment[variable] ?? "");
    if (values.every((value) => value === "")) continue;
    const attempt = values.map((value) => value.replace(/[^\w.-]+/g, "_") || "1").join("-");
    return `${prefix}-${attempt}-${origin.contentSha.slice(0, 8)}`;
  }
  return hashBytes(`${origin.contentSha}\n${Math.round(origin.modifiedMs)}`).slice(0, 16);
}

/** Clocks of two machines may differ by so much. */
const clockSkewMs = 600_000;

/**
 * The commit of a run that names none: the one that is checked out, unless the run is older than that commit and so
 * cannot be about it.
 */
export function commitFor(at: string, facts: CommitFacts): { gitSha: string | null; gitBranch: string | null } {
  const { gitSha = null, gitBranch = null, committedAt } = facts;
  const isEarlier = committedAt ? Date.parse(at) + clockSkewMs < Date.parse(committedAt) : false;
  return isEarlier ? { gitSha: null, gitBranch: null } : { gitSha, gitBranch };
}

export interface CommitFacts {
  readonly gitSha?: string | null;
  readonly gitBranch?: string | null;
  /** When that commit was made; ISO. */
  readonly committedAt?: string | null;
}

export interface LabelFacts {
  readonly label: string | undefined;
  readonly branch: string | null;
  readonly tier: EvalTier;
}

export function autoLabel({ label, branch, tier }: LabelFacts): string {
  const base = sanitised(label ?? "") || sanitised(branch ?? "") || "unlabelled";
  return tier === "standard" ? base : `${base}_${tier}`;
}

function sanitised(name: string): string {
  return name
    .replace(/[^A-Za-z0-9._-]+/g, "_")
    .replace(/^[_.]+|_+$/g, "")
    .slice(0, 120);
}

/** Names that say nothing about the suite. */
const generic = /^(?:all[_-]?)?(?:evals?[_-]?)?(?:results?|outputs?|report|run|data|evals?)$/i;

export function suiteOfPath(path: string | null): string {
  if (!path) return "default";
  const stem = basename(path).replace(/(?:\.(?:jsonl?|ndjson|gz|txt|eval|result|xml|csv))+$/i, "");
  return stem === "" || generic.test(stem) ? "default" : stem;
}

/** How the source of a run begins whose outputs are another run's, under other judges; the id of that run follows. */
export const rejudgedSource = "rejudge:";

export function caseKey(name: string, inputSha: string | null): string {
  return hashBytes(`${name}\0${inputSha ?? ""}`).slice(0, 16);
}
