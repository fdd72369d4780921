/** `devflow retro`: what the repository's history says about the last days. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

export const retroRecord = defineRecord({
  name: "retro",
  summary: "Look back at the last days of this repository",
  description:
    "Read from git: your branch and the remote's default branch together, each commit once. Merges and generated files are counted apart, and the .mailmap is used. The same number of days before is the comparison. With a team, the numbers are shared with it.",
  category: "Team",
  effect: "write",
  args: z.object({
    window: option(
      z
        .string()
        .regex(/^[1-9]\d{0,2}d$/, "expected days, such as 7d")
        .default("7d")
        .describe("How far back: 7d, 14d, 30d or any number of days"),
      { positional: 0, placeholder: "<days>" },
    ),
    team: z.boolean().default(false).describe("Add what the team pushed: ships, evals, QA, reviews"),
    until: option(z.iso.date().optional().describe("The last day, if not today"), { placeholder: "<date>" }),
    noShare: z.boolean().default(false).describe("Print only; nothing is sent to the team"),
  }),
  examples: [
    { run: "retro", does: "the last 7 days" },
    { run: "retro 30d --team", does: "with the team's ships, evals and reviews" },
    { run: "retro 14d --json", does: "for a program" },
  ],
});

export const retroCommands: readonly AnyCommand[] = [
  defineCommand(retroRecord, async () => (await import("./retro.ts")).retro),
];
