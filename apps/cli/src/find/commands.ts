/** `devflow find`: searches the command records, so that nobody has to read all of them. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

export const findRecord = defineRecord({
  name: "find",
  summary: "Find commands by words: names, descriptions, flags and examples",
  category: "Start",
  effect: "meta",
  args: z.object({
    words: option(z.array(z.string()).min(1).describe("What you want to do"), {
      positional: 0,
      placeholder: "<words>",
    }),
  }),
  output: z.object({ commands: z.array(z.object({ name: z.string(), summary: z.string(), usage: z.string() })) }),
  examples: [
    { run: "find approve gate", does: "commands that mention both words" },
    { run: "find worktree", does: "also searches flags and descriptions" },
  ],
});

export const findCommands: readonly AnyCommand[] = [
  defineCommand(findRecord, async () => (await import("./find.ts")).find),
];
