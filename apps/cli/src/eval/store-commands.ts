/** `devflow eval push`, `list` and the other commands over stored runs. They need no server. */
import { type AnyCommand, defineCommand, option } from "@devflow/core/command";
import { z } from "zod";

const tiers = ["quick", "fast", "standard", "full", "e2e", "llm-judge"] as const;
const since = () =>
  option(z.string().optional().describe("Only from then on: 12h, 7d, 2w or a date"), { placeholder: "<when>" });
const team = () => z.boolean().default(false).describe("The team's runs instead of this machine's");
const suite = (sentence = "Only of this suite") => z.string().optional().describe(sentence);
const tier = (sentence = "Only of this tier") => z.enum(tiers).optional().describe(sentence);

export const storeCommands: readonly AnyCommand[] = [
  defineCommand({
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
      as: option(
        z.string().optional().describe("Read it as this format, whatever it looks like: docs/eval-formats.md"),
        {
          placeholder: "<format>",
        },
      ),
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
    examples: [
      { run: "eval push results.json", does: "one line says what came of it" },
      { run: "eval push promptfoo.json inspect.eval junit.xml", does: "files of other tools" },
      { run: "eval push - --name billing.jsonl", does: "a result a line, from a pipe" },
    ],
    handler: async () => (await import("./push.ts")).pushWith((await import("./team.ts")).noTeam),
  }),
  defineCommand({
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
    examples: [{ run: "eval list --suite onboarding --failed --since 7d", does: "the bad runs of a week" }],
    handler: async () => (await import("./list.ts")).listWith((await import("./team.ts")).noTeam),
  }),
  defineCommand({
    name: "eval show",
    summary: "Show one run: counts, categories, failures; or one case with its output and history",
    category: "Evals",
    effect: "read",
    args: z.object({
      run: option(
        z.string().optional().describe("Its id or the beginning of it, or suite/id; the newest when left out"),
        {
          positional: 0,
          placeholder: "<run>",
        },
      ),
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
    handler: async () => (await import("./show.ts")).show,
  }),
];
