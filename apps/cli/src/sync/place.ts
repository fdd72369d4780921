/**
 * Where the records of a command go: which server, which team, which repository, and as whom.
 *
 * - `findPlace(context)` from the repository's `.devflow.json`, else the server of CI's token, else the local server of this home; undefined
 *   when there is none, and
 *   then nothing is spooled. A person needs no network: a team that was seen once is remembered, so that work done offline waits for it.
 * - `findServerName(context)` only the server, which takes no question to one; `findPlaceAt(context, found)` the rest.
 * - `requirePlace(context)` the same for commands that are about a team; throws `signed_out` or `no_team`.
 * - `whyNowhere(context, found)` why the team that the repository names is not one that records go to.
 */
import { join } from "node:path";
import type { CommandContext } from "@devflow/core/command";
import { environmentOf } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { machineId } from "@devflow/core/machine-id";
import { parseJson, readIfThere } from "@devflow/core/read-if-there";
import { isOutsideRepositories } from "@devflow/git/checkout";
import type { Destination } from "@devflow/team/spool";
import { z } from "zod";
import { localMembership, type Membership, signedInMembership, tokenMembership } from "./membership.ts";

export interface TeamPlace {
  readonly to: Destination;
  readonly team: { readonly id: string; readonly name: string };
  readonly userName: string;
  /** The canonical remote of the repository; null outside one. */
  readonly repo: string | null;
}

export const localServer = "local";

interface Context extends Pick<CommandContext, "cwd" | "env" | "signal"> {
  inspectConfig(): { readonly home: string };
}

/** What says where records go, before any server is asked. */
export interface ServerName {
  readonly server: string;
  /** As `.devflow.json` has it: its slug or id. */
  readonly team: string | undefined;
  /** Being read by git; undefined outside a repository. */
  readonly repository: Promise<((machine: string) => string) | undefined>;
}

export async function findPlace(context: Context): Promise<TeamPlace | undefined> {
  return await findPlaceAt(context, await findServerName(context));
}

export async function findServerName(context: Context): Promise<ServerName> {
  const isOutside = isOutsideRepositories(context.cwd);
  const repository = isOutside ? Promise.resolve(undefined) : readRepositoryHere(context);
  // Awaited only where there is a team.
  repository.catch(() => {});
  const committed = isOutside ? undefined : await committedTeam(context);
  const { DEVFLOW_ACCESS_TOKEN: token, DEVFLOW_SERVER: ofToken } = environmentOf(context.env);
  const server = committed?.server ?? (token && ofToken ? originOf(ofToken) : localServer);
  return { server, team: committed?.team, repository };
}

export async function findPlaceAt(
  context: Context,
  { server, team: slug, repository }: ServerName,
): Promise<TeamPlace | undefined> {
  const home = homeAt(context.inspectConfig().home);
  const { DEVFLOW_ACCESS_TOKEN: token } = environmentOf(context.env);
  const known =
    server === localServer
      ? await localMembership(home)
      : token
        ? await tokenMembership(home, context.env, server)
        : await signedInMembership(home, server);
  const team = known && chosenTeam(known, slug);
  if (!team) return undefined;
  const machine = await machineId(home);
  const repo = (await repository)?.(machine) ?? null;
  return { to: { server, team: team.id, user: known.user.id }, team, userName: known.user.name, repo };
}

export async function requirePlace(context: CommandContext): Promise<TeamPlace> {
  const found = await findServerName(context);
  const place = await findPlaceAt(context, found);
  if (place) return place;
  const why = await whyNowhere(context, found);
  if (why === "signed out") {
    throw new DevflowError("signed_out", {
      details: { server: found.server, reason: "nobody has signed in on this machine" },
    });
  }
  if (why === "no member") {
    throw new DevflowError("not_found", {
      details: { what: `The team "${found.team}" of yours on ${found.server}`, next: askForInvite },
    });
  }
  throw new DevflowError("no_team", {
    details: { where: context.cwd, next: "Start the local server, which has a team of one: devflow up -d" },
  });
}

export const askForInvite = "Ask one of its admins for an invite, then: devflow sync setup <link>";

export async function whyNowhere(
  context: Context,
  { server }: ServerName,
): Promise<"signed out" | "no member" | undefined> {
  if (server === localServer) return undefined;
  const known = await signedInMembership(homeAt(context.inspectConfig().home), server);
  return known ? "no member" : "signed out";
}

function chosenTeam({ teams }: Membership, slug: string | undefined): Membership["teams"][number] | undefined {
  return slug === undefined ? teams[0] : teams.find((team) => team.slug === slug || team.id === slug);
}

const Committed = z.looseObject({ server: z.string().optional(), team: z.string().optional() });

async function readRepositoryHere({ cwd, signal }: Context): Promise<((machine: string) => string) | undefined> {
  const { readRepository } = await import("@devflow/team/repository");
  return await withoutGit(() => readRepository({ cwd, signal }));
}

/** A file that is wrong names no team; the commands that need its settings say what is wrong. */
async function committedTeam({ cwd, signal }: Context): Promise<z.infer<typeof Committed> | undefined> {
  const { repositoryRoot } = await import("./repository-root.ts");
  const root = await withoutGit(() => repositoryRoot({ cwd, signal }));
  const text = root === undefined ? undefined : await readIfThere(join(root, ".devflow.json"));
  if (text === undefined) return undefined;
  const found = Committed.safeParse(parseJson(text)).data;
  return found?.server === undefined ? found : { ...found, server: originOf(found.server) };
}

/** A machine without git has folders, and no repositories. */
async function withoutGit<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DevflowError && error.code === "git_missing") return undefined;
    throw error;
  }
}

function originOf(server: string): string {
  try {
    return new URL(server).origin;
  } catch {
    return server;
  }
}
