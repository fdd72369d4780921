/** Evidence: what was done in the browser, recorded so that it can be checked and done again. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand } from "../command.ts";

const bundlePath = z.string().min(1);

export const evidenceCommands = [
  defineBrowseCommand({
    name: "evidence start",
    summary: "Record everything that this session does from now on",
    description:
      "A journal under .devflow/evidence, each line with the hash of the one before, bound to the git commit: commands, receipts, pictures. What is typed into password fields, cookies and headers is not written down.",
    group: "Meta",
    effect: "meta",
    needs: "daemon",
    args: z.object({
      name: option(z.string().min(1).max(100).default("browse").describe("What is tested"), { positional: 0 }),
      shots: z.boolean().default(true).describe("A picture after each write"),
    }),
    output: z.object({ bundle: z.string(), commit: z.string().nullable(), changedFiles: z.number() }),
    examples: [{ run: "evidence start checkout", does: "then work as usual" }],
    handler: async () => (await import("../evidence/index.ts")).startEvidence,
  }),
  defineBrowseCommand({
    name: "evidence stop",
    summary: "End the recording and write a Playwright spec of it",
    group: "Meta",
    effect: "meta",
    needs: "daemon",
    args: z.object({}),
    output: z.object({ bundle: z.string(), commands: z.number(), head: z.string(), spec: z.string() }),
    examples: [{ run: "evidence stop", does: "prints the bundle and the hash that pins it" }],
    handler: async () => (await import("../evidence/index.ts")).stopEvidence,
  }),
  defineBrowseCommand({
    name: "evidence list",
    summary: "List the bundles of evidence in this workspace, newest first",
    group: "Meta",
    effect: "read",
    needs: "daemon",
    args: z.object({}),
    output: z.object({ bundles: z.array(z.object({ bundle: z.string(), name: z.string(), commands: z.number() })) }),
    examples: [{ run: "evidence list", does: "also says which do not hold any more" }],
    handler: async () => (await import("../evidence/index.ts")).listEvidence,
  }),
  defineBrowseCommand({
    name: "verify",
    summary: "Check a bundle of evidence, do it again, and say what differs",
    description:
      "Done again in a fresh session, by what the elements are and not by their refs. Exit code 1 when something differs.",
    group: "Meta",
    effect: "write",
    needs: "daemon",
    deadlineMs: 600_000,
    args: z.object({
      bundle: option(bundlePath.optional().describe("Its folder; by default the newest"), { positional: 0 }),
      checkOnly: z.boolean().default(false).describe("Only check that nothing in it was changed"),
      head: option(z.string().length(64).optional().describe("The hash that it must end with"), {
        placeholder: "<hash>",
      }),
      url: option(z.url().optional().describe("Another server than the recorded one"), { placeholder: "<url>" }),
      here: z.boolean().default(false).describe("In this session, with its log-ins, instead of a fresh one"),
      secrets: option(
        bundlePath.optional().describe("JSON with SECRET_1 and so on, where the recording left them out"),
        {
          placeholder: "<file>",
        },
      ),
    }),
    output: z.object({
      bundle: z.string(),
      head: z.string(),
      commit: z.string().nullable(),
      steps: z.array(
        z.object({
          line: z.number(),
          command: z.string(),
          differences: z.array(z.string()),
          skipped: z.string().optional(),
        }),
      ),
    }),
    examples: [
      { run: "verify", does: "the newest bundle" },
      { run: "verify .devflow/evidence/20261115T101500-checkout --url https://staging.example.com", does: "elsewhere" },
    ],
    handler: async () => (await import("../evidence/index.ts")).verifyEvidence,
  }),
];
