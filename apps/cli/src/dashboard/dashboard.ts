/** `devflow dashboard`. */
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { CodeIssued, SignInLink } from "@devflow/protocol";
import { callServer } from "../server/client.ts";
import { runningServer } from "../server/open.ts";
import { openInBrowser } from "../server/open-in-browser.ts";
import { urlOf } from "../server/state.ts";
import { findServerOf, type TeamChoice } from "../team/team-target.ts";
import type { dashboardRecord } from "./commands.ts";

export const dashboard: HandlerOf<typeof dashboardRecord> = async ({ print, ...choice }, context) => {
  const url = (await linkOfTeamServer(context, choice)) ?? (await linkOfThisMachine(context));
  context.output.result({ url }, url);
  if (!print && context.output.isTerminal) openInBrowser(url);
};

async function linkOfTeamServer(context: CommandContext, choice: TeamChoice): Promise<string | undefined> {
  try {
    const { address, server } = await findServerOf(context, choice);
    if (server === "local") return undefined;
    if ("url" in address && address.headers !== undefined) throw noWebApp(server);
    return (await callServer(address, "/auth/link", SignInLink, { method: "POST", body: {} })).url;
  } catch (error) {
    // Without a team, this machine is a team of one.
    if (error instanceof DevflowError && error.code === "no_team") return undefined;
    throw error;
  }
}

function noWebApp(server: string): DevflowError {
  return new DevflowError("conflict", {
    details: {
      problem: `${server} is a Supabase project, which serves no web app.`,
      next: "See the numbers here: devflow team leaderboard, devflow retro --team, devflow digest preview",
    },
  });
}

async function linkOfThisMachine(context: CommandContext): Promise<string> {
  const state = await runningServer(context);
  const { code } = await callServer(state, "/auth/code", CodeIssued, { method: "POST" });
  return `${urlOf(state)}/team/pulse#code=${code}`;
}
