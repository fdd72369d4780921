/**
 * Derives the identity and the names of a run that does not specify them.
 *
 * - `deriveRunId(origin, environment)` from the CI run and attempt, else from the content and the file's time; new for stdin.
 * - `autoLabel({ label, branch, tier })` `EVAL_LABEL` or the branch, followed by the tier unless it is `standard`.
 * - `commitFor(at, facts)` the commit of a run without one.
 * - `suiteOfPath(path)` the suite from a file's name.
 * - `caseKey(name, inputSha)` a case's identity as 16 hex digits.
 */
import { basename } from "node:path";
import { hashBytes } from "@devflow/core/hash";
import { uuidv7 } from "@devflow/core/ids";
import type { EvalTier } from "./result.ts";

export interface RunOrigin {
  readonly contentSha: string;
  /** Null for a pipe. */
  readonly modifiedMs: number | null;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** For each CI system, the variables that together identify one attempt of one job. */
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
 * In CI the id includes the content, because one job may push several suites or repeats, but not the file's time, because an
 * artifact passed between jobs gets a new one.
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

/** Allowed clock difference between two machines. */
const clockSkewMs = 600_000;

/**
 * The commit of a run without one: the one that is checked out, unless the run is older than that commit.
 */
export function commitFor(at: string, facts: CommitFacts): { gitSha: string | null; gitBranch: string | null } {
  const { gitSha = null, gitBranch = null, committedAt } = facts;
  const isEarlier = committedAt ? Date.parse(at) + clockSkewMs < Date.parse(committedAt) : false;
  return isEarlier ? { gitSha: null, gitBranch: null } : { gitSha, gitBranch };
}

export interface CommitFacts {
  readonly gitSha?: string | null;
  readonly gitBranch?: string | null;
  /** Time of that commit, ISO. */
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

/** Generic names that do not name a suite. */
const generic = /^(?:all[_-]?)?(?:evals?[_-]?)?(?:results?|outputs?|report|run|data|evals?)$/i;

export function suiteOfPath(path: string | null): string {
  if (!path) return "default";
  const stem = basename(path).replace(/(?:\.(?:jsonl?|ndjson|gz|txt|eval|result|xml|csv))+$/i, "");
  return stem === "" || generic.test(stem) ? "default" : stem;
}

/** Prefix of the source of a rejudged run, followed by the id of the original run. */
export const rejudgedSource = "rejudge:";

export function caseKey(name: string, inputSha: string | null): string {
  return hashBytes(`${name}\0${inputSha ?? ""}`).slice(0, 16);
}

const dayMs = 86_400_000;

/** Later than clocks and time zones can differ: such a run would be the newest forever. */
export function isInFuture(at: string, nowMs: number): boolean {
  return Date.parse(at) > nowMs + dayMs;
}
