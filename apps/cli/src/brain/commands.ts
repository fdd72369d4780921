/** `devflow brain …`: the team's shared memory. Decisions have a file of their own: decide-commands.ts. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

const base = { category: "Brain", effect: "write" } as const;
const reads = { category: "Brain", effect: "read" } as const;
const noArguments = z.object({});
const files = z.array(z.string().min(1)).default([]).describe("A file that it is about; repeat it for more");
const features = z.array(z.string().min(1)).default([]).describe("A feature that it is about; repeat it for more");
const limit = option(z.number().int().min(1).max(500).default(20).describe("Number of rows"), { short: "n" });
const intentRef = option(
  z.string().min(4).optional().describe("An intent's id or its last characters; by default the one of this session"),
  { positional: 0, placeholder: "<intent>" },
);

export const brainSyncRecord = defineRecord({
  ...base,
  name: "brain sync",
  summary: "Fetch the team's digest: who is at work, what was decided, what was handed over",
  description: "Keeps it on this machine, where other commands find it offline.",
  args: z.object({
    forAgent: z
      .boolean()
      .default(false)
      .describe("Print it as agents get it: at most 9,000 characters, marked as data"),
  }),
  examples: [
    { run: "brain sync", does: "before you start" },
    { run: "brain sync --for-agent", does: "what a session is told when it starts" },
  ],
});

export const brainHeartbeatRecord = defineRecord({
  ...base,
  name: "brain heartbeat",
  summary: "Say that you are at work here; it holds for five minutes",
  args: z.object({
    intent: z.string().max(500).optional().describe("What you are doing; by default your intent"),
    file: files,
    state: z.enum(["working", "waiting", "idle", "left"]).default("working").describe("What you are doing now"),
  }),
  examples: [{ run: "brain heartbeat --state left", does: "leave at once" }],
});

export const brainPresenceRecord = defineRecord({
  ...reads,
  name: "brain presence",
  summary: "Show who is at work right now",
  args: z.object({
    watch: option(z.boolean().default(false).describe("Print again whenever it changes"), { short: "w" }),
    everywhere: z.boolean().default(false).describe("In all repositories of the team"),
  }),
  examples: [{ run: "brain presence --watch", does: "follow it live" }],
});

export const logEditRecord = defineRecord({
  ...base,
  name: "brain log-edit",
  summary: "Record that this session changed files; hooks do it by themselves",
  description: "For agents that have no hooks. The lines are those that differ from the last commit.",
  args: z.object({
    file: option(z.array(z.string().min(1)).max(200).default([]).describe("A changed file; by default all of them"), {
      positional: 0,
      placeholder: "<file>",
    }),
    tool: z.string().min(1).max(100).default("manual").describe("What changed them"),
    prompt: z.string().max(10_000).optional().describe("What you were asked for"),
  }),
  examples: [{ run: "brain log-edit src/limit.ts", does: "after changing it" }],
});

export const intentGetRecord = defineRecord({
  ...reads,
  name: "brain intent get",
  summary: "Show the intent of this session",
  args: noArguments,
  examples: [{ run: "brain intent get --json", does: "for a program" }],
});

export const intentWriteRecord = defineRecord({
  ...base,
  name: "brain intent write",
  summary: "Tell the team what you are about to do",
  description: "A second one replaces the text, files and features of this session's intent.",
  args: z.object({
    text: option(z.string().min(1).max(2000).describe("What you are about to do"), {
      positional: 0,
      placeholder: "<text>",
    }),
    file: files,
    feature: features,
    decision: z.array(z.string()).default([]).describe("A decision that it follows: its number or id"),
    new: z.boolean().default(false).describe("Start another intent, even if this session has one"),
  }),
  examples: [{ run: 'brain intent write "Limit requests per key" --file src/limit.ts', does: "before you start" }],
});

export const intentInferRecord = defineRecord({
  ...base,
  name: "brain intent infer",
  summary: "Infer the intent from the prompt, the branch and the changed files",
  description:
    "Asks no model, and says how sure it is. An intent that a person wrote is never replaced by an inferred one.",
  args: z.object({
    prompt: z.string().max(100_000).optional().describe("What the agent was asked; - reads standard input"),
    dryRun: z.boolean().default(false).describe("Only show it"),
  }),
  examples: [{ run: 'brain intent infer --prompt "Fix the login loop" --dry-run', does: "see what it would be" }],
});

export const intentShipRecord = defineRecord({
  ...base,
  name: "brain intent ship",
  summary: "Say that the intent is done",
  args: z.object({ intent: intentRef }),
  examples: [{ run: "brain intent ship", does: "after merging" }],
});

export const intentAbandonRecord = defineRecord({
  ...base,
  name: "brain intent abandon",
  summary: "Say that the intent was given up",
  args: z.object({ intent: intentRef }),
  examples: [{ run: "brain intent abandon", does: "so that nobody waits for it" }],
});

export const intentListRecord = defineRecord({
  ...reads,
  name: "brain intent list",
  summary: "List what the team is about to do",
  args: z.object({ all: z.boolean().default(false).describe("Also shipped and abandoned ones"), limit }),
  examples: [{ run: "brain intent list --all", does: "with the history" }],
});

export const handoffWriteRecord = defineRecord({
  ...base,
  name: "brain handoff write",
  summary: "Leave a note for whoever goes on with this work",
  args: z.object({
    text: option(z.string().min(1).max(20_000).describe("The note; - reads standard input"), {
      positional: 0,
      placeholder: "<text>",
    }),
    to: z.string().optional().describe("A teammate's name; by default whoever comes next"),
    file: files,
  }),
  examples: [{ run: 'brain handoff write "Tests pass; the migration is missing" --to Bob', does: "for one person" }],
});

export const handoffAutoRecord = defineRecord({
  ...base,
  name: "brain handoff auto",
  summary: "Leave a note made from the intent, the commits and the changed files",
  args: noArguments,
  examples: [{ run: "brain handoff auto", does: "at the end of a session" }],
});

export const handoffListRecord = defineRecord({
  ...reads,
  name: "brain handoff list",
  summary: "List the notes that sessions left",
  args: z.object({ limit }),
  examples: [{ run: "brain handoff list", does: "newest first" }],
});

export const standupRecord = defineRecord({
  ...reads,
  name: "brain standup",
  summary: "Show what everybody did since yesterday",
  args: z.object({
    since: z.string().default("24h").describe("12h, 7d, 2w or a date"),
    everywhere: z.boolean().default(false).describe("In all repositories of the team"),
  }),
  examples: [{ run: "brain standup --since 7d", does: "for a week" }],
});

export const whyRecord = defineRecord({
  ...reads,
  name: "brain why",
  summary: "Explain a line, a symbol or a file: who changed it, why, and what was decided about it",
  description:
    "From the line to its commit, the edit, the agent and its prompt, the intent, the run with its gates, decisions, findings, evals and the ship. Each step names its source. What the team has not recorded comes from git, and is marked so.",
  args: z.object({
    target: option(z.string().min(1).describe("file, file:line, file:symbol or symbol"), {
      positional: 0,
      placeholder: "<target>",
    }),
  }),
  examples: [
    { run: "brain why src/limit.ts:42", does: "one line" },
    { run: "brain why limitRequests", does: "a function, wherever it is" },
  ],
});

export const featureTagRecord = defineRecord({
  ...base,
  name: "brain feature tag",
  summary: "Say which files and decisions belong to a feature",
  args: z.object({
    feature: option(z.string().min(1).describe("The feature's name, such as billing"), {
      positional: 0,
      placeholder: "<feature>",
    }),
    file: files,
    decision: z.array(z.string()).default([]).describe("A decision: its number or id"),
  }),
  examples: [{ run: "brain feature tag billing --file src/invoice.ts", does: "one file" }],
});

export const featureListRecord = defineRecord({
  ...reads,
  name: "brain feature list",
  summary: "List the features, with how much is known about each",
  args: noArguments,
  examples: [{ run: "brain feature list", does: "files, decisions and intents" }],
});

export const brainDoctorRecord = defineRecord({
  ...reads,
  name: "brain doctor",
  summary: "Check that the brain works here, from the repository to the server",
  args: noArguments,
  examples: [{ run: "brain doctor", does: "exit code 1 if something is wrong" }],
});

export const brainCommands: readonly AnyCommand[] = [
  defineCommand(brainSyncRecord, async () => (await import("./sync.ts")).brainSync),
  defineCommand(brainHeartbeatRecord, async () => (await import("./heartbeat.ts")).brainHeartbeat),
  defineCommand(brainPresenceRecord, async () => (await import("./presence.ts")).brainPresence),
  defineCommand(logEditRecord, async () => (await import("./log-edit.ts")).logEdit),
  defineCommand(intentGetRecord, async () => (await import("./intent.ts")).intentGet),
  defineCommand(intentWriteRecord, async () => (await import("./intent.ts")).intentWrite),
  defineCommand(intentInferRecord, async () => (await import("./infer.ts")).intentInfer),
  defineCommand(intentShipRecord, async () => (await import("./intent.ts")).intentShip),
  defineCommand(intentAbandonRecord, async () => (await import("./intent.ts")).intentAbandon),
  defineCommand(intentListRecord, async () => (await import("./intent.ts")).intentList),
  defineCommand(handoffWriteRecord, async () => (await import("./handoff.ts")).handoffWrite),
  defineCommand(handoffAutoRecord, async () => (await import("./handoff.ts")).handoffAuto),
  defineCommand(handoffListRecord, async () => (await import("./handoff.ts")).handoffList),
  defineCommand(standupRecord, async () => (await import("./standup.ts")).brainStandup),
  defineCommand(whyRecord, async () => (await import("./why.ts")).brainWhy),
  defineCommand(featureTagRecord, async () => (await import("./feature.ts")).featureTag),
  defineCommand(featureListRecord, async () => (await import("./feature.ts")).featureList),
  defineCommand(brainDoctorRecord, async () => (await import("./doctor.ts")).brainDoctor),
];
