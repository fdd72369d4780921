/** `devflow sync init`: a team for this repository, on a new server or on one where its person has signed in. */
import { basename } from "node:path";
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { repositoryRoot } from "@devflow/git";
import type { TeamRow } from "@devflow/protocol";
import { callRpc } from "../server/client.ts";
import { readAuth } from "../team/auth-file.ts";
import { readRepositoryTeam, writeRepositoryTeam } from "../team/repository-team.ts";
import { serverUrl } from "../team/server-url.ts";
import { askLine, lineAsker } from "./ask-line.ts";
import { readLink } from "./one-time-link.ts";
import { personName } from "./person.ts";
import type { syncInitRecord } from "./setup-commands.ts";
import { signInByLink } from "./sign-in-here.ts";
import { rememberTeams } from "./welcome.ts";

export const syncInit: HandlerOf<typeof syncInitRecord> = async (input, context) => {
  const { server, team } =
    input.server === undefined
      ? await newServer(input, context)
      : input.anonKey === undefined
        ? await knownServer(input.server, input.team, context)
        : await supabaseProject(input.server, input.anonKey, input, context);
  const anonKey = input.anonKey === undefined ? {} : { anonKey: input.anonKey };
  const file = await writeRepositoryTeam(context, { server, team: team.slug, ...anonKey });
  const lines = [
    `${team.name} (${team.slug}) is on ${server}; you are its ${team.role}.`,
    file ? `Wrote ${file}. Commit it, so that everybody who clones the repository finds the team.` : "",
    "Invite somebody: devflow team invite",
  ];
  const answer = { server, team: team.slug, teamId: team.id, role: team.role, ...(file ? { file } : {}) };
  context.output.result(answer, lines.filter(Boolean).join("\n"));
};

interface NewServerInput {
  readonly link?: string | undefined;
  readonly team?: string | undefined;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

async function newServer(input: NewServerInput, context: CommandContext): Promise<{ server: string; team: TeamRow }> {
  // The second time in the same repository.
  const known = input.link === undefined && input.team === undefined ? await readRepositoryTeam(context) : undefined;
  if (known && (await readAuth(homeAt(context.config().home)))[known.server])
    return await knownServer(known.server, known.team, context);
  const link = readLink(
    input.link ?? (await askLine(context, "Paste the setup link that `devflow serve` printed on the server:")),
    "setup",
  );
  if (link.purpose !== "setup") {
    throw new DevflowError("usage", {
      details: { problem: "This link joins a team that exists.", next: "Use it with: devflow sync setup <link>" },
    });
  }
  const name = await personName(context, input.name);
  const team = input.team ?? (await folderName(context));
  await signInByLink(context, link, { name, email: input.email, team });
  const { teams } = await rememberTeams(context, link.server);
  const [made] = teams;
  if (!made)
    throw new DevflowError("no_team", { details: { where: link.server, next: "Create one: devflow team create" } });
  return { server: link.server, team: made };
}

/** Migrates the project's database, signs its first person in, and makes the team. Twice is once. */
async function supabaseProject(given: string, anonKey: string, input: NewServerInput, context: CommandContext) {
  const { prepareProject } = await import("../supabase/prepare-project.ts");
  const { signInThere } = await import("../supabase/sign-in-there.ts");
  const server = serverUrl(given);
  const ask = lineAsker(context);
  await prepareProject(context, ask);
  const isKnown = (await readAuth(homeAt(context.config().home)))[server]?.refresh_token !== undefined;
  if (!isKnown) await signInThere(context, { url: server, anonKey }, input, ask);
  return await knownServer(server, input.team, context);
}

async function knownServer(given: string, wanted: string | undefined, context: CommandContext) {
  const server = serverUrl(given);
  if (!(await readAuth(homeAt(context.config().home)))[server]) {
    throw new DevflowError("signed_out", { details: { server, reason: "nobody has signed in on this machine" } });
  }
  const { address, teams } = await rememberTeams(context, server);
  const name = wanted ?? (await folderName(context));
  const team = teams.find(({ slug }) => slug === name) ?? (await callRpc(address, "create_team", { name }));
  await rememberTeams(context, server);
  return { server, team };
}

async function folderName(context: CommandContext): Promise<string> {
  return basename((await repositoryRoot(context)) ?? context.cwd);
}
