/** `devflow brain precheck`. */
import { certainties, conflictKinds } from "@devflow/brain/precheck-report";
import { type AnyCommand, defineCommand, defineRecord } from "@devflow/core/command";
import { z } from "zod";

const Lines = z.tuple([z.number(), z.number()]);

export const precheckRecord = defineRecord({
  name: "brain precheck",
  summary: "Show the conflicts that your work would meet if you shared it now",
  description:
    "Compares HEAD with the branches of teammates as of the last fetch and with other worktrees (exact), your changes with edits and intents that the team knows (overlap), what your session read with the target branch (stale), and the symbols you use with their signatures elsewhere (semantic). It changes nothing, takes at most two seconds, and exits with 0 whatever it finds.",
  category: "Brain",
  effect: "read",
  args: z.object({
    against: z
      .string()
      .min(1)
      .optional()
      .describe("The branch your work is for; by default the remote's default branch"),
    fetch: z.boolean().default(false).describe("Fetch the branches of the remote first, for at most 10 seconds"),
  }),
  output: z.object({
    against: z.string().nullable(),
    branch: z.string().nullable(),
    head: z.string().nullable(),
    merged: z.number(),
    unchecked: z.array(z.object({ what: z.string(), reason: z.string() })),
    findings: z.array(
      z.object({
        kind: z.enum(conflictKinds),
        sure: z.enum(certainties),
        who: z.string(),
        branch: z.string().nullable(),
        intent: z.string().nullable(),
        file: z.string(),
        lines: z.array(Lines),
        what: z.string(),
        hunks: z.array(z.object({ lines: Lines, mine: z.string(), theirs: z.string() })),
        next: z.string(),
      }),
    ),
  }),
  examples: [
    { run: "brain precheck", does: "before you push" },
    {
      run: "brain precheck --against origin/release --fetch --json",
      does: "for a program, with branches of this moment",
    },
  ],
});

export const precheckCommands: readonly AnyCommand[] = [
  defineCommand(precheckRecord, async () => (await import("./precheck.ts")).brainPrecheck),
];
