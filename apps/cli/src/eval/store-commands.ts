/** `devflow eval push`, `list` and the other commands that work on stored runs. None of them needs a server. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { evalTiers } from "@devflow/protocol/eval-enums";
import { StoredEvalRun } from "@devflow/protocol/eval-run";
import { z } from "zod";
import { withTeam } from "../team/team.ts";

const since = () =>
  option(z.string().optional().describe("Only runs since then: 12h, 7d, 2w or a date"), { placeholder: "<when>" });
const team = () => z.boolean().default(false).describe("Read the team's runs instead of this machine's");
const suite = (sentence = "Only this suite") => z.string().optional().describe(sentence);
const tier = (sentence = "Only this tier") => z.enum(evalTiers).optional().describe(sentence);

const pushed = z.object({
  runs: z.array(
    StoredEvalRun.extend({
      isNew: z.boolean(),
      warnings: z.array(z.string()),
      losses: z.array(z.string()),
      against: z
        .object({
          runId: z.string(),
          at: z.string(),
          gitSha: z.string().nullable(),
          verdict: z.string(),
          broke: z.number().int(),
          fixed: z.number().int(),
        })
        .nullable(),
    }),
  ),
  refused: z.array(
    z.object({ file: z.string(), code: z.string(), message: z.string(), hint: z.string(), exit: z.number().int() }),
  ),
  team: z.string().nullable(),
});

/** How the two sides are chosen, shared by every command that compares. */
const branches = {
  branch: z.string().optional().describe("Only this branch (default: HEAD and the commits before it)"),
  allBranches: z.boolean().default(false).describe("Runs of all branches together"),
};

const compared = {
  base: z.string().optional().describe("The branch that HEAD started from (default: origin/HEAD, main or master)"),
  suite: suite(),
  tier: tier(),
  gate: option(
    z.array(z.string()).default([]).describe("A criterion whose drop is a regression too; repeat for several"),
    {
      placeholder: "<criterion>",
    },
  ),
  mixJudges: z.boolean().default(false).describe("Compare even if the judges, rubrics or thresholds differ"),
  drop: option(
    z
      .number()
      .min(0.001)
      .max(1)
      .optional()
      .describe("The smallest drop that matters, used to estimate how many more runs are needed"),
    {
      placeholder: "<share>",
    },
  ),
};

const runArg = option(
  z
    .string()
    .optional()
    .describe("A run id or its first characters, or a suite for its newest run (default: the newest run)"),
  { positional: 0, placeholder: "<run>" },
);

export const evalPushRecord = defineRecord({
  name: "eval push",
  summary: "Store eval results from any supported tool and compare them with the previous run",
  description:
    "The format is detected from the file. If a file has errors, nothing of it is stored and every error is listed, unless --lenient is given. Pushing the same file twice stores one run.",
  category: "Evals",
  effect: "write",
  args: z.object({
    files: option(z.array(z.string()).default([]).describe("Result files; - reads standard input"), {
      positional: 0,
      placeholder: "<file>",
    }),
    as: option(
      z.string().optional().describe("Read files as this format instead of detecting it; see docs/eval-formats.md"),
      {
        placeholder: "<format>",
      },
    ),
    suite: suite("The suite's name; overrides the file"),
    label: z.string().optional().describe("The run's label; overrides the file, which overrides EVAL_LABEL"),
    tier: tier("The tier; overrides the file"),
    commit: z.string().optional().describe("The commit that was evaluated (default: the file's, else HEAD)"),
    branch: z.string().optional().describe("Its branch (default: the file's, else the current one)"),
    name: option(
      z
        .string()
        .optional()
        .describe("A file name for standard input: gives the suite's name, and .jsonl for JSON lines"),
      {
        placeholder: "<name>",
      },
    ),
    passAt: option(
      z.number().min(0).max(1).optional().describe("The lowest passing score, for tools that write no verdict"),
      {
        placeholder: "<score>",
      },
    ),
    partials: option(
      z.string().optional().describe("Merge the partial results of this suite's workers and store them"),
      {
        placeholder: "<suite>",
      },
    ),
    lenient: z.boolean().default(false).describe("Store what can be read and report the rest"),
    replace: z.boolean().default(false).describe("If the run id exists with different content, replace the stored run"),
  }),
  output: pushed,
  examples: [
    { run: "eval push results.json", does: "prints one line with the outcome" },
    { run: "eval push promptfoo.json inspect.eval junit.xml", does: "files from other tools" },
    { run: "eval push - --name billing.jsonl", does: "one result per line, from a pipe" },
  ],
});

export const evalListRecord = defineRecord({
  name: "eval list",
  summary: "List stored eval runs, newest first",
  category: "Evals",
  effect: "read",
  args: z.object({
    label: option(z.string().optional().describe("Only runs with this label"), {
      positional: 0,
      placeholder: "<label>",
    }),
    suite: suite(),
    branch: z.string().optional().describe("Only this branch"),
    tier: tier(),
    since: since(),
    failed: z.boolean().default(false).describe("Only runs with failures or errors"),
    limit: z.number().int().min(1).max(500).default(20).describe("Maximum number of runs"),
    team: team(),
  }),
  output: z.object({
    runs: z.array(StoredEvalRun),
    matching: z.number().int(),
    next: z.string().nullable(),
    setAside: z.array(z.object({ file: z.string(), reason: z.string() })).describe("Run files that cannot be read"),
  }),
  examples: [
    {
      run: "eval list --suite onboarding --failed --since 7d",
      does: "runs of the last 7 days with failures or errors",
    },
  ],
});

export const evalShowRecord = defineRecord({
  name: "eval show",
  summary: "Show one run: counts, categories, failures; or one case with its output and history",
  category: "Evals",
  effect: "read",
  args: z.object({
    run: runArg,
    case: option(z.string().optional().describe("A case: its name, part of its name, or its key"), {
      positional: 1,
      placeholder: "<case>",
    }),
    failed: z.boolean().default(false).describe("With --json: only failures and errors"),
    limit: z.number().int().min(1).max(500).default(20).describe("Maximum number of results"),
  }),
  examples: [
    { run: "eval show", does: "the newest run" },
    { run: "eval show 9f2c1ab7 refund", does: "one case of a run" },
  ],
});

export const evalCompareRecord = defineRecord({
  name: "eval compare",
  summary: "Compare two sets of runs: what broke, what was fixed, and whether the difference is more than noise",
  description:
    "Without arguments, compares all runs of HEAD with all runs of the commit where its branch started, or of the nearest earlier commit that has runs. An argument is a run, a commit, a branch or a label. Exit code 0: no regression; 1: regression; 2: the judges differ, or an argument matches nothing; 3: not enough data (only with --fail-on no-data), or a gate could not be evaluated; 4: the newer side has no run, or both sides are the same runs.",
  category: "Evals",
  effect: "read",
  args: z.object({
    a: option(z.string().optional().describe("The older side"), { positional: 0, placeholder: "<a>" }),
    b: option(z.string().optional().describe("The newer side (default: HEAD)"), {
      positional: 1,
      placeholder: "<b>",
    }),
    ...compared,
    failOn: option(
      z.array(z.string()).default([]).describe("Also fail on: regression, no-data, cost, latency, errors"),
      {
        placeholder: "<what>",
      },
    ),
    sequential: z
      .boolean()
      .default(false)
      .describe("Use a test that stays valid if you compare after every run and stop when it decides"),
    wordDiff: z.boolean().default(false).describe("Show how the outputs of changed cases differ, word by word"),
    markdown: z.boolean().default(false).describe("Print Markdown, for a comment"),
    team: z.boolean().default(false).describe("Choose among the team's runs, too, as of the last sync pull"),
  }),
  examples: [
    { run: "eval compare", does: "this branch with the commit where it started" },
    { run: "eval compare 9f2c1ab7 --team", does: "with a run of a teammate; see: devflow eval list --team" },
    { run: "eval compare main --word-diff", does: "with the newest runs of main" },
    { run: "eval compare --fail-on no-data --fail-on cost", does: "in CI: also fail on missing data or higher cost" },
  ],
});

export const evalTrendRecord = defineRecord({
  name: "eval trend",
  summary: "Show the pass rate of a suite or a case, commit by commit, with intervals",
  category: "Evals",
  effect: "read",
  args: z.object({
    of: option(z.string().optional().describe("A suite or a case (default: all suites)"), {
      positional: 0,
      placeholder: "<case|suite>",
    }),
    suite: suite("The suite of the case"),
    tier: tier(),
    ...branches,
    since: since(),
    limit: z.number().int().min(1).max(500).default(30).describe("Maximum number of points"),
    team: team(),
  }),
  examples: [{ run: "eval trend support", does: "one suite, one line per commit" }],
});

export const evalBlameRecord = defineRecord({
  name: "eval blame",
  summary: "Find the commit that broke or fixed a case",
  description:
    "Follows the first parents of HEAD, in commit order rather than run order. A commit is named only if the probability that nothing changed is at most 5 %; if commits in between were not evaluated, the answer is a range.",
  category: "Evals",
  effect: "read",
  args: z.object({
    case: option(z.string().describe("The case's name or key"), { positional: 0, placeholder: "<case>" }),
    suite: suite("The suite of the case, if several suites have a case of that name"),
    tier: tier(),
    until: option(z.string().optional().describe("The newest commit to consider (default: HEAD)"), {
      placeholder: "<commit>",
    }),
  }),
  examples: [{ run: "eval blame refund", does: "who broke it, and when" }],
});

export const evalFlakyRecord = defineRecord({
  name: "eval flaky",
  summary: "List cases that pass and fail while nothing changes, or quarantine one",
  description:
    "A quarantine has an owner and an end date, is stored in evals/quarantine.json in the repository, and applies only to runs made after it was added.",
  category: "Evals",
  effect: "write",
  args: z.object({
    suite: suite(),
    tier: tier(),
    ...branches,
    since: since(),
    quarantine: option(z.string().optional().describe("Quarantine this case"), { placeholder: "<case>" }),
    owner: option(z.string().optional().describe("Who is responsible for the case (default: git's user.name)"), {
      placeholder: "<name>",
    }),
    days: z.number().int().min(1).max(90).default(14).describe("How many days the quarantine lasts"),
    reason: z.string().optional().describe("Why, recorded in the file"),
    release: option(z.string().optional().describe("End the quarantine of this case"), { placeholder: "<case>" }),
  }),
  examples: [
    { run: "eval flaky", does: "flaky cases, and how often they change" },
    { run: "eval flaky --quarantine greets --owner robin --days 7", does: "quarantine a case for a week" },
  ],
});

export const evalSummaryRecord = defineRecord({
  name: "eval summary",
  summary: "Show all stored runs, one line per suite",
  category: "Evals",
  effect: "read",
  args: z.object({
    suite: suite(),
    tier: tier(),
    branch: z.string().optional().describe("Only this branch"),
    since: since(),
  }),
  examples: [{ run: "eval summary --since 30d", does: "the last 30 days" }],
});

export const evalCommentRecord = defineRecord({
  name: "eval comment",
  summary: "Print the comparison as Markdown, or post it to a pull request with --pr",
  description:
    "Posts with gh and replaces its earlier comment if there is one. Without gh or without --pr, prints the Markdown. A regression does not change the exit code; use eval compare for that.",
  category: "Evals",
  effect: "write",
  args: z.object({
    number: option(z.number().int().min(1).optional().describe("The pull request (default: the current branch's)"), {
      positional: 0,
      placeholder: "<number>",
    }),
    pr: z.boolean().default(false).describe("Post it to the pull request"),
    name: option(z.string().optional().describe("Name of this comment, if several jobs comment on one pull request"), {
      placeholder: "<name>",
    }),
    ...compared,
    wordDiff: z.boolean().default(false).describe("Show how the outputs of broken cases differ, word by word"),
  }),
  examples: [
    { run: "eval comment", does: "print the Markdown" },
    { run: "eval comment --pr 42", does: "post the comment, or replace the earlier one" },
  ],
});

export const evalExportRecord = defineRecord({
  name: "eval export",
  summary: "Write a stored run in another tool's format",
  category: "Evals",
  effect: "read",
  args: z.object({
    run: runArg,
    as: z.enum(["junit", "csv", "jsonl", "promptfoo", "inspect", "otlp", "markdown"]).describe("The format"),
    output: option(z.string().optional().describe("The file (default: standard output)"), {
      short: "o",
      placeholder: "<file>",
    }),
  }),
  examples: [{ run: "eval export 9f2c1ab7 --as junit -o report.xml", does: "for CI systems that read JUnit" }],
});

export const evalLeaderboardRecord = defineRecord({
  name: "eval leaderboard",
  summary: "Show the team's evals of the last week",
  description: "Shows totals; people are named only if they agreed to it.",
  category: "Evals",
  effect: "read",
  args: z.object({}),
  examples: [{ run: "eval leaderboard", does: "what the team ran, and the results" }],
});

export const storeCommands: readonly AnyCommand[] = [
  defineCommand(
    evalPushRecord,
    withTeam(async () => (await import("./push.ts")).pushWith),
  ),
  defineCommand(
    evalListRecord,
    withTeam(async () => (await import("./list.ts")).listWith),
  ),
  defineCommand(evalShowRecord, async () => (await import("./show.ts")).show),
  defineCommand(
    evalCompareRecord,
    withTeam(async () => (await import("./compare.ts")).compareWith),
  ),
  defineCommand(
    evalTrendRecord,
    withTeam(async () => (await import("./trend.ts")).trendWith),
  ),
  defineCommand(evalBlameRecord, async () => (await import("./blame.ts")).blame),
  defineCommand(evalFlakyRecord, async () => (await import("./flaky.ts")).flaky),
  defineCommand(evalSummaryRecord, async () => (await import("./summary.ts")).summary),
  defineCommand(evalCommentRecord, async () => (await import("./comment.ts")).comment),
  defineCommand(evalExportRecord, async () => (await import("./export.ts")).exportRun),
  defineCommand(
    evalLeaderboardRecord,
    withTeam(async () => (await import("./leaderboard.ts")).leaderboardWith),
  ),
];
