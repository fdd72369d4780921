/** `devflow eval push`, `list` and the other commands over stored runs. They need no server. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { evalTiers } from "@devflow/protocol/eval-enums";
import { StoredEvalRun } from "@devflow/protocol/eval-run";
import { z } from "zod";

const since = () =>
  option(z.string().optional().describe("Only from then on: 12h, 7d, 2w or a date"), { placeholder: "<when>" });
const team = () => z.boolean().default(false).describe("The team's runs instead of this machine's");
const suite = (sentence = "Only of this suite") => z.string().optional().describe(sentence);
const tier = (sentence = "Only of this tier") => z.enum(evalTiers).optional().describe(sentence);

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

/** How sides are chosen, in every command that compares. */
const compared = {
  base: z.string().optional().describe("The branch that HEAD began from; origin/HEAD, main or master when left out"),
  suite: suite(),
  tier: tier(),
  mixJudges: z.boolean().default(false).describe("Compare although the judges, rubrics or thresholds differ"),
  drop: option(
    z.number().min(0.001).max(1).optional().describe("The loss that matters, for how many runs would show it"),
    {
      placeholder: "<share>",
    },
  ),
};

const runArg = option(
  z
    .string()
    .optional()
    .describe("Its id or the beginning of it, or a suite for its newest; the newest of all when left out"),
  { positional: 0, placeholder: "<run>" },
);

export const evalPushRecord = defineRecord({
  name: "eval push",
  summary: "Store eval results of any known tool, and say how they stand to the last run",
  description:
    "The format is found out by looking at the file. A file with a fault stores nothing and every fault is named, unless --lenient. Pushing the same file twice stores one run.",
  category: "Evals",
  effect: "write",
  args: z.object({
    files: option(z.array(z.string()).default([]).describe("Result files; - reads standard input"), {
      positional: 0,
      placeholder: "<file>",
    }),
    as: option(z.string().optional().describe("Read it as this format, whatever it looks like: docs/eval-formats.md"), {
      placeholder: "<format>",
    }),
    suite: suite("The suite's name, whatever the file says"),
    label: z.string().optional().describe("The run's label, whatever the file says; EVAL_LABEL only fills it in"),
    tier: tier("The tier, whatever the file says"),
    commit: z.string().optional().describe("The commit that was evaluated; HEAD when neither this nor the file says"),
    branch: z.string().optional().describe("Its branch; the current one when neither this nor the file says"),
    name: option(
      z.string().optional().describe("What standard input should be called: the suite, and .jsonl for lines"),
      {
        placeholder: "<name>",
      },
    ),
    passAt: option(
      z.number().min(0).max(1).optional().describe("From which score a result passes, where a tool gives no verdict"),
      {
        placeholder: "<score>",
      },
    ),
    partials: option(
      z.string().optional().describe("Merge what the workers of this suite have written, and store that"),
      {
        placeholder: "<suite>",
      },
    ),
    lenient: z.boolean().default(false).describe("Store what can be read and name the rest"),
    replace: z.boolean().default(false).describe("Other content under a run id that is taken: take the new one"),
  }),
  output: pushed,
  examples: [
    { run: "eval push results.json", does: "one line says what came of it" },
    { run: "eval push promptfoo.json inspect.eval junit.xml", does: "files of other tools" },
    { run: "eval push - --name billing.jsonl", does: "a result a line, from a pipe" },
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
    branch: z.string().optional().describe("Only of this branch"),
    tier: tier(),
    since: since(),
    failed: z.boolean().default(false).describe("Only runs with failures or errors"),
    limit: z.number().int().min(1).max(500).default(20).describe("At most so many"),
    team: team(),
  }),
  output: z.object({ runs: z.array(StoredEvalRun), matching: z.number().int(), next: z.string().nullable() }),
  examples: [{ run: "eval list --suite onboarding --failed --since 7d", does: "the bad runs of a week" }],
});

export const evalShowRecord = defineRecord({
  name: "eval show",
  summary: "Show one run: counts, categories, failures; or one case with its output and history",
  category: "Evals",
  effect: "read",
  args: z.object({
    run: runArg,
    case: option(z.string().optional().describe("A case: its name, a part of it, or its key"), {
      positional: 1,
      placeholder: "<case>",
    }),
    failed: z.boolean().default(false).describe("With --json: only failures and errors"),
    limit: z.number().int().min(1).max(500).default(20).describe("At most so many results"),
  }),
  examples: [
    { run: "eval show", does: "the newest run" },
    { run: "eval show 9f2c1ab7 refund", does: "one case of it" },
  ],
});

export const evalCompareRecord = defineRecord({
  name: "eval compare",
  summary: "Compare two sets of runs: what broke, what was fixed, and whether it is more than noise",
  description:
    "Without words: all runs of HEAD against all runs of the commit where its branch began, or of the nearest one before that has any. A word is a run, a commit, a branch or a label. Exit code 0 no regression, 1 regression, 2 the judges differ or a word means nothing, 3 not enough data (only with --fail-on no-data).",
  category: "Evals",
  effect: "read",
  args: z.object({
    a: option(z.string().optional().describe("The older side"), { positional: 0, placeholder: "<a>" }),
    b: option(z.string().optional().describe("The newer side; HEAD when left out"), {
      positional: 1,
      placeholder: "<b>",
    }),
    ...compared,
    failOn: option(
      z.array(z.string()).default([]).describe("What else makes it fail: regression, no-data, cost, latency"),
      { placeholder: "<what>" },
    ),
    wordDiff: z.boolean().default(false).describe("Show how the outputs of changed cases differ, word by word"),
    markdown: z.boolean().default(false).describe("As Markdown, for a comment"),
  }),
  examples: [
    { run: "eval compare", does: "this branch against where it began" },
    { run: "eval compare main --word-diff", does: "against the newest runs of main" },
    { run: "eval compare --fail-on no-data --fail-on cost", does: "in CI: fail on these too" },
  ],
});

export const evalTrendRecord = defineRecord({
  name: "eval trend",
  summary: "Show how a suite or a case went, commit by commit, with intervals",
  category: "Evals",
  effect: "read",
  args: z.object({
    of: option(z.string().optional().describe("A suite or a case; all suites when left out"), {
      positional: 0,
      placeholder: "<case|suite>",
    }),
    suite: suite("The suite of the case"),
    tier: tier(),
    branch: z.string().optional().describe("Only of this branch"),
    since: since(),
    limit: z.number().int().min(1).max(500).default(30).describe("At most so many points"),
    team: team(),
  }),
  examples: [{ run: "eval trend support", does: "one suite, a line a commit" }],
});

export const evalBlameRecord = defineRecord({
  name: "eval blame",
  summary: "Name the commit that broke a case, or fixed it",
  description:
    "Looks along the first parents of HEAD, in the order of the commits and not of the runs. A commit is named only when the odds that nothing changed are at most 5 %; over commits that were not evaluated it is a range.",
  category: "Evals",
  effect: "read",
  args: z.object({
    case: option(z.string().describe("The case's name or key"), { positional: 0, placeholder: "<case>" }),
    suite: suite("The suite of the case, when several have one of that name"),
    tier: tier(),
    until: option(z.string().optional().describe("The newest commit to look at; HEAD when left out"), {
      placeholder: "<commit>",
    }),
  }),
  examples: [{ run: "eval blame refund", does: "who broke it, and when" }],
});

export const evalFlakyRecord = defineRecord({
  name: "eval flaky",
  summary: "List cases that pass and fail while nothing changes; put one in quarantine",
  description:
    "A quarantine has an owner and an end, is kept in evals/quarantine.json of the repository, and excuses only runs that are made after it was decided.",
  category: "Evals",
  effect: "write",
  args: z.object({
    suite: suite(),
    tier: tier(),
    since: since(),
    quarantine: option(z.string().optional().describe("Excuse this case for a while"), { placeholder: "<case>" }),
    owner: option(z.string().optional().describe("Who looks after it; git's user.name when left out"), {
      placeholder: "<name>",
    }),
    days: z.number().int().min(1).max(90).default(14).describe("For how many days"),
    reason: z.string().optional().describe("Why, for whoever reads the file"),
    release: option(z.string().optional().describe("Let this case count again"), { placeholder: "<case>" }),
  }),
  examples: [
    { run: "eval flaky", does: "which cases waver, and how often" },
    { run: "eval flaky --quarantine greets --owner robin --days 7", does: "leave one out for a week" },
  ],
});

export const evalSummaryRecord = defineRecord({
  name: "eval summary",
  summary: "Show everything that was ever run, a line a suite",
  category: "Evals",
  effect: "read",
  args: z.object({
    suite: suite(),
    tier: tier(),
    branch: z.string().optional().describe("Only of this branch"),
    since: since(),
  }),
  examples: [{ run: "eval summary --since 30d", does: "a month" }],
});

export const evalCommentRecord = defineRecord({
  name: "eval comment",
  summary: "Write the comparison as Markdown; with --pr as the one comment of a pull request",
  description:
    "Posts through gh, and replaces its own comment when there is one. Without gh, or without --pr, the Markdown is printed. The exit code tells whether it worked; a regression is for eval compare to fail on.",
  category: "Evals",
  effect: "write",
  args: z.object({
    number: option(z.number().int().min(1).optional().describe("The pull request; the branch's own when left out"), {
      positional: 0,
      placeholder: "<number>",
    }),
    pr: z.boolean().default(false).describe("Post it to the pull request"),
    name: option(z.string().optional().describe("Keeps the comments of two jobs apart"), { placeholder: "<name>" }),
    ...compared,
    wordDiff: z.boolean().default(false).describe("With how the outputs of broken cases differ"),
  }),
  examples: [
    { run: "eval comment", does: "print it" },
    { run: "eval comment --pr 42", does: "post it, or replace the one that is there" },
  ],
});

export const evalExportRecord = defineRecord({
  name: "eval export",
  summary: "Write a stored run as a file of another tool",
  category: "Evals",
  effect: "read",
  args: z.object({
    run: runArg,
    as: z.enum(["junit", "csv", "jsonl", "promptfoo", "otlp", "markdown"]).describe("The format"),
    output: option(z.string().optional().describe("The file; standard output when left out"), {
      short: "o",
      placeholder: "<file>",
    }),
  }),
  examples: [{ run: "eval export 9f2c1ab7 --as junit -o report.xml", does: "for a CI that reads JUnit" }],
});

export const evalLeaderboardRecord = defineRecord({
  name: "eval leaderboard",
  summary: "Show the team's week of evals",
  description: "Totals by default; people are named only where they agreed to be.",
  category: "Evals",
  effect: "read",
  args: z.object({}),
  examples: [{ run: "eval leaderboard", does: "what the team ran, and how it went" }],
});

export const storeCommands: readonly AnyCommand[] = [
  defineCommand(evalPushRecord, async () => (await import("./push.ts")).pushWith((await import("./team.ts")).noTeam)),
  defineCommand(evalListRecord, async () => (await import("./list.ts")).listWith((await import("./team.ts")).noTeam)),
  defineCommand(evalShowRecord, async () => (await import("./show.ts")).show),
  defineCommand(evalCompareRecord, async () => (await import("./compare.ts")).compare),
  defineCommand(evalTrendRecord, async () =>
    (await import("./trend.ts")).trendWith((await import("./team.ts")).noTeam),
  ),
  defineCommand(evalBlameRecord, async () => (await import("./blame.ts")).blame),
  defineCommand(evalFlakyRecord, async () => (await import("./flaky.ts")).flaky),
  defineCommand(evalSummaryRecord, async () => (await import("./summary.ts")).summary),
  defineCommand(evalCommentRecord, async () => (await import("./comment.ts")).comment),
  defineCommand(evalExportRecord, async () => (await import("./export.ts")).exportRun),
  defineCommand(evalLeaderboardRecord, async () =>
    (await import("./leaderboard.ts")).leaderboardWith((await import("./team.ts")).noTeam),
  ),
];
