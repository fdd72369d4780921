/** `devflow doctor`: what this machine has, what is missing, and the next command. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";
import { CheckResult } from "./check.ts";

export const doctorRecord = defineRecord({
  name: "doctor",
  summary: "Check this machine and show how to fix problems",
  description:
    "Works with a broken configuration too. Exit code 0: no check failed; 1: at least one failed; 2: doctor itself failed.",
  category: "Care",
  effect: "read",
  args: z.object({
    quiet: option(z.boolean().default(false).describe("Print only problems"), { short: "q" }),
    listOrphans: z
      .boolean()
      .default(false)
      .describe("Only list worktrees and agents without a run, and runs without a worktree; removes nothing"),
  }),
  output: z.object({ ok: z.boolean(), checks: z.array(CheckResult).optional(), orphans: z.unknown().optional() }),
  examples: [
    { run: "doctor --json", does: "as JSON, for example for a bug report" },
    { run: "doctor --list-orphans", does: "list what runs left behind" },
  ],
});

export const doctorCommands: readonly AnyCommand[] = [
  defineCommand(doctorRecord, async () => (await import("./doctor.ts")).doctor),
];
