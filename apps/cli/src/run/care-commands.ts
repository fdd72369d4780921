/** `devflow run cleanup | prune | purge`: what runs leave behind. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { CleanupAnswer, PruneAnswer, PurgeAnswer } from "@devflow/protocol";
import { z } from "zod";

const namedRun = () =>
  option(z.string().describe("The run's id, or its beginning or end"), { positional: 0, placeholder: "<run>" });

export const runCleanupRecord = defineRecord({
  name: "run cleanup",
  summary: "Remove the worktree of a run that has ended; its branch stays",
  description:
    "Refuses a worktree with uncommitted work. --force also needs --confirm with the run's full id, and is recorded.",
  category: "Runs",
  effect: "write",
  destroys: true,
  args: z.object({
    run: namedRun(),
    force: option(z.boolean().default(false).describe("Also remove uncommitted work"), { destroys: true }),
    confirm: option(z.string().optional().describe("The run's full id, with --force"), { placeholder: "<run id>" }),
  }),
  output: CleanupAnswer,
  examples: [{ run: "run cleanup 3f9a2c1b", does: "after its work is merged" }],
});

export const runPruneRecord = defineRecord({
  name: "run prune",
  summary: "Remove the worktrees and attachments of runs that have ended, and show the disk they take",
  description:
    "Without --yes it only lists them. A worktree with uncommitted work stays, and so does a branch that its base branch does not contain.",
  category: "Runs",
  effect: "write",
  destroys: true,
  args: z.object({
    olderThan: option(
      z.number().min(0).max(36_500).default(0).describe("Only runs that ended at least so many days ago"),
      {
        placeholder: "<days>",
      },
    ),
    branches: option(
      z.boolean().default(false).describe("Also remove branches that are merged into their base branch"),
      {
        destroys: true,
      },
    ),
    yes: option(z.boolean().default(false).describe("Remove them"), { destroys: true }),
  }),
  output: PruneAnswer,
  examples: [
    { run: "run prune", does: "list what could be removed, with its size" },
    { run: "run prune --older-than 14 --branches --yes", does: "remove worktrees and merged branches after two weeks" },
  ],
});

export const runPurgeRecord = defineRecord({
  name: "run purge",
  summary: "Delete the content of a run and keep its hashes",
  description: "For admins of the team. Cannot be undone; recorded as an event of the run.",
  category: "Runs",
  effect: "write",
  destroys: true,
  args: z.object({
    run: namedRun(),
    confirm: option(z.string().optional().describe("The run's full id"), { placeholder: "<run id>" }),
  }),
  output: PurgeAnswer,
  examples: [
    {
      run: "run purge 3f9a2c1b --confirm 0198c0de-0000-7000-8000-00003f9a2c1b",
      does: "the full id is the confirmation",
    },
  ],
});

export const careCommands: readonly AnyCommand[] = [
  defineCommand(runCleanupRecord, async () => (await import("./care.ts")).cleanup),
  defineCommand(runPruneRecord, async () => (await import("./prune.ts")).prune),
  defineCommand(runPurgeRecord, async () => (await import("./care.ts")).purge),
];
