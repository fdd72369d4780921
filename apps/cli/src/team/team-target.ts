/**
 * Which team a command is about, and how to reach it.
 *
 * - `findTarget(context, given)` by its flags, the repository's `.devflow.json`, the only sign-in of this machine, or the local
 *   server, in this order; `no_team` when there is none.
 */
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import type { TeamRow } from "@devflow/protocol";
import { type AnyServer, callRpc } from "../server/client.ts";
import { findServer } from "../server/state.ts";
import { readAuth } from "./auth-file.ts";
import { readRepositoryTeam } from "./repository-team.ts";
import { serverUrl } from "./server-url.ts";
import { addressFor } from "./token-for.ts";

export interface TeamChoice {
  readonly server?: string | undefined;
  readonly team?: string | undefined;
}

export interface TeamTarget {
  /** For calls; a team's server with a token that is valid now. */
  readonly address: AnyServer;
  /** A URL, or `local`. */
  readonly server: string;
  readonly team: TeamRow;
}

export async function findTarget(context: CommandContext, given: TeamChoice): Promise<TeamTarget> {
  const { address, server, wanted } = await findServerOf(context, given);
  const teams = await callRpc(address, "my_teams", {});
  const [only, second] = teams;
  const team = wanted === undefined ? only : teams.find(({ slug, id }) => slug === wanted || id === wanted);
  if (wanted === undefined && second) {
    throw new DevflowError("usage", {
      details: {
        problem: `You are in ${teams.length} teams on ${server}.`,
        next: `Choose one: --team ${teams.map(({ slug }) => slug).join(" or --team ")}`,
      },
    });
  }
  if (team) return { address, server, team };
  throw new DevflowError("not_found", {
    details: {
      what: `${wanted === undefined ? "A team" : `A team "${wanted}"`} of yours on ${server}`,
      next: "Ask an admin for an invite, or create a team: devflow team create <name>",
    },
  });
}

/** The server alone, for commands that need no team yet. */
export async function findServerOf(
  context: CommandContext,
  given: TeamChoice,
): Promise<Pick<TeamTarget, "address" | "server"> & { readonly wanted: string | undefined }> {
  const home = homeAt(context.config().home);
  const committed = given.server === undefined ? await readRepositoryTeam(context) : undefined;
  const named = given.server === undefined ? committed?.server : serverUrl(given.server);
  const wanted = given.team ?? committed?.team;
  const server = named ?? (await onlySignIn(home));
  if (server !== undefined) {
    return { address: await addressFor(home, context.env, server), server, wanted };
  }
  const local = await findServer(home);
  if (local) return { address: local, server: "local", wanted };
  throw new DevflowError("no_team", {
    details: {
      where: context.cwd,
      next: "Join one: devflow sync setup <invite link>, or start one: devflow sync init",
    },
  });
}

async function onlySignIn(home: ReturnType<typeof homeAt>): Promise<string | undefined> {
  const servers = Object.keys(await readAuth(home));
  if (servers.length < 2) return servers[0];
  throw new DevflowError("usage", {
    details: {
      problem: "You have signed in to several team servers.",
      next: `Choose one: --server ${servers.join(" or --server ")}`,
    },
  });
}
