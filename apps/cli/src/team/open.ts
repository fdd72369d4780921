import type { HandlerOf } from "@devflow/core/command";
import { SignInLink } from "@devflow/protocol";
import { callServer } from "../server/client.ts";
import { openInBrowser } from "../server/open-in-browser.ts";
import type { teamOpenRecord } from "./commands.ts";
import { requireTeamServer } from "./team-server-only.ts";
import { findServerOf } from "./team-target.ts";

export const openTeam: HandlerOf<typeof teamOpenRecord> = async ({ print, server: given }, context) => {
  const { address, server } = await findServerOf(context, { server: given });
  requireTeamServer(server, "This");
  const link = await callServer(address, "/auth/link", SignInLink, { method: "POST", body: {} });
  context.output.result(link, link.url);
  if (!print && context.output.isTerminal) openInBrowser(link.url);
};
