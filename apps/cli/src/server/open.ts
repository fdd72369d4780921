import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { CodeIssued, type ServerState } from "@devflow/protocol";
import { callServer } from "./client.ts";
import type { openRecord } from "./commands.ts";
import { openInBrowser } from "./open-in-browser.ts";
import { startDetached } from "./start-detached.ts";
import { reachServer, urlOf } from "./state.ts";

export const open: HandlerOf<typeof openRecord> = async ({ print }, context) => {
  const state = await runningServer(context);
  const { code, expiresAt } = await callServer(state, "/auth/code", CodeIssued, { method: "POST" });
  const url = `${urlOf(state)}/#code=${code}`;
  context.output.result({ url, expiresAt }, url);
  if (!print && context.output.isTerminal) openInBrowser(url);
};

/** This machine's server; started if it does not run. */
export async function runningServer(context: CommandContext): Promise<ServerState> {
  const config = context.config();
  const found = await reachServer(homeAt(config.home));
  if (found) return found;
  context.output.note("Starting the server …");
  return await startDetached(config, { env: context.env, flags: [], signal: context.signal });
}
