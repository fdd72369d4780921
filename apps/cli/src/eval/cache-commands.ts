/** `devflow eval cache …`: cached outputs, for runners in any language. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

const suite = () => option(z.string().describe("The suite"), { positional: 0, placeholder: "<suite>" });
const key = () =>
  option(z.string().optional().describe("The key (default: computed from --file, --input and --attempt)"), {
    positional: 1,
    placeholder: "<key>",
  });
/** What a key is computed from. */
const keyParts = {
  file: z.array(z.string()).default([]).describe("A source file whose content is part of the key"),
  input: z.string().optional().describe("The case's input as JSON, or @file to read it from a file"),
  attempt: z.int().min(1).default(1).describe("Which repeat, starting at 1"),
  case: z.string().optional().describe("The case's name"),
};

export const evalCacheReadRecord = defineRecord({
  name: "eval cache read",
  summary: "Print a cached output as JSON",
  description:
    "Exit code 0: a hit; 1: a miss. EVAL_CACHE=0 makes every read a miss; EVAL_CACHE_CLEAR=1 clears the cache once before the run.",
  category: "Evals",
  effect: "read",
  args: z.object({ suite: suite(), key: key(), ...keyParts }),
  examples: [
    { run: "eval cache read my_suite abc123def456", does: "by your own key" },
    { run: `eval cache read my_suite --file prompt.txt --input '{"q":1}'`, does: "by what the output depends on" },
  ],
});

export const evalCacheWriteRecord = defineRecord({
  name: "eval cache write",
  summary: "Cache an output: JSON from the last argument or from standard input",
  category: "Evals",
  effect: "write",
  args: z.object({
    suite: suite(),
    key: key(),
    data: option(z.string().optional().describe("The output as JSON (default, or with -: standard input)"), {
      positional: 2,
      placeholder: "<json>",
    }),
    ...keyParts,
  }),
  examples: [
    {
      run: `eval cache write my_suite abc123def456 '{"response":"…"}'`,
      does: "the output's usage determines what a hit saves",
    },
  ],
});

export const evalCacheStatsRecord = defineRecord({
  name: "eval cache stats",
  summary: "Show entries, disk use, hits and dollars saved, per suite",
  category: "Evals",
  effect: "read",
  args: z.object({}),
  examples: [{ run: "eval cache stats", does: "what the cache is worth" }],
});

export const evalCacheVerifyRecord = defineRecord({
  name: "eval cache verify",
  summary: "Check every entry; exit code 1 if any are damaged",
  category: "Evals",
  effect: "read",
  args: z.object({}),
  examples: [{ run: "eval cache verify", does: "lists damaged entries; they count as misses" }],
});

export const evalCacheClearRecord = defineRecord({
  name: "eval cache clear",
  summary: "Delete cached outputs",
  category: "Evals",
  effect: "write",
  destroys: true,
  args: z.object({
    suite: option(z.string().optional().describe("Only this suite (default: all)"), {
      positional: 0,
      placeholder: "<suite>",
    }),
    judges: z.boolean().default(false).describe("Delete judges' votes instead of outputs"),
  }),
  examples: [{ run: "eval cache clear my_suite", does: "one suite" }],
});

export const evalCacheWhyRecord = defineRecord({
  name: "eval cache why",
  summary: "Show which file or field caused a miss",
  category: "Evals",
  effect: "read",
  args: z.object({ suite: suite(), key: key(), ...keyParts }),
  examples: [
    {
      run: `eval cache why my_suite --case refund --file prompt.txt --input @input.json`,
      does: "what changed since it was cached",
    },
  ],
});

export const cacheCommands: readonly AnyCommand[] = [
  defineCommand(evalCacheReadRecord, async () => (await import("./cache.ts")).readCache),
  defineCommand(evalCacheWriteRecord, async () => (await import("./cache.ts")).writeCache),
  defineCommand(evalCacheStatsRecord, async () => (await import("./cache.ts")).cacheStats),
  defineCommand(evalCacheVerifyRecord, async () => (await import("./cache.ts")).verifyCache),
  defineCommand(evalCacheClearRecord, async () => (await import("./cache.ts")).clearCache),
  defineCommand(evalCacheWhyRecord, async () => (await import("./cache.ts")).whyMiss),
];
