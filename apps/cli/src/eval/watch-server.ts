/**
 * `devflow eval watch --port`: serves the live page and the eval screens on loopback until Ctrl-C. Needs no Postgres.
 *
 * The link holds a one-time code; the page exchanges it for a token that only its tab has.
 */
import { join } from "node:path";
import { ensurePrivateFolder } from "@devflow/core/atomic-file";
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { createLog, fileDestination } from "@devflow/core/log";
import { type EvalServer, folderAssets, startEvalServer } from "@devflow/server";
import { commandSummaries } from "../command-summaries.ts";
import { webAssetsFolder } from "../embedded.ts";
import { composeEvals } from "../server/compose-evals.ts";
import { openInBrowser } from "../server/open-in-browser.ts";
import { untilAborted } from "../server/until-aborted.ts";

const codeMinutes = 10;

export async function serveWatch(
  { suite, port }: { readonly suite: string | undefined; readonly port: number },
  context: CommandContext,
): Promise<number> {
  const config = context.config({ host: "127.0.0.1", port });
  const logs = join(config.home, "log");
  await ensurePrivateFolder(config.home);
  await ensurePrivateFolder(logs);
  const log = createLog({
    level: config.logLevel,
    module: "eval-watch",
    destination: fileDestination(join(logs, "eval-watch.log")),
  });
  const server = serverOn(port, () =>
    startEvalServer({
      config,
      evals: () => composeEvals(config.home),
      log,
      webAssets: folderAssets(webAssetsFolder()),
      commands: commandSummaries,
    }),
  );
  try {
    const query = suite === undefined ? "" : `?suite=${encodeURIComponent(suite)}`;
    const link = `${server.url}/evals/watch${query}#code=${server.issueCode(codeMinutes)}`;
    context.output.item({ url: link, port: server.port }, link);
    context.output.note(`The link works once, within ${codeMinutes} minutes. Stop with Ctrl-C.`);
    if (context.output.isTerminal && !context.output.json) openInBrowser(link);
    await untilAborted(context.signal);
  } finally {
    await server.stop();
  }
  return 0;
}

function serverOn(port: number, start: () => EvalServer): EvalServer {
  try {
    return start();
  } catch (error) {
    if (!(error instanceof DevflowError) || error.code !== "port_in_use") throw error;
    throw new DevflowError("conflict", {
      details: {
        problem: `Port ${port} on 127.0.0.1 is already in use.`,
        next: "Let Devflow pick a free port: devflow eval watch --port 0",
      },
      cause: error,
    });
  }
}
