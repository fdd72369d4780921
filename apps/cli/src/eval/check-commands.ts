/** `devflow eval check` and its relatives: produce results, judge them, show their cost, and watch them arrive. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { evalTiers, modelTierNames, modelTiers } from "@devflow/protocol/eval-enums";
import { z } from "zod";
import { withTeam } from "../team/team.ts";
import { cacheCommands } from "./cache-commands.ts";

const modelTier = z.enum([...modelTiers, ...(Object.keys(modelTierNames) as (keyof typeof modelTierNames)[])]);
const run = () =>
  option(z.string().describe("A run id, its first characters, or suite/id"), { positional: 0, placeholder: "<run>" });
const suite = z.string().optional().describe("Which suite; needed only if there are several");

const judging = {
  profiles: option(
    z.string().optional().describe("The judge profiles (default: judge-profiles.yaml, here or next to the cases)"),
    {
      placeholder: "<file>",
    },
  ),
  judgeTier: modelTier
    .optional()
    .describe("The model that judges if a profile names none (default: EVAL_JUDGE_TIER, else standard)"),
};

export const evalCheckRecord = defineRecord({
  name: "eval check",
  summary: "Check the outputs of an app or a model against YAML cases and store the result",
  description: [
    "Cases are YAML files, folders or globs (docs/eval-suites.md). Outputs come from a JSON file, a folder, or a command. The",
    "command is run once per case, without a shell; it reads the case as JSON on standard input and prints its output as JSON.",
    "With --run, the suite's providers are asked instead: every prompt of the suite is sent to every provider. If it is killed",
    "or stopped, the same command continues where it was; no answer is paid for twice.",
    "Reads EVAL_TIER, EVAL_WORKERS, EVAL_VERBOSE, EVAL_LABEL, EVAL_CACHE, EVAL_JUDGE_TIER and EVAL_JUDGE_CACHE.",
    "Exit code 0: every case passed; 1: a case failed; 3: none failed, but some could not be checked; 5: the budget was spent",
    "before the end. With --until decided: 0: no variant is worse; 1: one is worse; 3: not decided.",
    "A promptfoo suite needs no outputs: its own prompts, providers and tests are run as they are (docs/promptfoo-suites.md),",
    "and it continues in the same way.",
  ].join("\n"),
  category: "Evals",
  effect: "write",
  args: z.object({
    paths: option(
      z
        .array(z.string())
        .describe("Case files, folders or quoted globs, then the outputs, unless a command follows --"),
      {
        positional: 0,
        placeholder: "<cases> <outputs>",
      },
    ),
    command: option(
      z
        .array(z.string())
        .optional()
        .describe("The app: reads a case as JSON on standard input and prints its output as JSON"),
      {
        positional: 1,
        placeholder: "-- <command…>",
        afterDashes: true,
      },
    ),
    suite: z.string().optional().describe("Name of the suite (default: from the case files, else their name)"),
    tier: z.enum(evalTiers).optional().describe("How much of the suite runs (default: EVAL_TIER, else standard)"),
    tag: z.array(z.string()).default([]).describe("Only cases with one of these tags"),
    skipTag: z.array(z.string()).default([]).describe("Skip cases with one of these tags"),
    case: z.array(z.string()).default([]).describe("Only cases with this name"),
    judge: z.boolean().default(false).describe("Call the judges; without it, expectations that need one are errors"),
    ...judging,
    run: z.boolean().default(false).describe("Ask the suite's providers, instead of reading outputs"),
    provider: option(
      z
        .array(z.string())
        .default([])
        .describe(
          "Ask this provider instead of the suite's: anthropic:<model>, openai:<model>, exec:<command>, a URL, …",
        ),
      { placeholder: "<id>" },
    ),
    prompt: option(z.array(z.string()).default([]).describe("Send the prompt in this file instead of the suite's"), {
      placeholder: "<file>",
    }),
    maxUsd: option(
      z.number().positive().max(1_000_000).optional().describe("Stop before the calls cost more than this, in dollars"),
      { placeholder: "<dollars>" },
    ),
    concurrency: z.int().min(1).max(1000).default(8).describe("The most calls at once for each provider"),
    until: z
      .enum(["decided"])
      .optional()
      .describe("Repeat the cases until it is clear whether the variants differ from the first one"),
    against: option(
      z.string().optional().describe("With --until: compare with this stored run, instead of the first variant"),
      { placeholder: "<run>" },
    ),
    fresh: z
      .boolean()
      .default(false)
      .describe("Forget an unfinished run of these prompts and providers, and start again"),
    repeats: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe("How many times each case runs (default: 1; with --until, at most 20)"),
    timeout: z
      .number()
      .positive()
      .max(86_400)
      .default(300)
      .describe("Maximum time of the command per case, in seconds"),
    cache: z
      .boolean()
      .default(false)
      .describe("Reuse cached outputs if nothing changed; for a command, this needs prompt_source_files"),
    workers: z.int().min(1).max(256).optional().describe("Number of worker processes (default: EVAL_WORKERS, else 1)"),
    label: z.string().optional().describe("Label of the run (default: EVAL_LABEL, else branch and tier)"),
    model: z.string().optional().describe("The model that produced the outputs, recorded with the run"),
    out: option(z.string().optional().describe("Where to write the result file"), {
      short: "o",
      placeholder: "<file>",
    }),
    push: z.boolean().default(true).describe("Store the run; with --no-push, only write the file"),
  }),
  examples: [
    { run: "eval check evals/posts.yaml outputs.json", does: "outputs that already exist" },
    { run: "eval check 'evals/**/*.yaml' --tag smoke --judge -- node app.js", does: "runs the app for each case" },
    { run: "eval check promptfooconfig.yaml", does: "runs a promptfoo suite" },
    { run: "eval check evals --run --max-usd 5", does: "asks the providers of the suite, for at most $5" },
    {
      run: "eval check evals --run --until decided --max-usd 5",
      does: "repeats until it is clear which variants are worse or better than the first",
    },
    {
      run: "eval check evals outputs/ --tier quick --no-push -o result.json",
      does: "writes a file for CI, stores nothing",
    },
  ],
});

export const evalCheckWorkerRecord = defineRecord({
  name: "eval check-worker",
  summary: "A worker process of eval check",
  category: "Evals",
  effect: "write",
  hidden: true,
  args: z.object({}),
  examples: [],
});

export const evalCodeWorkerRecord = defineRecord({
  name: "eval code-worker",
  summary: "A process that runs the code of a promptfoo suite",
  category: "Evals",
  effect: "write",
  hidden: true,
  args: z.object({}),
  examples: [],
});

export const evalRejudgeRecord = defineRecord({
  name: "eval rejudge",
  summary: "Judge the stored outputs of a run again, with another profile",
  description: [
    "The outputs stay as they are; the new judgements are stored as a separate run. eval compare refuses to compare runs of",
    "different judges unless --mix-judges is given. Exit codes are those of eval check.",
  ].join("\n"),
  category: "Evals",
  effect: "write",
  args: z.object({
    run: run(),
    profile: z
      .string()
      .optional()
      .describe("Judge everything with this profile (default: the profiles that the cases name)"),
    ...judging,
    cases: option(
      z.array(z.string()).default([]).describe("Case files, for runs that do not record what the judges were asked"),
      {
        placeholder: "<glob>",
      },
    ),
    full: z.boolean().default(false).describe("Include the judges that vote only in full runs"),
    out: option(z.string().optional().describe("Where to write the result file"), {
      short: "o",
      placeholder: "<file>",
    }),
    push: z.boolean().default(true).describe("Store the run; with --no-push, only write the file"),
  }),
  examples: [{ run: "eval rejudge 3f9a2c1b --profile strict", does: "the same outputs with a stricter judge" }],
});

export const evalLabelRecord = defineRecord({
  name: "eval label",
  summary: "Label outputs as good or bad, and see how well the judges agree",
  description: [
    "With a case and pass or fail, stores your label for that output. Without them, shows how well the judges of the run agree",
    "with each other and with the labels, and which cases to label next. With --ask, asks case by case on a terminal.",
  ].join("\n"),
  category: "Evals",
  effect: "write",
  args: z.object({
    run: run(),
    case: option(z.string().optional().describe("The case's name, or its number in the run"), {
      positional: 1,
      placeholder: "<case>",
    }),
    verdict: option(z.enum(["pass", "fail"]).optional().describe("Your verdict"), { positional: 2 }),
    repeat: z.int().min(0).default(0).describe("Which repeat of the case"),
    criterion: z.string().optional().describe("Label one criterion only (default: the whole output)"),
    note: z.string().optional().describe("Why"),
    by: z.string().optional().describe("Who gives the label (default: git's user.name)"),
    from: option(
      z
        .string()
        .optional()
        .describe('Read labels as JSON lines of {"case", "verdict", "repeat", "note"}; - reads standard input'),
      {
        placeholder: "<file>",
      },
    ),
    next: z.int().min(1).max(200).default(5).describe("How many cases to suggest"),
    ask: z.boolean().default(false).describe("Ask for each case in turn; needs a terminal"),
  }),
  examples: [
    { run: "eval label 3f9a2c1b cites_its_sources fail --note invented", does: "one label" },
    { run: "eval label 3f9a2c1b", does: "how far the run's judges can be trusted" },
  ],
});

export const evalCostRecord = defineRecord({
  name: "eval cost",
  summary: "Show what a run cost per model, and what other tiers would have cost",
  category: "Evals",
  effect: "read",
  args: z.object({
    run: option(z.string().optional().describe("A stored run or a result file (default: the newest run)"), {
      positional: 0,
      placeholder: "<run or file>",
    }),
    suite,
    html: option(z.string().optional().describe("Also write an HTML page to this file"), { placeholder: "<file>" }),
  }),
  examples: [
    { run: "eval cost", does: "the newest run" },
    { run: "eval cost result.json --html cost.html", does: "a result file, as an HTML page" },
  ],
});

export const evalBaselinesRecord = defineRecord({
  name: "eval baselines",
  summary: "Print the baseline of a suite as Markdown: what each case does, tier by tier",
  category: "Evals",
  effect: "read",
  args: z.object({
    date: option(
      z.iso.date("expected a day such as 2026-03-15").optional().describe("Only runs up to the end of that day"),
      {
        positional: 0,
        placeholder: "<date>",
      },
    ),
    suite,
    branch: z.string().optional().describe("Only runs of this branch"),
  }),
  examples: [{ run: "eval baselines 2026-03-15 --suite newsletter", does: "the baseline as of that day" }],
});

export const evalBlessRecord = defineRecord({
  name: "eval bless",
  summary: "Write the baseline of a suite to the repository, to be committed",
  description: [
    "The file has one line per case, sorted, and no totals, so branches that bless different cases merge without conflicts.",
    "Tiers that were not run recently stay as they were. Prints what changed compared with the existing file.",
  ].join("\n"),
  category: "Evals",
  effect: "write",
  args: z.object({
    suite: option(z.string().optional().describe("Which suite (default: every suite that has runs)"), {
      positional: 0,
      placeholder: "<suite>",
    }),
    date: z.iso.date("expected a day such as 2026-03-15").optional().describe("Only runs up to the end of that day"),
    branch: z.string().optional().describe("Only runs of this branch"),
    folder: z.string().optional().describe("Where to write the files (default: evals/baselines in the repository)"),
  }),
  examples: [{ run: "eval bless newsletter", does: "then: git add evals/baselines && git commit" }],
});

export const evalWatchRecord = defineRecord({
  name: "eval watch",
  summary: "Follow a run live: progress, counts, cost, time left, and results as they arrive",
  description: [
    "Reads the partial results that workers of eval check or of your own runner write to eval-partials. It can be started",
    "before the workers, and shows which of them died. Exit code 0: the run ended; 1: its workers died before the end.",
  ].join("\n"),
  category: "Evals",
  effect: "read",
  args: z.object({
    suite: option(z.string().optional().describe("Which suite (default: the one written to last)"), {
      positional: 0,
      placeholder: "<suite>",
    }),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .optional()
      .describe("Serve the live page on this port of 127.0.0.1; 0 picks a free port"),
  }),
  examples: [
    { run: "eval watch", does: "in the terminal" },
    { run: "eval watch --port 0", does: "as a web page; prints its link" },
  ],
});

export const checkCommands: readonly AnyCommand[] = [
  defineCommand(
    evalCheckRecord,
    withTeam(async () => (await import("./check.ts")).checkWith),
  ),
  defineCommand(evalCheckWorkerRecord, async () => (await import("./check-worker.ts")).checkWorker),
  defineCommand(evalCodeWorkerRecord, async () => (await import("./code-worker.ts")).codeWorker),
  defineCommand(
    evalRejudgeRecord,
    withTeam(async () => (await import("./rejudge.ts")).rejudgeWith),
  ),
  defineCommand(evalLabelRecord, async () => (await import("./label.ts")).label),
  ...cacheCommands,
  defineCommand(evalCostRecord, async () => (await import("./cost.ts")).cost),
  defineCommand(evalBaselinesRecord, async () => (await import("./baselines.ts")).baselines),
  defineCommand(evalBlessRecord, async () => (await import("./baselines.ts")).blessBaseline),
  defineCommand(evalWatchRecord, async () => (await import("./watch.ts")).watch),
];
