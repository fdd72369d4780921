/** `devflow team …`: the members of a team, its invites and tokens. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { teamRoles, tokenScopes } from "@devflow/protocol";
import { z } from "zod";

const choice = {
  team: z.string().optional().describe("The team's slug, if you are in several"),
  server: z.string().optional().describe("The team server, instead of the repository's"),
};
const member = option(z.string().describe("Name, e-mail address or id"), { positional: 0, placeholder: "<member>" });
const days = (most: number, usual: number) =>
  z.number().int().min(1).max(most).default(usual).describe(`Valid for this many days; at most ${most}`);

export const teamCreateRecord = defineRecord({
  name: "team create",
  summary: "Create another team on the team server",
  description: "You become its owner. The first team of a new server is made by `devflow sync init`.",
  category: "Team",
  effect: "write",
  args: z.object({
    name: option(z.string().min(1).describe("The team's name"), { positional: 0, placeholder: "<name>" }),
    server: choice.server,
  }),
  examples: [{ run: 'team create "Data platform"', does: "create a team, of which you are the owner" }],
});

export const teamInviteRecord = defineRecord({
  name: "team invite",
  summary: "Invite somebody to the team",
  description: "Prints a link that lets one person in, once. With an address, the server mails it if it can.",
  category: "Team",
  effect: "write",
  args: z.object({
    email: option(z.email().optional().describe("Where to send it"), { positional: 0, placeholder: "<e-mail>" }),
    role: z.enum(teamRoles).default("member").describe("What the person will be"),
    days: days(30, 7),
    ...choice,
  }),
  examples: [
    { run: "team invite", does: "print a link to pass on" },
    { run: "team invite grace@example.com --role admin", does: "mail it to a future admin" },
  ],
});

export const teamInvitesRecord = defineRecord({
  name: "team invites",
  summary: "List the invites that nobody has used yet",
  category: "Team",
  effect: "read",
  args: z.object(choice),
  examples: [{ run: "team invites", does: "list them" }],
});

export const teamUninviteRecord = defineRecord({
  name: "team uninvite",
  summary: "Revoke an invite",
  category: "Team",
  effect: "write",
  destroys: true,
  args: z.object({
    id: option(z.string().describe("From `team invites`"), { positional: 0, placeholder: "<id>" }),
    ...choice,
  }),
  examples: [{ run: "team uninvite 0198c7d2", does: "the link stops working" }],
});

export const teamMembersRecord = defineRecord({
  name: "team members",
  summary: "List the members of the team",
  category: "Team",
  effect: "read",
  args: z.object(choice),
  examples: [{ run: "team members --json", does: "for a program" }],
});

export const teamLeaderboardRecord = defineRecord({
  name: "team leaderboard",
  summary: "Show the team's totals, and the members who asked to be named",
  description:
    "Nobody is named who did not join. A regression counts as fixed for whoever brings the failures of a suite back down.",
  category: "Team",
  effect: "write",
  args: z.object({
    days: option(z.number().int().min(1).max(366).default(7).describe("How far back"), { placeholder: "<days>" }),
    repo: option(z.string().optional().describe("Only this repository"), { placeholder: "<name>" }),
    join: z.boolean().default(false).describe("Be named from now on"),
    leave: z.boolean().default(false).describe("Be named no longer"),
    ...choice,
  }),
  examples: [
    { run: "team leaderboard", does: "the last 7 days" },
    { run: "team leaderboard --join", does: "let your teammates see your numbers" },
  ],
});

export const teamGatesRecord = defineRecord({
  name: "team gates",
  summary: "List the gates at which teammates' runs wait",
  description: "Of this repository, with what their machines share about their runs. Any member can decide them.",
  category: "Team",
  effect: "read",
  args: z.object({}),
  examples: [{ run: "team gates", does: "list them" }],
});

export const teamDecideRecord = defineRecord({
  name: "team decide",
  summary: "Decide a gate of a teammate's run",
  description:
    "The verdict travels to the machine of the run, which applies it in your name. If the gate has moved on by then, you are told that it came too late. Your own runs are decided with `devflow run approve`.",
  category: "Team",
  effect: "write",
  args: z.object({
    gate: option(z.string().min(4).describe("The gate's id, or its beginning"), {
      positional: 0,
      placeholder: "<gate>",
    }),
    verdict: option(z.enum(["approve", "reject", "request-changes", "abort"]).describe("What you decide"), {
      positional: 1,
      placeholder: "<verdict>",
    }),
    comment: option(z.string().max(20_000).optional().describe("Why; it is shown with the run"), {
      placeholder: "<text>",
    }),
  }),
  examples: [
    { run: "team decide 019a1b2c approve", does: "let the run go on" },
    { run: 'team decide 019a1b2c request-changes --comment "Keep the old field"', does: "send it back" },
  ],
});

export const teamAgentsRecord = defineRecord({
  name: "team agents",
  summary: "Show how the team uses its agents",
  description:
    "From the transcripts that people share: sessions, prompts, their length, tools, and how sessions ended. Nobody's text is shown, and nobody is named who did not join the leaderboard.",
  category: "Team",
  effect: "read",
  args: z.object({
    days: option(z.number().int().min(1).max(366).default(30).describe("How far back"), { placeholder: "<days>" }),
    repo: option(z.string().optional().describe("Only this repository"), { placeholder: "<name>" }),
    ...choice,
  }),
  examples: [{ run: "team agents", does: "the last 30 days" }],
});

export const teamRoleRecord = defineRecord({
  name: "team role",
  summary: "Change what a member may do",
  description: "Admins manage members, invites and tokens; owners also manage owners. A team always has an owner.",
  category: "Team",
  effect: "write",
  args: z.object({
    member,
    role: option(z.enum(teamRoles).describe("The new role"), { positional: 1 }),
    ...choice,
  }),
  examples: [{ run: "team role grace admin", does: "let her manage the team" }],
});

export const teamRemoveRecord = defineRecord({
  name: "team remove",
  summary: "Remove a member, or leave the team",
  description: "Their access ends at once, and so do their tokens. Their records stay with the team; see `team erase`.",
  category: "Team",
  effect: "write",
  destroys: true,
  args: z.object({ member, ...choice }),
  examples: [{ run: "team remove grace", does: "end her membership" }],
});

export const teamEraseRecord = defineRecord({
  name: "team erase",
  summary: "Remove a member and erase what the team holds about them",
  description:
    "Their records, tokens and pings are deleted everywhere; with their last team, their name and address too. It cannot be undone.",
  category: "Team",
  effect: "write",
  destroys: true,
  args: z.object({
    member,
    yes: option(z.boolean().default(false).describe("Really erase"), { destroys: true }),
    ...choice,
  }),
  examples: [{ run: "team erase grace --yes", does: "erase her for ever" }],
});

export const tokenCreateRecord = defineRecord({
  name: "team token create",
  summary: "Create a token for CI",
  description: "It acts for you in this team, within its scopes. It is printed once and stored nowhere.",
  category: "Team",
  effect: "write",
  args: z.object({
    name: option(z.string().min(1).describe("What it is for"), { positional: 0, placeholder: "<name>" }),
    scope: z
      .enum(tokenScopes)
      .default("read")
      .describe("write includes read; push records with write; worker is for devflow-worker"),
    days: days(365, 90),
    ...choice,
  }),
  examples: [{ run: "team token create github-actions --scope write", does: "for pushing eval results" }],
});

export const tokenListRecord = defineRecord({
  name: "team token list",
  summary: "List your tokens; admins see everybody's",
  category: "Team",
  effect: "read",
  args: z.object(choice),
  examples: [{ run: "team token list", does: "list them, with their last use" }],
});

export const tokenRevokeRecord = defineRecord({
  name: "team token revoke",
  summary: "Revoke a token",
  description: "It can no longer be exchanged. What it was exchanged for ends within ten minutes.",
  category: "Team",
  effect: "write",
  destroys: true,
  args: z.object({
    token: option(z.string().describe("Name or id, from `team token list`"), { positional: 0, placeholder: "<token>" }),
    ...choice,
  }),
  examples: [{ run: "team token revoke github-actions", does: "end it" }],
});

export const teamOpenRecord = defineRecord({
  name: "team open",
  summary: "Open the team's web app, signed in",
  description: "The link works once, for ten minutes; it also signs in a phone.",
  category: "Team",
  effect: "write",
  args: z.object({ print: z.boolean().default(false).describe("Only print the link"), server: choice.server }),
  examples: [{ run: "team open --print", does: "print the link, for another device" }],
});

export const teamSignOutRecord = defineRecord({
  name: "team sign-out",
  summary: "Sign this machine out of the team server",
  description: "Records that are still waiting stay on this machine until you sign in again.",
  category: "Team",
  effect: "write",
  args: z.object({
    everywhere: z.boolean().default(false).describe("Also every other terminal and browser of yours"),
    server: choice.server,
  }),
  examples: [{ run: "team sign-out", does: "forget the sign-in, here and on the server" }],
});

export const teamCommands: readonly AnyCommand[] = [
  defineCommand(teamCreateRecord, async () => (await import("./create.ts")).createTeam),
  defineCommand(teamInviteRecord, async () => (await import("./invites.ts")).invite),
  defineCommand(teamInvitesRecord, async () => (await import("./invites.ts")).listInvites),
  defineCommand(teamUninviteRecord, async () => (await import("./invites.ts")).uninvite),
  defineCommand(teamMembersRecord, async () => (await import("./members.ts")).listMembers),
  defineCommand(teamGatesRecord, async () => (await import("./gates.ts")).listGates),
  defineCommand(teamDecideRecord, async () => (await import("./decide-gate.ts")).decideGate),
  defineCommand(teamLeaderboardRecord, async () => (await import("./leaderboard.ts")).teamLeaderboard),
  defineCommand(teamAgentsRecord, async () => (await import("./agents.ts")).teamAgents),
  defineCommand(teamRoleRecord, async () => (await import("./members.ts")).setRole),
  defineCommand(teamRemoveRecord, async () => (await import("./members.ts")).removeMember),
  defineCommand(teamEraseRecord, async () => (await import("./members.ts")).eraseMember),
  defineCommand(tokenCreateRecord, async () => (await import("./tokens.ts")).createToken),
  defineCommand(tokenListRecord, async () => (await import("./tokens.ts")).listTokens),
  defineCommand(tokenRevokeRecord, async () => (await import("./tokens.ts")).revokeToken),
  defineCommand(teamOpenRecord, async () => (await import("./open.ts")).openTeam),
  defineCommand(teamSignOutRecord, async () => (await import("./sign-out.ts")).signOut),
];
