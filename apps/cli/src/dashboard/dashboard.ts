/** `devflow dashboard`. */
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { CodeIssued, SignInLink } from "@devflow/protocol";
import { callServer } from "../server/client.ts";
import { runningServer } from "../server/open.ts";
import { openInBrowser } from "../server/open-in-browser.ts";
import { urlOf } from "../server/state.ts";
import { readAuth } from "../team/auth-file.ts";
import { readRepositoryTeam } from "../team/repository-team.ts";
import { serverUrl } from "../team/server-url.ts";
import { findServerOf, type TeamChoice } from "../team/team-target.ts";
import type { dashboardRecord } from "./commands.ts";

export const dashboard: HandlerOf<typeof dashboardRecord> = async ({ print, ...choice }, context) => {
  const project = await supabaseServer(context, choice);
  if (project !== undefined) {
    const { serveTeamView } = await import("./serve-team-view.ts");
    return await serveTeamView(context, project, { print });
  }
  const url = (await linkOfTeamServer(context, choice)) ?? (await linkOfThisMachine(context));
  context.output.result({ url }, url);
  if (!print && context.output.isTerminal) openInBrowser(url);
};

/** A Supabase project serves no web app: its screens are served here. */
async function supabaseServer(context: CommandContext, choice: TeamChoice): Promise<string | undefined> {
  const given = choice.server === undefined ? undefined : serverUrl(choice.server);
  const server = given ?? (await readRepositoryTeam(context))?.server;
  const known = server && (await readAuth(homeAt(context.config().home)))[server];
  return known && known.anon_key !== undefined ? server : undefined;
}

async function linkOfTeamServer(context: CommandContext, choice: TeamChoice): Promise<string | undefined> {
  try {
    const { address, server } = await findServerOf(context, choice);
    if (server === "local") return undefined;
    return (await callServer(address, "/auth/link", SignInLink, { method: "POST", body: {} })).url;
  } catch (error) {
    // Without a team, this machine is a team of one.
    if (error instanceof DevflowError && error.code === "no_team") return undefined;
    throw error;
  }
}

async function linkOfThisMachine(context: CommandContext): Promise<string> {
  const state = await runningServer(context);
  const { code } = await callServer(state, "/auth/code", CodeIssued, { method: "POST" });
  return `${urlOf(state)}/team/pulse#code=${code}`;
}
