/**
 * Environment variables. Only this file and config.ts read them; it is separate so that a program that needs a variable
 * and no settings loads neither zod nor yaml.
 *
 * - `environmentOf(env)` the variables that are not settings.
 * - `processEnvironment()` the whole environment, for code that composes a process.
 */

/** Variables that are read but are not settings. */
export const environmentVariables = {
  DEVFLOW_HOME: "Folder to use instead of ~/.devflow",
  DEVFLOW_FAULT: "Crash tests: `name:kill` kills the process at that fault point",
  DEVFLOW_FAULT_LOG: "Crash tests: a file to which the name of every visited fault point is appended",
  DEVFLOW_ACCESS_TOKEN: "A personal access token, for CI; needs DEVFLOW_SERVER",
  DEVFLOW_SERVER:
    "The team server that DEVFLOW_ACCESS_TOKEN is sent to; it goes to no other, whatever a repository says",
  DEVFLOW_ANON_KEY: "The anon key of a Supabase project; DEVFLOW_ACCESS_TOKEN is then an access token of the project",
  SUPABASE_DB_URL: "Edge functions: the database of the project; Supabase sets it",
  SUPABASE_SERVICE_ROLE_KEY: "Edge functions: the key that whoever calls them sends; Supabase sets it",
  DEVFLOW_SESSION_TOKEN: "Set inside an agent's session; a process that has it cannot decide gates",
  DEVFLOW_HOOKS: "`0` turns Devflow's hooks off for the agents that have it in their environment",
  DEVFLOW_DEBUG: "Print stack traces with errors",
  NO_COLOR: "Any non-empty value turns off colors on a terminal",
  DEVFLOW_BROWSE_SESSION: "Browse: the caller's session, like --session; hooks set it to the agent's id",
  DEVFLOW_BROWSE_TOKEN: "Browse: a token for one session, instead of the owner's",
  CLAUDE_CODE_SESSION_ATTENDED: "Hooks: set by Claude Code; `0` when nobody is at the terminal who could be asked",
  CLAUDE_CODE_SESSION_ID:
    "Set by Claude Code: the agent that a command acts for, and its browse session if no other is given",
  CODEX_THREAD_ID: "Set by Codex: the agent that a command acts for, and its browse session if no other is given",
  EVAL_LABEL: "Evals: the label of a run; by default the branch, followed by the tier",
  EVAL_CACHE: "Evals: `0` neither reads nor writes cached outputs",
  EVAL_CACHE_CLEAR: "Evals: `1` clears the cache once before the run",
  DEVFLOW_TEST_TAG: "Tests: marks every process that a test file starts",
  DEVFLOW_TEST_CLUSTER: "Tests: the Postgres cluster that all test files share",
  DEVFLOW_TEST_EXECUTABLE: "Tests: test this compiled executable instead of the source",
  DEVFLOW_TEST_SOAK: "Tests: `first` or `every` runs the long version of the chaos tests, as npm run soak does",
  DEVFLOW_TEST_SOAK_PATHS: "Tests: the paths of the crash matrix that are measured, as npm run soak -- --path does",
  DEVFLOW_TEST_FIGURES: "Tests: a file to which a long test writes what it measured, for docs/reliability.md",
  DEVFLOW_TEST_USER_HOME: "Tests: the home of the user who runs them, where npm finds its settings",
  EVAL_TIER: "Evals: how much of a suite runs: quick, standard or full",
  EVAL_JUDGE_TIER: "Evals: which model judges: fast (haiku), standard (sonnet) or full (opus)",
  EVAL_WORKERS: "Evals: how many processes check a suite",
  EVAL_VERBOSE: "Evals: `1` keeps the full prompts and answers of judges under log/evals",
  EVAL_JUDGE_CACHE: "Evals: `0` asks judges again even if their votes are cached",
  ANTHROPIC_BASE_URL: "Evals: base URL of the Anthropic API, for judges and eval check --run",
  ANTHROPIC_API_KEY: "Evals: the key for it",
  OPENAI_BASE_URL: "Evals: base URL of an OpenAI-compatible API, including /v1, for judges and eval check --run",
  OPENAI_API_KEY: "Evals: the key for it",
} as const;
export type EnvironmentVariable = keyof typeof environmentVariables;
export type Environment = Readonly<Record<string, string | undefined>>;

export function environmentOf(env: Environment = process.env): Readonly<Partial<Record<EnvironmentVariable, string>>> {
  const known = Object.keys(environmentVariables) as EnvironmentVariable[];
  return Object.fromEntries(known.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** The whole environment, for code that composes a process. */
export function processEnvironment(): Environment {
  return process.env;
}
