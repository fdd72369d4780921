/** `devflow team alerts …`, `devflow team retention …`, `devflow digest …`: what a team server tells, and how long it keeps records. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { webhookFormats } from "@devflow/protocol";
import { z } from "zod";

const choice = {
  team: z.string().optional().describe("The team's slug, if you are in several"),
  server: z.string().optional().describe("The team server, instead of the repository's"),
};
const base = { category: "Team", effect: "write" } as const;
export const weekDays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

export const alertsSetRecord = defineRecord({
  ...base,
  name: "team alerts set",
  summary: "Choose where the team's alerts and its digest go",
  description:
    "A message is sent when an eval suite gets worse on a branch, and one when it has recovered. Only what you name changes. The webhook's URL is kept on the server and never shown again. Admins only.",
  args: z.object({
    webhook: z
      .string()
      .min(1)
      .optional()
      .describe("URL of a webhook; `-` reads it from standard input, `none` removes it"),
    format: z
      .enum(webhookFormats)
      .optional()
      .describe("slack posts only a text, json the facts besides; auto decides by the host"),
    email: z
      .array(z.string().min(1))
      .default([])
      .describe("Address that gets them; repeat it for several; `none` removes all"),
    branch: z
      .array(z.string().min(1))
      .default([])
      .describe("Only runs of this branch; repeat it for several; `all` for every branch"),
    digest: z.enum(["on", "off"]).optional().describe("Send the weekly digest"),
    day: z.enum(weekDays).optional().describe("Day of the digest"),
    hour: z.number().int().min(0).max(23).optional().describe("Hour of the digest"),
    timeZone: z.string().min(1).optional().describe("Time zone of the digest, such as Europe/Berlin"),
    ...choice,
  }),
  examples: [
    { run: "team alerts set --webhook -", does: "paste the URL, so that it is in no shell history" },
    { run: "team alerts set --email team@example.com --branch main", does: "mail them, for one branch" },
    { run: "team alerts set --digest on --day friday --hour 16 --time-zone Europe/Berlin", does: "the digest" },
  ],
});

export const alertsShowRecord = defineRecord({
  ...base,
  effect: "read",
  name: "team alerts show",
  summary: "Show where alerts go, and what could not be sent",
  args: z.object(choice),
  examples: [{ run: "team alerts show --json", does: "for a program" }],
});

export const alertsTestRecord = defineRecord({
  ...base,
  name: "team alerts test",
  summary: "Send a test message to every target",
  description: "Exit code 75 if one of them did not take it. Admins only.",
  args: z.object(choice),
  examples: [{ run: "team alerts test", does: "after setting them" }],
});

export const retentionShowRecord = defineRecord({
  ...base,
  effect: "read",
  name: "team retention show",
  summary: "Show how long the team keeps its records",
  args: z.object(choice),
  examples: [{ run: "team retention show", does: "kinds that are not listed are kept" }],
});

export const retentionSetRecord = defineRecord({
  ...base,
  name: "team retention set",
  summary: "Choose how long a kind of record is kept",
  description:
    "Older ones are erased within an hour, on the server and in every cache at its next pull. An eval run takes its results along. It cannot be undone. Admins only.",
  destroys: true,
  args: z.object({
    kind: option(z.string().min(1).describe("For example transcript or eval_run"), {
      positional: 0,
      placeholder: "<kind>",
    }),
    days: option(
      z
        .string()
        .regex(/^(\d+|forever)$/, "expected a number of days, or forever")
        .describe("Days, or forever"),
      {
        positional: 1,
        placeholder: "<days>",
      },
    ),
    ...choice,
  }),
  examples: [
    { run: "team retention set transcript 30", does: "erase transcripts after 30 days" },
    { run: "team retention set transcript forever", does: "keep them" },
  ],
});

export const digestPreviewRecord = defineRecord({
  ...base,
  effect: "read",
  name: "digest preview",
  summary: "Show the digest of the last seven days without sending it",
  args: z.object({
    html: z.boolean().default(false).describe("Print the mail's HTML"),
    until: z.iso.date().optional().describe("The seven days before this day"),
    ...choice,
  }),
  examples: [
    { run: "digest preview", does: "as text" },
    { run: "digest preview --html", does: "as a mail has it" },
  ],
});

export const digestSendRecord = defineRecord({
  ...base,
  name: "digest send",
  summary: "Send the digest of the last seven days now",
  description: "To every target of the team. The weekly one is sent all the same. Admins only.",
  args: z.object(choice),
  examples: [{ run: "digest send", does: "without waiting for the team's day" }],
});

/** Part of `devflow team`. */
export const alertCommands: readonly AnyCommand[] = [
  defineCommand(alertsSetRecord, async () => (await import("./set-alerts.ts")).setAlerts),
  defineCommand(alertsShowRecord, async () => (await import("./show-alerts.ts")).showAlerts),
  defineCommand(alertsTestRecord, async () => (await import("./send-now.ts")).testAlerts),
  defineCommand(retentionShowRecord, async () => (await import("./retention.ts")).showRetention),
  defineCommand(retentionSetRecord, async () => (await import("./retention.ts")).setRetention),
];

export const digestCommands: readonly AnyCommand[] = [
  defineCommand(digestPreviewRecord, async () => (await import("./preview-digest.ts")).previewDigest),
  defineCommand(digestSendRecord, async () => (await import("./send-now.ts")).sendDigest),
];
