/**
 * The environment, by name. With config.ts the only place that reads it, and apart from it so that a program that
 * needs a variable and no settings loads neither zod nor yaml.
 *
 * - `environmentOf(env)` the variables that are not settings.
 * - `processEnvironment()` all of it, for whoever composes a process.
 */

/** Variables that are read but are not settings. */
export const environmentVariables = {
  DEVFLOW_HOME: "Moves ~/.devflow",
  DEVFLOW_FAULT: "Crash tests: `name:kill` kills the process at that fault point",
  DEVFLOW_FAULT_LOG: "Crash tests: a file that gets the name of every fault point that is visited",
  DEVFLOW_ACCESS_TOKEN: "A personal access token, for CI",
  DEVFLOW_SESSION_TOKEN: "Set inside an agent's session; whoever has it may not decide gates",
  DEVFLOW_DEBUG: "Print traces with errors",
  NO_COLOR: "Anything but nothing: no colours on a terminal",
  DEVFLOW_BROWSE_SESSION: "Browse: the session of whoever types, as --session; hooks set it to the agent's own id",
  DEVFLOW_BROWSE_TOKEN: "Browse: a token of one session, instead of the owner's",
  CLAUDE_CODE_SESSION_ID: "Browse: set by Claude Code; its session when there is no other",
  CODEX_THREAD_ID: "Browse: set by Codex; its session when there is no other",
  EVAL_LABEL: "Evals: the label of a run; without it the branch, with the tier behind it",
  EVAL_CACHE: "Evals: `0` neither reads nor writes cached outputs",
  EVAL_CACHE_CLEAR: "Evals: `1` clears the cache once before the run",
  DEVFLOW_TEST_TAG: "Tests: marks every process that a test file starts",
  DEVFLOW_TEST_CLUSTER: "Tests: the Postgres cluster that all test files share",
  DEVFLOW_TEST_EXECUTABLE: "Tests: tries this compiled executable instead of the source",
  DEVFLOW_TEST_SOAK: "Tests: `first` or `every` makes the chaos tests long, as npm run soak does",
  DEVFLOW_TEST_USER_HOME: "Tests: the home of whoever runs them, where npm finds its settings",
  EVAL_TIER: "Evals: how much of a suite runs: quick, standard or full",
  EVAL_JUDGE_TIER: "Evals: which model judges: fast (haiku), standard (sonnet) or full (opus)",
  EVAL_WORKERS: "Evals: how many processes check a suite",
  EVAL_VERBOSE: "Evals: 1 keeps what judges were asked and answered, whole, under log/evals",
  EVAL_JUDGE_CACHE: "Evals: 0 asks judges again although their votes are cached",
  ANTHROPIC_BASE_URL: "Evals: where Anthropic Messages is served, for judges",
  ANTHROPIC_API_KEY: "Evals: the key for it",
  OPENAI_BASE_URL: "Evals: where an OpenAI-compatible API is served, with /v1, for judges",
  OPENAI_API_KEY: "Evals: the key for it",
} as const;
export type EnvironmentVariable = keyof typeof environmentVariables;
export type Environment = Readonly<Record<string, string | undefined>>;

export function environmentOf(env: Environment = process.env): Readonly<Partial<Record<EnvironmentVariable, string>>> {
  const known = Object.keys(environmentVariables) as EnvironmentVariable[];
  return Object.fromEntries(known.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** The environment of this process, for whoever composes one. */
export function processEnvironment(): Environment {
  return process.env;
}
