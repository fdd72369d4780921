/**
 * A separate process that appends events to a run and announces them: `bun foreign-events.ts <json>`. It pauses between
 * events, so that each is announced separately.
 */
import { createLog } from "@devflow/core/log";
import { Secret } from "@devflow/core/secret";
import { openDatabase } from "@devflow/db";
import { Actor, changeRun, createRunFeed } from "@devflow/runs/testing";

interface Order {
  readonly target: { readonly host: string; readonly port: number; readonly user: string; readonly password: string };
  readonly database: string;
  readonly runId: string;
  readonly count: number;
}

const order = JSON.parse(process.argv[2] ?? "{}") as Order;
const log = createLog({ level: "silent", module: "bench" });
const target = { ...order.target, password: new Secret(order.target.password) };
const database = await openDatabase({ target, database: order.database, poolSize: 2, log });
const feed = createRunFeed({ database, log });
const actor = Actor.parse({ userId: null, kind: "ci", via: "engine" });
for (let count = 0; count < order.count; count++) {
  await changeRun(
    database,
    order.runId,
    actor,
    async (fact) => fact.emit({ type: "usage.recorded", key: `bench:${process.pid}:${count}`, payload: {} }),
    { onCommitted: (events) => feed.committed(order.runId, events) },
  );
  await Bun.sleep(40);
}
await feed.stop();
await database.close();
