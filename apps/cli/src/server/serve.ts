/** `devflow serve`: the server of a team, in the foreground until it is told to stop. One server per home, as with `up`. */
import type { HandlerOf } from "@devflow/core/command";
import type { Config } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { tryLock } from "@devflow/core/exclusive-lock";
import { homeAt } from "@devflow/core/home";
import { version } from "@devflow/core/version";
import { webAssetsFolder } from "../embedded.ts";
import type { serveRecord } from "./commands.ts";
import { openServerLog, prepareHome } from "./run-server.ts";
import { signingKey } from "./secrets.ts";
import { openStore } from "./store.ts";
import { untilAborted } from "./until-aborted.ts";

export const serve: HandlerOf<typeof serveRecord> = async (input, { config: configure, output, signal }) => {
  const { publicUrl: given, host, port, allowHost } = input;
  const config = configure({
    ...(given === undefined ? {} : { public_url: given }),
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(allowHost.length > 0 ? { allow_hosts: allowHost } : {}),
  });
  const publicUrl = config.publicUrl ?? missing("public_url", "devflow serve --public-url https://devflow.example.com");
  const home = homeAt(config.home);
  await prepareHome(home);
  const lock = tryLock(home.serverLock);
  if (!lock) {
    throw new DevflowError("conflict", {
      details: {
        problem: `Another server already uses ${home.root}.`,
        next: "Stop it (devflow down), or use another home: DEVFLOW_HOME=<folder> devflow serve",
      },
    });
  }
  try {
    const log = await openServerLog(home, config);
    const store = await openStore(config, log, { adopt: input.adopt, signal, supervise: true });
    try {
      const [{ folderAssets }, { startTeamServer }] = await Promise.all([
        import("@devflow/server"),
        import("@devflow/server/team"),
      ]);
      const server = await startTeamServer({
        config,
        publicUrl,
        database: store.database,
        version,
        log,
        signingKey: config.signingKey ?? (await signingKey(home)),
        mail: mailOf(config),
        metricsToken: config.metricsToken,
        work: async (parts) =>
          (await import("./compose-alerts.ts")).composeAlerts(parts, config, new URL(publicUrl).origin),
        webAssets: folderAssets(webAssetsFolder()),
        commands: async () => (await import("../command-summaries.ts")).commandSummaries(),
      });
      try {
        const facts = { url: server.url, publicUrl: server.publicUrl, version, database: store.description };
        const lines = [
          `Devflow ${version} serves ${server.publicUrl} (listens on ${server.url}, ${store.description}).`,
        ];
        if (server.setupUrl) {
          lines.push("", "There is no team yet. The first person to open this link owns the new team:", "");
          lines.push(`  ${server.setupUrl}`, "", "From a terminal: devflow sync init, which asks for the link.");
        }
        output.result(server.setupUrl ? { ...facts, setupUrl: server.setupUrl } : facts, lines.join("\n"));
        await untilAborted(signal);
      } finally {
        await server.stop();
      }
    } finally {
      await store.close();
    }
  } finally {
    lock.release();
  }
};

function mailOf({ smtpUrl, mailFrom }: Config) {
  if (!smtpUrl) return undefined;
  return { url: smtpUrl, from: mailFrom ?? missing("mail_from", "devflow config set mail_from devflow@example.com") };
}

function missing(key: string, next: string): never {
  throw new DevflowError("usage", { details: { problem: `The setting ${key} is missing.`, next: `Set it: ${next}` } });
}
