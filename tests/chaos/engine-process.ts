/**
 * An engine in a process of its own, and the person in front of it: `driveCell(createDriver)` with a cell as JSON on the
 * command line. It takes up what it finds, starts the run under its token, decides the gates by the path's rules, forks it
 * where the path says so, and leaves when everything is closed.
 * Killed at any moment and started again with the same words, it goes on: the tokens are the same.
 */
import { createLog } from "@devflow/core/log";
import { Secret } from "@devflow/core/secret";
import { openDatabase } from "@devflow/db";
import type { RunDriver } from "@devflow/runs/fleet";
import { createRunEngine, type FakeEngineContext, fakeEngineContext, loadSnapshot } from "@devflow/runs/testing";
import { fillDisk, freeDisk } from "@devflow/testkit/small-disk";
import { type CellInput, pathOf } from "./paths.ts";

export async function driveCell(
  createDriver: (context: FakeEngineContext, cell: CellInput) => RunDriver | Promise<RunDriver>,
): Promise<void> {
  const cell = JSON.parse(process.argv[2] ?? "{}") as CellInput;
  const path = pathOf(cell.path);
  const log = createLog({ level: "silent", module: "chaos" });
  const target = { ...cell.target, password: new Secret(cell.target.password) };
  const database = await openDatabase({ target, database: cell.database, poolSize: 4, log });
  const { env, folder, host, agents = [], programs } = cell;
  const context = await fakeEngineContext({
    ...{ database, env, folder, host, agents },
    ...(programs ? { programs } : {}),
    engine: cell.temporal ? "temporal" : "inline",
  });
  const engine = createRunEngine(context, await createDriver(context, cell));
  const person = { userId: cell.userId, kind: "human", via: "cli" } as const;

  /** Everything is done under its own token, so that it can be repeated when Postgres was away. */
  async function patiently<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if ((error as { code?: string }).code !== "db_unreachable") throw error;
        await Bun.sleep(50);
      }
    }
  }

  /** Counts the steps that failed and were tried again. */
  let failures = 0;
  const note = context.stepFailures.set.bind(context.stepFailures);
  context.stepFailures.set = (...words) => {
    failures += 1;
    return note(...words);
  };

  async function decide(gate: { id: string; key: string; attempt: number }): Promise<void> {
    const { smallDisk } = cell;
    if (smallDisk) fillDisk(smallDisk);
    await engine.decide(gate.id, { ...path.decide(gate.attempt), clientToken: gate.key }, person);
    if (!smallDisk) return;
    // Until it was noticed, and a little longer.
    for (const before = failures; failures < before + 2; ) await Bun.sleep(10);
    freeDisk(smallDisk);
  }

  /** True when the run is closed; until then, does what it waits for. */
  const look = async (runId: string): Promise<boolean> => {
    const now = await database.asEngine((tx) => loadSnapshot(tx, runId));
    if (!now) throw new Error(`run ${runId} is gone`);
    if (now.run.final_report_path !== null && now.sessions.every((one) => one.state === "DISPOSED")) return true;
    for (const gate of now.approvals.filter((one) => one.state === "pending"))
      await decide({ id: gate.id, key: `${gate.idempotency_key}`, attempt: Number(gate.payload.attempt) });
    for (const { session_id: session, permission_id: permission, state } of now.permissions)
      if (state === "pending")
        await engine.answerPermission({ sessionId: session, permissionId: permission, answer: "allow" }, person);
    if (path.abortsAt && now.phases.some((one) => one.phase_key === path.abortsAt && one.state === "awaiting_artifact"))
      await engine.abortRun(runId, { reason: "changed my mind" }, person);
    return false;
  };

  const untilClosed = async (runId: string): Promise<void> => {
    for (;;) {
      const change = context.nextChange();
      if (await patiently(() => look(runId))) return;
      await change;
    }
  };

  await patiently(() => engine.start());
  const { runId } = await patiently(() =>
    engine.startRun(
      {
        teamId: cell.teamId,
        template: path.template,
        repository: cell.repository,
        requirements: "Greet in several languages",
        clientToken: cell.host,
        extra: { fake: { script: path.script, delayMs: 2 } },
      },
      person,
    ),
  );
  await untilClosed(runId);
  const { forksAt: at } = path;
  if (at !== undefined) {
    const forked = { runId, at, clientToken: `${cell.host}-fork` };
    await untilClosed((await patiently(() => engine.forkRun(forked, person))).runId);
  }
  await engine.stop();
  await database.close();
  process.stdout.write(JSON.stringify({ failures }));
}
