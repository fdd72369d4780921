/** The sender of messages in a process of its own, to be killed: `bun notifier-process.ts <json>`; ends when nothing waits. */
import { systemClock } from "@devflow/core/clock";
import { Secret } from "@devflow/core/secret";
import { type ConnectionTarget, openDatabase } from "@devflow/db";
import { quietLog } from "@devflow/testkit";
import { createNotifier } from "../src/notifications/notifier.ts";
import { outboxState } from "../src/notifications/outbox.ts";

export interface NotifierProcessOptions {
  readonly target: Omit<ConnectionTarget, "password"> & { readonly password: string };
  readonly database: string;
  readonly host: string;
  readonly url: string;
}

if (import.meta.main) {
  const options = JSON.parse(process.argv[2] ?? "{}") as NotifierProcessOptions;
  const target: ConnectionTarget = { ...options.target, password: new Secret(options.target.password) };
  const database = await openDatabase({ target, database: options.database, poolSize: 2, log: quietLog });
  const webhook = { url: new Secret(options.url), format: "json" } as const;
  const outbox = { database, host: options.host };
  const notifier = createNotifier({ ...outbox, clock: systemClock, log: quietLog, webhook: () => webhook });
  notifier.start();
  while ((await outboxState(outbox)).waiting > 0) await Bun.sleep(20);
  await notifier.stop();
  await database.close();
}
