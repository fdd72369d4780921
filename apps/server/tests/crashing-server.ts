/** A server in a process of its own, to be killed: reads its options from standard input, prints its port. */
import { Secret } from "@devflow/core/secret";
import { type ConnectionTarget, openDatabase } from "@devflow/db";
import { quietLog } from "@devflow/testkit";
import { startServer } from "../src/index.ts";

export interface CrashingServerOptions {
  readonly target: Omit<ConnectionTarget, "password"> & { readonly password: string };
  readonly database: string;
  readonly machineToken: string;
  readonly signingKey: string;
}

if (import.meta.main) {
  const options = (await Bun.stdin.json()) as CrashingServerOptions;
  const target: ConnectionTarget = { ...options.target, password: new Secret(options.target.password) };
  const server = await startServer({
    config: { host: "127.0.0.1", port: 0, allowHosts: [] },
    database: await openDatabase({ target, database: options.database, poolSize: 4, log: quietLog }),
    version: "9.9.9",
    log: quietLog,
    machineToken: new Secret(options.machineToken),
    signingKey: new Secret(options.signingKey),
    userName: "Ada",
  });
  console.log(server.port);
}
