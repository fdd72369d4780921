/** `devflow eval push`, `list` and the other commands over stored runs. They need no server. */
import { defineCommand, option } from "@devflow/core/command";
import { z } from "zod";

export const storeCommands = [
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
      suite: z.string().optional().describe("Only of this suite"),
      branch: z.string().optional().describe("Only of this branch"),
      tier: z.string().optional().describe("Only of this tier"),
      failed: z.boolean().default(false).describe("Only runs with failures or errors"),
      limit: z.number().int().min(1).max(500).default(20).describe("At most so many"),
    }),
    examples: [{ run: "eval list --suite onboarding --failed", does: "the bad runs of one suite" }],
    handler: async () => (await import("./list.ts")).list,
  }),
];
