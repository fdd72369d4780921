/** Evidence: what was done in the browser, recorded so that it can be checked and replayed. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand, defineBrowseRecord } from "../command.ts";

const bundlePath = z.string().min(1);

export const verifyRecord = defineBrowseRecord({
  name: "verify",
  summary: "Check an evidence bundle, replay it, and report what differs",
  description:
    "Replays in a fresh session and finds elements by what they are, not by their refs. Exit code 65 when something differs.",
  group: "Meta",
  effect: "write",
  needs: "daemon",
  deadlineMs: 600_000,
  args: z.object({
    bundle: option(bundlePath.optional().describe("Its folder; by default the newest bundle"), { positional: 0 }),
    checkOnly: z.boolean().default(false).describe("Only check that it was not altered"),
    head: option(z.string().length(64).optional().describe("The hash it must end with"), {
      placeholder: "<hash>",
    }),
    url: option(z.url().optional().describe("Replay against this server instead of the recorded one"), {
      placeholder: "<url>",
    }),
    here: z.boolean().default(false).describe("Replay in this session, with its logins, instead of a fresh one"),
    secrets: option(
      bundlePath.optional().describe("JSON with the values that the recording left out: SECRET_1 and so on"),
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
    {
      run: "verify .devflow/evidence/20261115T101500-checkout --url https://staging.example.com",
      does: "against staging",
    },
  ],
});

export const evidenceCommands = [
  defineBrowseCommand(
    {
      name: "evidence start",
      summary: "Record everything this session does from now on",
      description:
        "Writes a journal under .devflow/evidence, bound to the git commit, each line with the hash of the one before: commands, receipts, screenshots. Typed passwords and the values of cookies and headers are not recorded.",
      group: "Meta",
      effect: "meta",
      needs: "daemon",
      args: z.object({
        name: option(z.string().min(1).max(100).default("browse").describe("What is tested"), { positional: 0 }),
        shots: z.boolean().default(true).describe("Take a screenshot after each write"),
      }),
      output: z.object({ bundle: z.string(), commit: z.string().nullable(), changedFiles: z.number() }),
      examples: [{ run: "evidence start checkout", does: "then work as usual" }],
    },
    async () => (await import("../evidence/index.ts")).startEvidence,
  ),
  defineBrowseCommand(
    {
      name: "evidence stop",
      summary: "End the recording and write a Playwright spec from it",
      group: "Meta",
      effect: "meta",
      needs: "daemon",
      args: z.object({}),
      output: z.object({ bundle: z.string(), commands: z.number(), head: z.string(), spec: z.string() }),
      examples: [{ run: "evidence stop", does: "print the bundle and the hash that pins it" }],
    },
    async () => (await import("../evidence/index.ts")).stopEvidence,
  ),
  defineBrowseCommand(
    {
      name: "evidence list",
      summary: "List the evidence bundles in this workspace, newest first",
      group: "Meta",
      effect: "read",
      needs: "daemon",
      args: z.object({}),
      output: z.object({ bundles: z.array(z.object({ bundle: z.string(), name: z.string(), commands: z.number() })) }),
      examples: [{ run: "evidence list", does: "also shows which have been altered" }],
    },
    async () => (await import("../evidence/index.ts")).listEvidence,
  ),
  defineBrowseCommand(verifyRecord, async () => (await import("../evidence/index.ts")).verifyEvidence),
];
