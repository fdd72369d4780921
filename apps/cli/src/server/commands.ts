/** `devflow up | down | status | open | logs`: the local server's life. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { ServerStatus } from "@devflow/protocol";
import { z } from "zod";

export const upRecord = defineRecord({
  name: "up",
  summary: "Start the local server and its Postgres",
  description: "One server per home. A second `up` finds the first one and tells its address.",
  category: "Start",
  effect: "write",
  args: z.object({
    detach: option(z.boolean().default(false).describe("Go on in the background"), { short: "d" }),
    port: z.number().int().min(0).max(65535).optional().describe("Listen there instead of the configured port"),
    demo: z.boolean().default(false).describe("Make the demo repository and run it up to its first gate"),
    once: z.boolean().default(false).describe("Do the whole demo, print a summary, stop"),
    adopt: z.boolean().default(false).describe("Use a database of yours that already holds other tables"),
    allowHost: z.array(z.string()).default([]).describe("Answer to this Host name too, for port forwarding"),
  }),
  examples: [
    { run: "up", does: "in the foreground; Ctrl-C stops everything" },
    { run: "up -d", does: "in the background; devflow down stops it" },
  ],
});

export const downRecord = defineRecord({
  name: "down",
  summary: "Stop the local server and its Postgres",
  category: "Start",
  effect: "write",
  args: z.object({ force: z.boolean().default(false).describe("Kill it if it does not stop by itself") }),
  examples: [{ run: "down", does: "waits until both have ended" }],
});

export const statusRecord = defineRecord({
  name: "status",
  summary: "Tell whether the server runs, where, and on which database",
  description: "Exit code 0 when it runs, 1 when it does not.",
  category: "Start",
  effect: "read",
  args: z.object({}),
  output: z.object({
    running: z.boolean(),
    home: z.string(),
    url: z.string().optional(),
    pid: z.number().optional(),
    status: ServerStatus.optional(),
  }),
  examples: [{ run: "status --json", does: "for a program" }],
});

export const openRecord = defineRecord({
  name: "open",
  summary: "Open the web app, signed in",
  description: "Starts the server when it is not running. The link holds a code that works once, for a minute.",
  category: "Start",
  effect: "write",
  args: z.object({ print: z.boolean().default(false).describe("Only print the link") }),
  examples: [{ run: "open --print", does: "the link alone, for another browser on this machine" }],
});

export const logsRecord = defineRecord({
  name: "logs",
  summary: "Show the server's log",
  category: "Care",
  effect: "read",
  args: z.object({
    follow: option(z.boolean().default(false).describe("Go on as lines are written"), { short: "f" }),
    lines: option(z.number().int().min(1).max(100_000).default(50).describe("How many of the last lines"), {
      short: "n",
    }),
    postgres: z.boolean().default(false).describe("Postgres' own log instead"),
  }),
  examples: [
    { run: "logs -f", does: "follow it" },
    { run: "logs --json", does: "the lines as they are in the file" },
  ],
});

export const daemonRecord = defineRecord({
  name: "daemon",
  summary: "The server process that `up -d` starts",
  category: "Start",
  effect: "write",
  hidden: true,
  args: z.object({
    port: z.number().int().min(0).max(65535).optional().describe("Listen there"),
    adopt: z.boolean().default(false).describe("Use a database that already holds other tables"),
    allowHost: z.array(z.string()).default([]).describe("Answer to this Host name too"),
  }),
  examples: [],
});

export const unpackPostgresRecord = defineRecord({
  name: "unpack-postgres",
  summary: "Unpack the Postgres of this executable into a folder",
  category: "Start",
  effect: "write",
  hidden: true,
  args: z.object({ into: option(z.string().min(1).describe("An empty folder"), { positional: 0 }) }),
  examples: [],
});

export const serverCommands: readonly AnyCommand[] = [
  defineCommand(upRecord, async () => (await import("./up.ts")).up),
  defineCommand(downRecord, async () => (await import("./down.ts")).down),
  defineCommand(statusRecord, async () => (await import("./status.ts")).status),
  defineCommand(openRecord, async () => (await import("./open.ts")).open),
  defineCommand(logsRecord, async () => (await import("./logs.ts")).logs),
  defineCommand(daemonRecord, async () => (await import("./daemon.ts")).daemon),
  defineCommand(unpackPostgresRecord, async () => (await import("./unpack-postgres.ts")).unpackPostgres),
];
