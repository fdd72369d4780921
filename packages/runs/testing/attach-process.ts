/** An engine in a process of its own that starts a run with a file: `bun attach-process.ts <json>`. It is killed on the way. */
import { createLog } from "@devflow/core/log";
import { Secret } from "@devflow/core/secret";
import { openDatabase } from "@devflow/db";
import { createRunEngine } from "../src/engine/create-run-engine.ts";
import { createInlineDriver } from "../src/engine/inline-driver.ts";
import { fakeEngineContext } from "./fake-engine-context.ts";

const given = JSON.parse(process.argv[2] ?? "{}");
const log = createLog({ level: "silent", module: "attach" });
const target = { ...given.target, password: new Secret(given.target.password) };
const database = await openDatabase({ target, database: given.database, poolSize: 2, log });
const context = await fakeEngineContext({ database, env: given.env, folder: given.folder });
const engine = createRunEngine(context, createInlineDriver(context));
const person = { userId: given.userId, kind: "human", via: "cli" } as const;
const { id } = await engine.keepUpload(
  { teamId: given.teamId, name: "spec.txt", bytes: Buffer.from("as drawn") },
  person,
);
const { repository, teamId, clientToken } = given;
await engine.startRun(
  { teamId, template: "development-fake@1", repository, requirements: "Greet", clientToken, attachments: [id] },
  person,
);
