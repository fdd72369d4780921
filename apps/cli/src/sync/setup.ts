/** `devflow sync setup`: becomes a member, or signs in again, and says hello. */
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { environmentOf } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { counted } from "../data/amounts.ts";
import { callRpc } from "../server/client.ts";
import { signInThere } from "../supabase/sign-in-there.ts";
import { readAuth } from "../team/auth-file.ts";
import { readRepositoryTeam } from "../team/repository-team.ts";
import { serverUrl } from "../team/server-url.ts";
import { addressFor, renewSignIn, tokenFor } from "../team/token-for.ts";
import { askLine } from "./ask-line.ts";
import { bringIn, storedHere } from "./bring-in.ts";
import { type OneTimeLink, readLink } from "./one-time-link.ts";
import { personName } from "./person.ts";
import { findPlace } from "./place.ts";
import type { syncSetupRecord } from "./setup-commands.ts";
import { signInByCode, signInByLink } from "./sign-in-here.ts";
import { rememberTeams, welcomeOf } from "./welcome.ts";

export const syncSetup: HandlerOf<typeof syncSetupRecord> = async (input, context) => {
  const link = input.link === undefined ? undefined : readLink(input.link);
  const committed = await readRepositoryTeam(context);
  const server = link?.server ?? (input.server === undefined ? committed?.server : serverUrl(input.server));
  if (server === undefined) {
    throw new DevflowError("no_team", {
      details: {
        where: context.cwd,
        next: "Join one by its invite: devflow sync setup <link>, or start one: devflow sync init",
      },
    });
  }
  const anonKey = input.anonKey ?? (committed?.server === server ? committed.anonKey : undefined);
  // Somebody who was removed and is invited again has a token that still works, of a sign-in that has ended.
  const known = await signedInAlready(context, server, link?.purpose === "invite");
  // The server accepted it above, or that threw. Calls are made with it, also where a person has signed in.
  const isByToken = !link && Boolean(environmentOf(context.env).DEVFLOW_ACCESS_TOKEN);
  if (known !== undefined && link?.purpose === "invite") await acceptAs(context, server, link);
  else if (isByToken) {
    context.output.note(
      "DEVFLOW_ACCESS_TOKEN is set, and is used instead of a sign-in. To sign in as a person, unset it.",
    );
  } else if (known !== undefined && !link && !input.again) {
    context.output.note(
      `You have already signed in to ${server} as ${known}. To sign in again: devflow sync setup --again`,
    );
  } else if (anonKey !== undefined) {
    await signInThere(context, { url: server, anonKey }, input);
    if (link?.purpose === "invite") await acceptAs(context, server, link);
  } else if (link) {
    await signInByLink(context, link, { name: await personName(context, input.name), email: input.email });
  } else await signInByCode(context, server);

  const { address, teams } = await rememberTeams(context, server);
  const person = isByToken
    ? await callRpc(address, "whoami", {})
    : (await readAuth(homeAt(context.config().home)))[server];
  const name = person?.name ?? "";
  const wanted = committed?.server === server ? committed.team : undefined;
  const team = teams.find(({ slug }) => slug === wanted) ?? teams.at(-1);
  if (wanted !== undefined && team?.slug !== wanted) {
    context.output.note(
      `You are no member of "${wanted}", the team of this repository. Ask one of its admins for an invite.`,
    );
  }
  if (!team) {
    throw new DevflowError("no_team", {
      details: {
        where: `${name} on ${server}`,
        next: "Ask an admin for an invite, or create a team: devflow team create <name>",
      },
    });
  }
  const welcome = await welcomeOf(address, team);
  const { text, ...facts } = welcome;
  const lines = [isByToken ? `${server} accepts the token of ${name}.` : `Signed in to ${server} as ${name}.`, text];
  if (!context.config().syncEnabled) lines.push("Syncing is off. Turn it on: devflow config set sync_enabled true");
  const brought = await offerStored(context, input.bringIn);
  if (brought.line !== "") lines.push(brought.line);
  const answer = { server, user: name, team: team.slug, role: team.role, ...facts, stored: brought.counts };
  context.output.result(answer, lines.join("\n"));
};

/** What was stored before the repository belonged to the team is brought in if the person says so. */
async function offerStored(context: CommandContext, isWanted: boolean) {
  const place = await findPlace(context);
  const stored = place ? await storedHere(context, place) : { evalRuns: [], ships: [] };
  const counts = { evalRuns: stored.evalRuns.length, ships: stored.ships.length, broughtIn: false };
  if (!place || counts.evalRuns + counts.ships === 0) return { counts, line: "" };
  const what = `${counted(counts.evalRuns, "eval run")} and ${counted(counts.ships, "ship")} of this repository are stored on this machine`;
  const isYes =
    isWanted ||
    (context.output.isTerminal &&
      !context.output.json &&
      /^y(es)?$/i.test(await askLine(context, `${what}. Bring them into ${place.team.name}? Type yes:`)));
  if (!isYes) return { counts, line: `${what}. To bring them in: devflow sync setup --bring-in` };
  await bringIn(context, place, stored);
  return { counts: { ...counts, broughtIn: true }, line: `${what}, and were queued for ${place.team.name}.` };
}

async function signedInAlready(
  context: CommandContext,
  server: string,
  isRenewed: boolean,
): Promise<string | undefined> {
  const home = homeAt(context.config().home);
  try {
    if (isRenewed && (await readAuth(home))[server] && !(await renewSignIn(home, server))) return undefined;
    await tokenFor(home, context.env, server);
    return (await readAuth(home))[server]?.name;
  } catch (error) {
    if (error instanceof DevflowError && error.code === "signed_out") return undefined;
    throw error;
  }
}

/** Somebody who is in one team already joins another under the same name. */
async function acceptAs(context: CommandContext, server: string, { token }: OneTimeLink): Promise<void> {
  const address = await addressFor(homeAt(context.config().home), context.env, server);
  await callRpc(address, "accept_invite", { token });
}
