/** `devflow sync init | setup`: to start a team and to join one. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

const yourName = z.string().min(1).optional().describe("Your name, as teammates see it; by default git's user.name");
const anonKey = option(z.string().min(1).optional().describe("The server is a Supabase project with this anon key"), {
  placeholder: "<key>",
});
const email = z.string().optional().describe("Your e-mail address");

export const syncInitRecord = defineRecord({
  name: "sync init",
  summary: "Start a team, and connect this repository with it",
  description:
    "A new team server prints a setup link, which works once: paste it, or pipe it in. On a server where you have signed in already, name the server instead. Writes server and team to .devflow.json, which you commit.",
  category: "Team",
  effect: "write",
  args: z.object({
    link: option(z.string().optional().describe("The setup link; asked for when it is missing"), {
      positional: 0,
      placeholder: "<setup link>",
    }),
    server: z.string().optional().describe("A team server where you have signed in"),
    team: z
      .string()
      .min(1)
      .optional()
      .describe("Name of the new team, or slug of one of yours; by default the folder's name"),
    name: yourName,
    email,
    anonKey,
  }),
  examples: [
    { run: "sync init", does: "asks for the setup link of a new server" },
    { run: "sync init --server https://devflow.example.com --team engines", does: "connect another repository" },
    {
      run: "sync init --server https://xyz.supabase.co --anon-key <key>",
      does: "use a Supabase project; asks for the URL of its database, and does not store it",
    },
  ],
});

export const syncSetupRecord = defineRecord({
  name: "sync setup",
  summary: "Join the team, or sign in again",
  description:
    "With an invite link you become a member. Without one you sign in to the server of this repository by typing a code into a browser in which you have signed in.",
  category: "Team",
  effect: "write",
  args: z.object({
    link: option(z.string().optional().describe("An invite link, or a sign-in link"), {
      positional: 0,
      placeholder: "<link>",
    }),
    server: z.string().optional().describe("The team server, instead of the repository's"),
    again: z.boolean().default(false).describe("Sign in even if you have already"),
    bringIn: z
      .boolean()
      .default(false)
      .describe("Send the eval runs and ships of this repository that are stored here, without asking"),
    name: yourName,
    email,
    anonKey,
    provider: option(
      z
        .string()
        .optional()
        .describe("Supabase: sign in with this provider in a browser, such as github, instead of by mail"),
      { placeholder: "<provider>" },
    ),
  }),
  examples: [
    { run: "sync setup", does: "sign in to the server of this repository" },
    { run: "sync setup https://devflow.example.com/invite#token=…", does: "join by an invite" },
  ],
});

export const syncSetupCommands: readonly AnyCommand[] = [
  defineCommand(syncInitRecord, async () => (await import("./init.ts")).syncInit),
  defineCommand(syncSetupRecord, async () => (await import("./setup.ts")).syncSetup),
];
