/** `devflow run fork | compare`: another try from the middle of a run. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { RunComparison, RunStarted } from "@devflow/protocol";
import { z } from "zod";

export const runForkRecord = defineRecord({
  name: "run fork",
  summary: "Start a new run from the state before a phase of another run",
  description:
    "The fork begins with the commit, artifacts and findings of that moment, in its own worktree. Roles keep their persona and model, and phases their instructions, unless you change them here. The other run is not touched.",
  category: "Runs",
  effect: "write",
  args: z.object({
    run: option(
      z.string().optional().describe("The run's id, or its beginning or end; by default the newest of this repository"),
      { positional: 0, placeholder: "<run>" },
    ),
    at: option(z.string().describe("The phase that the fork begins with"), { placeholder: "<phase>" }),
    override: option(
      z.array(z.string()).default([]).describe("Persona or backend for a role: role=persona@version or role=backend"),
      { placeholder: "<role=who>" },
    ),
    model: option(z.array(z.string()).default([]).describe("Another model for a role: role=model"), {
      placeholder: "<role=model>",
    }),
    instructions: option(
      z.string().optional().describe("A file with other instructions for that phase, or - for standard input"),
      { placeholder: "<file>" },
    ),
    title: z.string().min(1).max(500).optional().describe("Title of the fork; by default that of the run"),
    maxUsd: option(z.number().positive().optional().describe("Ask before its agents cost more than this"), {
      placeholder: "<dollars>",
    }),
    maxTokens: option(
      z.number().int().positive().optional().describe("Ask before its agents use more tokens than this"),
      { placeholder: "<n>" },
    ),
    queue: z.boolean().default(false).describe("Queue the run if too many runs are active"),
    watch: option(z.boolean().default(false).describe("Follow it to its end"), { short: "w" }),
    clientToken: z.string().min(1).max(200).optional().describe("A token of your choice that makes a retry harmless"),
  }),
  output: RunStarted,
  examples: [
    { run: "run fork 3f9a2c1b --at implement --override coder=codex", does: "the same plan, built by another agent" },
    { run: "run fork --at review --instructions strict.md", does: "review the newest run again, more strictly" },
  ],
});

export const runCompareRecord = defineRecord({
  name: "run compare",
  summary: "Compare a fork with the run that it was forked from",
  description: "Cost, time and attempts count from the fork on: what the two share is not counted.",
  category: "Runs",
  effect: "read",
  args: z.object({
    run: option(
      z
        .string()
        .optional()
        .describe("The fork's id, or its beginning or end; by default the newest of this repository"),
      { positional: 0, placeholder: "<run>" },
    ),
  }),
  output: RunComparison,
  examples: [{ run: "run compare 3f9a2c1b", does: "which of the two is better" }],
});

export const forkCommands: readonly AnyCommand[] = [
  defineCommand(runForkRecord, async () => (await import("./fork.ts")).fork),
  defineCommand(runCompareRecord, async () => (await import("./compare.ts")).compare),
];
