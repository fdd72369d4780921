/** `devflow eval check` and what belongs to it: making results, judging them, what they cost, and watching them come. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { evalTiers, modelTierNames, modelTiers } from "@devflow/protocol/eval-enums";
import { z } from "zod";
import { cacheCommands } from "./cache-commands.ts";

const modelTier = z.enum([...modelTiers, ...(Object.keys(modelTierNames) as (keyof typeof modelTierNames)[])]);
const run = () =>
  option(z.string().describe("Its id, the beginning of it, or suite/id"), { positional: 0, placeholder: "<run>" });
const suite = z.string().optional().describe("Which suite; needed only where there are several");

const judging = {
  profiles: option(
    z.string().optional().describe("The file of judge profiles; default judge-profiles.yaml, here or beside the cases"),
    {
      placeholder: "<file>",
    },
  ),
  judgeTier: modelTier
    .optional()
    .describe("Which model judges where a profile names none; default EVAL_JUDGE_TIER, else standard"),
};

export const evalCheckRecord = defineRecord({
  name: "eval check",
  summary: "Check the outputs of an app against YAML cases and store the result",
  description: [
    "Cases are files, folders or globs of YAML (docs/eval-suites.md). Outputs are a JSON file, a folder, or what a command",
    "prints: it is started once a case without a shell, reads the case as JSON from its input and prints its output as JSON.",
    "EVAL_TIER, EVAL_WORKERS, EVAL_VERBOSE, EVAL_LABEL, EVAL_CACHE, EVAL_JUDGE_TIER and EVAL_JUDGE_CACHE are honoured.",
    "Exit code: 0 every case passed, 1 a case failed, 3 none failed but some could not be checked.",
  ].join("\n"),
  category: "Evals",
  effect: "write",
  args: z.object({
    paths: option(
      z
        .array(z.string())
        .describe("Case files, folders or quoted globs; the last word is the outputs, unless a command follows --"),
      {
        positional: 0,
        placeholder: "<cases> <outputs>",
      },
    ),
    command: option(
      z.array(z.string()).optional().describe("The app: prints one output as JSON for the case on its input"),
      {
        positional: 1,
        placeholder: "-- <command…>",
        afterDashes: true,
      },
    ),
    suite: z.string().optional().describe("Name of the suite; default what the files say, else their name"),
    tier: z.enum(evalTiers).optional().describe("How much of the suite runs; default EVAL_TIER, else standard"),
    tag: z.array(z.string()).default([]).describe("Only cases with one of these tags"),
    skipTag: z.array(z.string()).default([]).describe("No cases with one of these tags"),
    case: z.array(z.string()).default([]).describe("Only cases of this name"),
    judge: z.boolean().default(false).describe("Ask judges; without it, expectations that need one are errors"),
    ...judging,
    repeats: z.int().min(1).max(1000).default(1).describe("How often the command runs for each case"),
    timeout: z.number().positive().max(86_400).default(300).describe("Seconds that the command may take for a case"),
    cache: z
      .boolean()
      .default(false)
      .describe("Take outputs of the command from the cache where nothing changed; needs prompt_source_files"),
    workers: z.int().min(1).max(256).optional().describe("Processes that check; default EVAL_WORKERS, else 1"),
    label: z.string().optional().describe("Label of the run; default EVAL_LABEL, else the branch, with the tier"),
    model: z.string().optional().describe("The model that the outputs are from, for the record"),
    out: option(z.string().optional().describe("Where the result file goes"), { short: "o", placeholder: "<file>" }),
    push: z.boolean().default(true).describe("Store the run; --no-push only writes the file"),
  }),
  examples: [
    { run: "eval check evals/posts.yaml outputs.json", does: "outputs that are there already" },
    { run: "eval check 'evals/**/*.yaml' --tag smoke --judge -- node app.js", does: "the app is run for each case" },
    { run: "eval check evals outputs/ --tier quick --no-push -o result.json", does: "a file for CI, nothing stored" },
  ],
});

export const evalCheckWorkerRecord = defineRecord({
  name: "eval check-worker",
  summary: "A process of eval check",
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
    "The outputs stay as they are; what judges said about them is replaced and stored as a run of its own. Runs of different",
    "judges are not compared unless eval compare is told to. Exit codes as for eval check.",
  ].join("\n"),
  category: "Evals",
  effect: "write",
  args: z.object({
    run: run(),
    profile: z.string().optional().describe("Judge everything by this profile; default those that the cases named"),
    ...judging,
    cases: option(
      z.array(z.string()).default([]).describe("Case files, for runs that do not say what judges were asked"),
      {
        placeholder: "<glob>",
      },
    ),
    full: z.boolean().default(false).describe("Judges that are for full runs vote too"),
    out: option(z.string().optional().describe("Where the result file goes"), { short: "o", placeholder: "<file>" }),
    push: z.boolean().default(true).describe("Store the run; --no-push only writes the file"),
  }),
  examples: [{ run: "eval rejudge 3f9a2c1b --profile strict", does: "the same outputs under a harder judge" }],
});

export const evalLabelRecord = defineRecord({
  name: "eval label",
  summary: "Say yourself whether an output is good, and see how far the judges agree",
  description: [
    "With a case and pass or fail, keeps your label for that output. Without, shows how the judges of the run agree with one",
    "another and with all labels, and which cases are worth labelling next. On a terminal it asks, case by case, with --ask.",
  ].join("\n"),
  category: "Evals",
  effect: "write",
  args: z.object({
    run: run(),
    case: option(z.string().optional().describe("Name of the case, or its number in the run"), {
      positional: 1,
      placeholder: "<case>",
    }),
    verdict: option(z.enum(["pass", "fail"]).optional().describe("What you say"), { positional: 2 }),
    repeat: z.int().min(0).default(0).describe("Which repeat of the case"),
    criterion: z.string().optional().describe("About one criterion only; default about the whole output"),
    note: z.string().optional().describe("Why"),
    by: z.string().optional().describe("Who says so; default the name that git knows"),
    from: option(
      z
        .string()
        .optional()
        .describe('Many labels: JSON lines of {"case", "verdict", "repeat", "note"}; - is standard input'),
      {
        placeholder: "<file>",
      },
    ),
    next: z.int().min(1).max(200).default(5).describe("How many cases to suggest"),
    ask: z.boolean().default(false).describe("Show one case after the other and ask; needs a terminal"),
  }),
  examples: [
    { run: "eval label 3f9a2c1b cites_its_sources fail --note invented", does: "one label" },
    { run: "eval label 3f9a2c1b", does: "how far the judges of that run can be trusted" },
  ],
});

export const evalCostRecord = defineRecord({
  name: "eval cost",
  summary: "What a run cost, per model, and what other tiers would have cost",
  category: "Evals",
  effect: "read",
  args: z.object({
    run: option(z.string().optional().describe("A stored run or a result file; default the newest run"), {
      positional: 0,
      placeholder: "<run or file>",
    }),
    suite,
    html: option(z.string().optional().describe("Write a page to this file too"), { placeholder: "<file>" }),
  }),
  examples: [
    { run: "eval cost", does: "the newest run" },
    { run: "eval cost result.json --html cost.html", does: "a file, as a page" },
  ],
});

export const evalBaselinesRecord = defineRecord({
  name: "eval baselines",
  summary: "Print the baseline of a suite as Markdown: what each case does, tier by tier",
  category: "Evals",
  effect: "read",
  args: z.object({
    date: option(
      z.iso.date("expected a day such as 2026-03-15").optional().describe("As things were at the end of that day"),
      {
        positional: 0,
        placeholder: "<date>",
      },
    ),
    suite,
    branch: z.string().optional().describe("Only runs of this branch"),
  }),
  examples: [{ run: "eval baselines 2026-03-15 --suite newsletter", does: "what was known that evening" }],
});

export const evalBlessRecord = defineRecord({
  name: "eval bless",
  summary: "Write the baseline of a suite into the repository, to be committed",
  description: [
    "One line a case, sorted, no sums: two branches that bless other cases merge without a conflict. Tiers that were not run",
    "lately stay as they were. Prints what changed against the file that was there.",
  ].join("\n"),
  category: "Evals",
  effect: "write",
  args: z.object({
    suite: option(z.string().optional().describe("Which suite; default every suite that has runs"), {
      positional: 0,
      placeholder: "<suite>",
    }),
    date: z.iso.date("expected a day such as 2026-03-15").optional().describe("As things were at the end of that day"),
    branch: z.string().optional().describe("Only runs of this branch"),
    folder: z.string().optional().describe("Where the files go; default evals/baselines in the repository"),
  }),
  examples: [{ run: "eval bless newsletter", does: "then: git add evals/baselines && git commit" }],
});

export const evalWatchRecord = defineRecord({
  name: "eval watch",
  summary: "See a run while its workers write: progress, tally, cost, time left, results as they land",
  description: [
    "Reads what workers leave under eval-partials, of eval check or of your own runner. It may start before them, and shows",
    "which of them died. Exit code: 0 the run ended, 1 its workers died before the end.",
  ].join("\n"),
  category: "Evals",
  effect: "read",
  args: z.object({
    suite: option(z.string().optional().describe("Which suite; default the one that was written last"), {
      positional: 0,
      placeholder: "<suite>",
    }),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .optional()
      .describe("Serve the live page on this port of 127.0.0.1; 0 takes a free one"),
  }),
  examples: [
    { run: "eval watch", does: "in the terminal" },
    { run: "eval watch --port 0", does: "as a page; its link is printed" },
  ],
});

export const checkCommands: readonly AnyCommand[] = [
  defineCommand(evalCheckRecord, async () =>
    (await import("./check.ts")).checkWith((await import("./team.ts")).noTeam),
  ),
  defineCommand(evalCheckWorkerRecord, async () => (await import("./check-worker.ts")).checkWorker),
  defineCommand(evalRejudgeRecord, async () =>
    (await import("./rejudge.ts")).rejudgeWith((await import("./team.ts")).noTeam),
  ),
  defineCommand(evalLabelRecord, async () => (await import("./label.ts")).label),
  ...cacheCommands,
  defineCommand(evalCostRecord, async () => (await import("./cost.ts")).cost),
  defineCommand(evalBaselinesRecord, async () => (await import("./baselines.ts")).baselines),
  defineCommand(evalBlessRecord, async () => (await import("./baselines.ts")).blessBaseline),
  defineCommand(evalWatchRecord, async () => (await import("./watch.ts")).watch),
];
