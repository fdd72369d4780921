/** The background work of a team server in a process of its own, to be killed: reads its options from standard input. */
import { systemClock } from "@devflow/core/clock";
import { Secret } from "@devflow/core/secret";
import { type ConnectionTarget, openDatabase } from "@devflow/db";
import { quietLog } from "@devflow/testkit";
import { composeAlerts } from "../src/server/compose-alerts.ts";

export interface AlertSenderOptions {
  readonly target: Omit<ConnectionTarget, "password"> & { readonly password: string };
  readonly database: string;
}

if (import.meta.main) {
  const options = (await Bun.stdin.json()) as AlertSenderOptions;
  const target: ConnectionTarget = { ...options.target, password: new Secret(options.target.password) };
  const database = await openDatabase({ target, database: options.database, poolSize: 2, log: quietLog });
  const work = composeAlerts(
    { database, clock: systemClock, log: quietLog, mail: undefined, wrote: () => undefined },
    { alertHosts: ["127.0.0.1"] },
  );
  work.start();
  process.once("SIGTERM", async () => {
    await work.stop();
    await database.close();
  });
  console.log("started");
}
