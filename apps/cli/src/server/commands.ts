/** `devflow up | down | status | open | logs`: the local server. `devflow serve`: the server of a team. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { ServerStatus } from "@devflow/protocol";
import { z } from "zod";

export const upRecord = defineRecord({
  name: "up",
  summary: "Start the local server and its Postgres",
  description: "One server per home. A second `up` finds the running one and prints its address.",
  category: "Start",
  effect: "write",
  args: z.object({
    detach: option(z.boolean().default(false).describe("Run in the background"), { short: "d" }),
    port: z.number().int().min(0).max(65535).optional().describe("Port to use instead of the configured one"),
    demo: z.boolean().default(false).describe("Create the demo repository and a run that stops at its first gate"),
    once: z.boolean().default(false).describe("Run the whole demo, print a summary, stop"),
    adopt: z.boolean().default(false).describe("Use your own database even if it contains other tables"),
    allowHost: z.array(z.string()).default([]).describe("Also accept this Host name, for port forwarding"),
  }),
  examples: [
    { run: "up", does: "run in the foreground; Ctrl-C stops everything" },
    { run: "up -d", does: "run in the background; devflow down stops it" },
  ],
});

export const downRecord = defineRecord({
  name: "down",
  summary: "Stop the local server and its Postgres",
  category: "Start",
  effect: "write",
  args: z.object({
    force: option(z.boolean().default(false).describe("Kill it if it does not stop"), { destroys: true }),
  }),
  examples: [{ run: "down", does: "stop both and wait until they have ended" }],
});

export const statusRecord = defineRecord({
  name: "status",
  summary: "Show whether the server runs, its address and its database",
  description: "Exit code 0 if it runs, 1 if it does not.",
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
  description: "Starts the server if it is not running. The link contains a code that works once, for one minute.",
  category: "Start",
  effect: "write",
  args: z.object({ print: z.boolean().default(false).describe("Only print the link") }),
  examples: [{ run: "open --print", does: "print only the link, for another browser on this machine" }],
});

export const logsRecord = defineRecord({
  name: "logs",
  summary: "Show the server's log",
  category: "Care",
  effect: "read",
  args: z.object({
    follow: option(z.boolean().default(false).describe("Keep printing new lines"), { short: "f" }),
    lines: option(z.number().int().min(1).max(100_000).default(50).describe("Number of lines"), {
      short: "n",
    }),
    postgres: z.boolean().default(false).describe("Show Postgres's own log instead"),
  }),
  examples: [
    { run: "logs -f", does: "follow it" },
    { run: "logs --json", does: "print the lines as they are in the file" },
  ],
});

export const serveRecord = defineRecord({
  name: "serve",
  summary: "Run the server of a team",
  description:
    "In the foreground, behind a proxy that has the TLS certificate (docs/team.md). It uses DEVFLOW_DATABASE_URL, or an embedded Postgres in its home. While there is no team, it prints a link; the first person to open it owns the new team.",
  category: "Team",
  effect: "write",
  args: z.object({
    publicUrl: z.string().optional().describe("The address that people use: https://devflow.example.com"),
    host: z.string().optional().describe("Address to listen on; 127.0.0.1 by default"),
    port: z.number().int().min(0).max(65535).optional().describe("Port to listen on; 4780 by default"),
    allowHost: z.array(z.string()).default([]).describe("Also accept this Host name"),
    adopt: z.boolean().default(false).describe("Use your own database even if it contains other tables"),
  }),
  examples: [
    { run: "serve --public-url https://devflow.example.com", does: "behind a proxy on the same host" },
    { run: "serve --public-url http://127.0.0.1:4780", does: "try it out on this machine" },
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
    adopt: z.boolean().default(false).describe("Use a database even if it contains other tables"),
    allowHost: z.array(z.string()).default([]).describe("Also accept this Host name"),
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
  defineCommand(serveRecord, async () => (await import("./serve.ts")).serve),
  defineCommand(daemonRecord, async () => (await import("./daemon.ts")).daemon),
  defineCommand(unpackPostgresRecord, async () => (await import("./unpack-postgres.ts")).unpackPostgres),
];
