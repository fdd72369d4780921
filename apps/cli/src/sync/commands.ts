/** `devflow sync …`: records to the team and from it. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

const base = { category: "Team", effect: "write" } as const;
const noArguments = z.object({});
const recordId = z.string().min(4).describe("A record's id, or its first characters");

export const syncStatusRecord = defineRecord({
  ...base,
  effect: "read",
  name: "sync status",
  summary: "Show what waits to be sent, what was refused, and how old the team's data is",
  args: noArguments,
  output: z.object({
    team: z.object({ id: z.string(), name: z.string(), server: z.string(), user: z.string() }).nullable(),
    repo: z.string().nullable(),
    enabled: z.boolean(),
    transcripts: z.boolean(),
    connected: z.boolean(),
    queue: z.object({ records: z.number(), oldest: z.string().nullable(), warning: z.string().nullable() }),
    waiting: z.number(),
    dead: z.number(),
    sent: z.number(),
    lastPush: z.string().nullable(),
    lastPull: z.string().nullable(),
    cache: z.record(z.string(), z.object({ rows: z.number(), latest: z.string().nullable() })),
    problems: z.array(z.object({ server: z.string(), team: z.string(), reason: z.string() })),
    /** Of the team's server; null where there is none, or it cannot be asked. */
    alerts: z
      .object({ waiting: z.number(), failing: z.number(), givenUp: z.number(), lastError: z.string().nullable() })
      .nullable(),
    log: z.string(),
  }),
  examples: [{ run: "sync status --json", does: "for a program" }],
});

export const syncDrainRecord = defineRecord({
  ...base,
  name: "sync drain",
  summary: "Send the waiting records now",
  description:
    "They are sent in the background anyway; a process that sends already is waited for, a minute at most. Exit code 75 if some could not be sent; they stay where they are.",
  args: noArguments,
  examples: [{ run: "sync drain", does: "after working offline" }],
});

export const syncPullRecord = defineRecord({
  ...base,
  name: "sync pull",
  summary: "Fetch what teammates pushed, for skills and commands to read",
  args: noArguments,
  examples: [{ run: "sync pull", does: "bring the team cache of this repository up to date" }],
});

export const syncTestRecord = defineRecord({
  ...base,
  name: "sync test",
  summary: "Send a ping to the team store and read it back",
  args: noArguments,
  examples: [{ run: "sync test", does: "see whether everything works, and how long it takes" }],
});

export const syncShowRecord = defineRecord({
  ...base,
  effect: "read",
  name: "sync show",
  summary: "List the team's records in the cache of this repository",
  args: z.object({
    kind: option(z.string().optional().describe("Only this kind"), { positional: 0, placeholder: "<kind>" }),
    limit: option(z.number().int().min(1).max(10_000).default(20).describe("Number of records"), { short: "n" }),
  }),
  examples: [
    { run: "sync show", does: "the newest of every kind" },
    { run: "sync show ship_log --json", does: "with their payloads" },
  ],
});

export const syncVerifyRecord = defineRecord({
  ...base,
  name: "sync verify",
  summary: "Check that the server still has everything it acknowledged in the last 14 days",
  description: "Exit code 1 if something is missing. After a restore of the server, --repair sends it again.",
  args: z.object({ repair: z.boolean().default(false).describe("Send again what is missing") }),
  examples: [{ run: "sync verify --repair", does: "after the server was restored from a backup" }],
});

export const syncOffRecord = defineRecord({
  ...base,
  name: "sync off",
  summary: "Stop sending records; they are kept until sync is on again",
  args: noArguments,
  examples: [{ run: "sync off", does: "the same as: devflow config set sync_enabled false" }],
});

export const syncOnRecord = defineRecord({
  ...base,
  name: "sync on",
  summary: "Send records again, those that waited included",
  args: noArguments,
  examples: [{ run: "sync on", does: "after sync off" }],
});

export const syncDeadListRecord = defineRecord({
  ...base,
  effect: "read",
  name: "sync dead list",
  summary: "List the records that the server refused or cannot take yet",
  args: noArguments,
  examples: [{ run: "sync dead list", does: "with the reasons" }],
});

const some = {
  record: option(recordId.optional(), { positional: 0, placeholder: "<record>" }),
  all: z.boolean().default(false).describe("All of them"),
};

export const syncDeadRetryRecord = defineRecord({
  ...base,
  name: "sync dead retry",
  summary: "Send a refused record again",
  args: z.object(some),
  examples: [{ run: "sync dead retry --all", does: "after the server was upgraded" }],
});

export const syncDeadDropRecord = defineRecord({
  ...base,
  name: "sync dead drop",
  summary: "Delete a refused record from this machine",
  destroys: true,
  args: z.object(some),
  examples: [{ run: "sync dead drop 019a1b2c", does: "delete one" }],
});

const fileArgument = z.object({
  file: option(z.string().describe("A JSON file, or - for standard input"), { positional: 0, placeholder: "<file>" }),
});
const pushRecord = (what: string, summary: string, members: string) =>
  defineRecord({
    ...base,
    name: `sync push-${what}`,
    summary,
    description: `Takes one JSON object or a list. Members: ${members}. Everything else is kept as it is; secrets are removed. Succeeds when the record is on this machine's disk, whether or not the server can be reached. Without a team it does nothing.`,
    args: fileArgument,
    examples: [{ run: `sync push-${what} ${what}.json`, does: "one object, or a list of them" }],
  });

export const syncPushRetroRecord = pushRecord(
  "retro",
  "Share a retro with the team",
  "date (2026-11-16), window (7d), metrics (object), authors and tweetable (optional)",
);
export const syncPushTriageRecord = pushRecord(
  "triage",
  "Share how review findings were judged",
  "date (2026-11-16), outcome (fp, fix or already-fixed), file_pattern, category, reviewer (optional)",
);
export const syncPushQaRecord = pushRecord(
  "qa",
  "Share a QA report with the team",
  "url, mode, health_score (0 to 100, optional), issues (list, optional)",
);
export const syncPushShipRecord = pushRecord("ship", "Share what was shipped", "version, branch, pr_url (optional)");

export const syncPushTranscriptRecord = defineRecord({
  ...base,
  name: "sync push-transcript",
  summary: "Share what is new in agents' session files",
  description:
    "Only if you agreed: devflow config set sync_transcripts true. Only admins of the team and you can read it; the team sees numbers. Secrets are removed, and what tools answered is left out. Each part of a file is sent once.",
  args: z.object({
    file: option(z.string().optional().describe("A session file; by default all of this repository"), {
      positional: 0,
      placeholder: "<file>",
    }),
    dryRun: z.boolean().default(false).describe("Print what would be sent"),
  }),
  examples: [
    { run: "sync push-transcript", does: "of Claude Code and Codex in this repository" },
    { run: "sync push-transcript session.jsonl --dry-run", does: "see it first" },
  ],
});

export const syncForgetRecord = defineRecord({
  ...base,
  name: "sync forget",
  summary: "Erase a record for everybody",
  description:
    "Its content leaves the server, every cache and this machine. An eval run takes its results along. It cannot be undone.",
  destroys: true,
  args: z.object({
    record: option(z.uuid().describe("The record's id, as devflow sync show --json prints it"), {
      positional: 0,
      placeholder: "<record>",
    }),
  }),
  examples: [
    { run: "sync forget 019a1b2c-0000-7000-8000-000000000000", does: "for example a key that slipped through" },
  ],
});

export const syncMigrateRecord = defineRecord({
  ...base,
  name: "sync migrate",
  summary: "Import the local files of gstack and fstack into the team",
  description:
    "Shows how much there is, and asks. Reads ~/.gstack-dev, ~/.gstack, ~/.fstack, and .context and .gstack of this repository; changes nothing there. Running it again imports only what is new.",
  args: z.object({
    yes: z.boolean().default(false).describe("Do not ask"),
    dryRun: z.boolean().default(false).describe("Only show what there is"),
  }),
  examples: [{ run: "sync migrate --dry-run", does: "see what would be imported" }],
});

export const drainerRecord = defineRecord({
  ...base,
  name: "drainer",
  summary: "Sends records in the background until none are left",
  hidden: true,
  args: z.object({
    live: z
      .boolean()
      .default(false)
      .describe("Stay while agents are at work here, and keep their team and them informed"),
  }),
  examples: [],
});

export const syncCommands: readonly AnyCommand[] = [
  defineCommand(syncStatusRecord, async () => (await import("./status.ts")).syncStatus),
  defineCommand(syncDrainRecord, async () => (await import("./drain.ts")).syncDrain),
  defineCommand(syncPullRecord, async () => (await import("./pull.ts")).syncPull),
  defineCommand(syncTestRecord, async () => (await import("./test-round-trip.ts")).syncTest),
  defineCommand(syncShowRecord, async () => (await import("./show.ts")).syncShow),
  defineCommand(syncVerifyRecord, async () => (await import("./verify.ts")).syncVerify),
  defineCommand(syncOffRecord, async () => (await import("./switch.ts")).syncOff),
  defineCommand(syncOnRecord, async () => (await import("./switch.ts")).syncOn),
  defineCommand(syncDeadListRecord, async () => (await import("./dead.ts")).deadList),
  defineCommand(syncDeadRetryRecord, async () => (await import("./dead.ts")).deadRetry),
  defineCommand(syncDeadDropRecord, async () => (await import("./dead.ts")).deadDrop),
  defineCommand(syncPushRetroRecord, async () => (await import("./push-file.ts")).pushFile("retro")),
  defineCommand(syncPushTriageRecord, async () => (await import("./push-file.ts")).pushFile("triage")),
  defineCommand(syncPushQaRecord, async () => (await import("./push-file.ts")).pushFile("qa")),
  defineCommand(syncPushShipRecord, async () => (await import("./push-file.ts")).pushFile("ship")),
  defineCommand(syncPushTranscriptRecord, async () => (await import("./push-transcript.ts")).pushTranscript),
  defineCommand(syncForgetRecord, async () => (await import("./forget.ts")).syncForget),
  defineCommand(syncMigrateRecord, async () => (await import("./migrate.ts")).syncMigrate),
  defineCommand(drainerRecord, async () => (await import("./drain.ts")).drainer),
];
