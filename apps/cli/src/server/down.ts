import type { HandlerOf } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { createLog } from "@devflow/core/log";
import { findPostgres } from "@devflow/db/postgres";
import type { downRecord } from "./commands.ts";
import { locateServer } from "./state.ts";
import { stopServer } from "./stop-server.ts";

/** Works with a broken configuration: only the home is needed. A Postgres whose server was killed is stopped too. */
export const down: HandlerOf<typeof downRecord> = async ({ force }, { inspectConfig, output }) => {
  const home = homeAt(inspectConfig().home);
  const located = await locateServer(home);
  const found = located.is === "running" ? located.state : located.is === "silent" ? located.process : undefined;
  if (found) await stopServer(home, found, { force });
  const log = createLog({ level: "silent", module: "down" });
  const left = await findPostgres({ folder: home.postgresFolder, log });
  const postgres = left ? await left.stop() : "not running";
  const text = found
    ? "Devflow is stopped."
    : left
      ? "The server was already stopped; its Postgres is now stopped too."
      : "Devflow was not running.";
  output.result(
    { stopped: found !== undefined, postgres },
    postgres === "in use" ? `${text} Postgres keeps running, because others use it.` : text,
  );
};
