/** The screens of a team in a Supabase project, served by this machine until Ctrl-C. */
import type { CommandContext } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { createLog } from "@devflow/core/log";
import { version } from "@devflow/core/version";
import { folderAssets, startTeamView } from "@devflow/server";
import { webAssetsFolder } from "../embedded.ts";
import { callRpc } from "../server/client.ts";
import { openInBrowser } from "../server/open-in-browser.ts";
import { untilAborted } from "../server/until-aborted.ts";
import { addressFor, tokenFor } from "../team/token-for.ts";

const timeoutMs = 30_000;

export async function serveTeamView(
  context: CommandContext,
  server: string,
  { print }: { readonly print: boolean },
): Promise<number> {
  const config = context.config();
  const home = homeAt(config.home);
  const address = () => addressFor(home, context.env, server);
  const { userId } = await tokenFor(home, context.env, server);
  const { name } = await callRpc(await address(), "whoami", {});
  const view = startTeamView({
    config: { host: "127.0.0.1", port: 0, allowHosts: config.allowHosts },
    user: { id: userId, name: name ?? "" },
    async call(fn, body) {
      // Renewed when it has to be: the page may be open for days.
      const { url, token, headers } = await address();
      return await fetch(`${url}/rest/v1/rpc/${fn}`, {
        method: "POST",
        headers: { ...headers, authorization: `Bearer ${token}`, "content-type": "application/json" },
        body,
        // A redirect could lead the token to another host.
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
      });
    },
    teams: async () => await callRpc(await address(), "my_teams", {}),
    version,
    log: createLog({ level: "silent", module: "dashboard" }),
    webAssets: folderAssets(webAssetsFolder()),
    commands: async () => (await import("../command-summaries.ts")).commandSummaries(),
  });
  try {
    const url = `${view.url}/team/pulse#code=${view.issueCode(10)}`;
    context.output.result({ url }, url);
    context.output.note(`The screens of ${server}, until you press Ctrl-C.`);
    if (!print && context.output.isTerminal) openInBrowser(url);
    await untilAborted(context.signal);
    return 0;
  } finally {
    await view.stop();
  }
}
