/**
 * An engine in a process of its own, and the person in front of it: `bun engine-process.ts <json>`. It takes up what it
 * finds, starts the run under its token, decides the gates by the path's rules, and leaves when everything is closed.
 * Killed at any moment and started again with the same words, it goes on: the tokens are the same.
 */
import { createLog } from "@devflow/core/log";
import { Secret } from "@devflow/core/secret";
import { openDatabase } from "@devflow/db";
import { createInlineDriver, createRunEngine, fakeEngineContext, loadSnapshot } from "@devflow/runs/testing";
import { type CellInput, pathOf } from "./paths.ts";

const cell = JSON.parse(process.argv[2] ?? "{}") as CellInput;
const path = pathOf(cell.path);
const log = createLog({ level: "silent", module: "chaos" });
const target = { ...cell.target, password: new Secret(cell.target.password) };
const database = await openDatabase({ target, database: cell.database, poolSize: 4, log });
const context = await fakeEngineContext({ database, env: cell.env, folder: cell.folder, host: cell.host });
const engine = createRunEngine(context, createInlineDriver(context));
const person = { userId: cell.userId, kind: "human", via: "cli" } as const;

await engine.start();
const { runId } = await engine.startRun(
  {
    teamId: cell.teamId,
    template: path.template,
    repository: cell.repository,
    requirements: "Greet in several languages",
    clientToken: cell.host,
    extra: { fake: { script: path.script, delayMs: 2 } },
  },
  person,
);

for (;;) {
  const change = context.nextChange();
  const now = await database.asEngine((tx) => loadSnapshot(tx, runId));
  if (!now) throw new Error(`run ${runId} is gone`);
  const isClosed = now.run.final_report_path !== null && now.sessions.every((one) => one.state === "DISPOSED");
  if (isClosed) break;
  for (const gate of now.approvals.filter((one) => one.state === "pending")) {
    const verdict = path.decide(Number(gate.payload.attempt));
    await engine.decide(gate.id, { ...verdict, clientToken: `${gate.idempotency_key}` }, person);
  }
  for (const { session_id: session, permission_id: permission, state } of now.permissions)
    if (state === "pending") await engine.answerPermission(session, permission, "allow", person);
  if (path.abortsAt && now.phases.some((one) => one.phase_key === path.abortsAt && one.state === "awaiting_artifact"))
    await engine.abortRun(runId, { reason: "changed my mind" }, person);
  await change;
}
await engine.stop();
await database.close();
