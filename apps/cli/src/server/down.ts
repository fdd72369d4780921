import type { HandlerOf } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { createLog } from "@devflow/core/log";
import { findPostgres } from "@devflow/db/postgres";
import type { downRecord } from "./commands.ts";
import { findServer } from "./state.ts";
import { stopServer } from "./stop-server.ts";

/** Works with a broken configuration: only the home is needed. A Postgres whose server was killed is stopped too. */
export const down: HandlerOf<typeof downRecord> = async ({ force }, { inspectConfig, output }) => {
  const home = homeAt(inspectConfig().home);
  const state = await findServer(home);
  if (state) await stopServer(home, state, { force });
  const log = createLog({ level: "silent", module: "down" });
  const left = await findPostgres({ folder: home.postgresFolder, log });
  const postgres = left ? await left.stop() : "not running";
  const text = state
    ? "Devflow is stopped."
    : left
      ? "The server was already stopped; its Postgres is now stopped too."
      : "Devflow was not running.";
  output.result(
    { stopped: state !== undefined, postgres },
    postgres === "in use" ? `${text} Postgres keeps running, because others use it.` : text,
  );
};
