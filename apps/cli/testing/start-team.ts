/**
 * A real team server in this process over a database of its own, for tests of commands.
 *
 * - `startTeam(options)`; options are those of the server. `setupUrl` makes the first owner. `stop()` closes everything.
 */
import { randomBytes } from "node:crypto";
import { Secret } from "@devflow/core/secret";
import { connectAsAdmin } from "@devflow/db";
import { startTeamServer, type TeamServerOptions } from "@devflow/server/team";
import { quietLog, testDatabase } from "@devflow/testkit";

export async function startTeam(options: Partial<TeamServerOptions> = {}) {
  const database = await testDatabase({ poolSize: 6 });
  const admin = connectAsAdmin(database.target, database.name);
  const signingKey = new Secret(randomBytes(48).toString("base64url"));
  const start = (port: number) =>
    startTeamServer({
      config: { host: "127.0.0.1", port, allowHosts: [] },
      publicUrl: "http://127.0.0.1:0",
      database: database.database,
      version: "9.9.9",
      log: quietLog,
      signingKey,
      ...options,
    });
  let server = await start(0);
  const { port, setupUrl = "" } = server;
  return {
    url: server.url,
    database,
    setupUrl,
    /** Behind row-level security. */
    admin,
    disconnect: () => server.stop(),
    async reconnect(): Promise<void> {
      server = await start(port);
    },
    async stop(): Promise<void> {
      await server.stop();
      await admin.end({ timeout: 1 });
      await database.close();
    },
  };
}
