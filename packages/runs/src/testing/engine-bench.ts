/** A whole engine for tests: a database of its own, a repository, fake agents as real processes. */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "@devflow/core/clock";
import { uuidv7 } from "@devflow/core/ids";
import type { Database } from "@devflow/db";
import { initRepository } from "@devflow/git";
import { createFakeAdapter } from "@devflow/session";
import { quietLog, temporaryHome, testDatabase } from "@devflow/testkit";
import { openChainSigner } from "../engine/chain-signer.ts";
import { defaultTiming, type EngineContext, type EngineTiming } from "../engine/context.ts";
import { createInlineEngine } from "../engine/inline-engine.ts";
import type { RunEngine, RunStartInput, StartedRun } from "../engine/run-engine.ts";
import { loadSnapshot, type Snapshot } from "../engine/snapshot.ts";
import type { Actor } from "../events/actor.ts";
import { seedDefinitions, shippedDefinitions } from "../templates/index.ts";

export interface EngineBench {
  readonly context: EngineContext;
  readonly engine: RunEngine;
  readonly database: Database;
  readonly repository: string;
  readonly teamId: string;
  readonly person: Actor;
  start(input?: Partial<RunStartInput>): Promise<StartedRun>;
  snapshot(runId: string): Promise<Snapshot>;
  /** Resolves when the condition holds; rejects after 30 s with where the run stands. */
  until(runId: string, condition: (snapshot: Snapshot) => boolean): Promise<Snapshot>;
  eventTypes(runId: string): Promise<string[]>;
  close(): Promise<void>;
}

interface BenchOptions {
  readonly timing?: Partial<EngineTiming>;
  readonly maxConcurrentRuns?: number;
  readonly files?: Readonly<Record<string, string>>;
}

const fakeAgent = fileURLToPath(import.meta.resolve("@devflow/session/fake/agent"));

export async function openEngineBench({
  timing,
  maxConcurrentRuns = 4,
  files,
}: BenchOptions = {}): Promise<EngineBench> {
  const home = temporaryHome();
  const test = await testDatabase({ poolSize: 8 });
  const { database } = test;
  const repository = join(home.path, "repository");
  await initRepository(repository, {
    files: files ?? { "README.md": "# Demo\n" },
    message: "Start",
    env: home.environment(),
  });
  const workspaceRoot = join(home.devflowHome, "workspaces");
  await mkdir(workspaceRoot, { recursive: true });
  const userId = uuidv7();
  await database.asEngine(async (tx) => {
    await tx`select app.ensure_user(${userId}, 'Ada')`;
    await seedDefinitions(tx, shippedDefinitions());
  });
  const [team] = await database.withClaims(
    { sub: userId, role: "authenticated" },
    (tx) => tx<{ id: string }[]>`select id from api.create_team('Team')`,
  );
  const teamId = team?.id ?? "";
  const context: EngineContext = {
    database,
    clock: systemClock,
    log: quietLog,
    host: "test-host",
    workspaceRoot,
    adapters: {
      fake: createFakeAdapter({
        agentCommand: [process.execPath, fakeAgent],
        env: home.environment(),
        defaultDelayMs: 20,
      }),
    },
    backends: {
      fake: { available: true },
      claude: { available: false, reason: "not in this test" },
      codex: { available: false, reason: "not in this test" },
    },
    env: home.environment(),
    maxConcurrentRuns,
    timing: { ...defaultTiming, debounceMs: 40, unfinishedMs: 1_500, ...timing },
    signer: await openChainSigner(join(home.devflowHome, "run-signing.key")),
    onCommitted: () => undefined,
    onTranscript: () => undefined,
  };
  const engine = createInlineEngine(context);
  const person: Actor = { userId, kind: "human", via: "cli" };
  const snapshot = async (runId: string): Promise<Snapshot> => {
    const found = await database.asEngine((tx) => loadSnapshot(tx, runId));
    if (!found) throw new Error(`no run ${runId}`);
    return found;
  };
  return {
    context,
    engine,
    database,
    repository,
    teamId,
    person,
    start: (input) =>
      engine.startRun(
        {
          teamId,
          template: "development-fake@1",
          repository,
          requirements: "Greet in several languages",
          clientToken: uuidv7(),
          ...input,
        },
        person,
      ),
    snapshot,
    async until(runId, condition) {
      const deadline = Date.now() + 30_000;
      for (;;) {
        const now = await snapshot(runId);
        if (condition(now)) return now;
        if (Date.now() > deadline) throw new Error(`run ${runId} stays ${describe(now)}`);
        await Bun.sleep(20);
      }
    },
    async eventTypes(runId) {
      const rows = await database.asEngine(
        (tx) => tx<{ type: string }[]>`select type from app.run_events where run_id = ${runId} order by seq`,
      );
      return rows.map((row) => row.type);
    },
    async close() {
      await engine.stop();
      await endSessions(context);
      await test.close();
    },
  };
}

/** Agents outlive the engine by design; a test ends those it left. */
async function endSessions(context: EngineContext): Promise<void> {
  const rows = await context.database.asEngine(
    (tx) => tx<{ id: string; run_id: string }[]>`select id, run_id from app.sessions`,
  );
  for (const { id, run_id: runId } of rows) {
    await context.adapters.fake?.dispose({
      sessionId: id,
      backend: "fake",
      folder: join(context.workspaceRoot, runId, "sessions", id),
    });
  }
}

function describe({ run, phases, approvals }: Snapshot): string {
  const at = phases.map((one) => `${one.phase_key}=${one.state}`).join(" ");
  return `${run.state} (${run.failure_reason ?? "no failure"}); ${at}; gates: ${approvals.map((one) => `${one.gate_key}=${one.state} ${String(one.payload.reason ?? "")}`).join(", ")}`;
}
