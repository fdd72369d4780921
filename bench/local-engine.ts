/**
 * An engine with fake agents over a Postgres with production durability, in a temporary folder.
 *
 * - `prepareEngine()` → the engine, its database, and `run()`: one run from start to report, gates approved.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { uuidv7 } from "@devflow/core/ids";
import { createLog } from "@devflow/core/log";
import { openDatabase } from "@devflow/db";
import { startPostgres } from "@devflow/db/postgres";
import { initRepository } from "@devflow/git";
import {
  Actor,
  createInlineDriver,
  createRunEngine,
  type DriverChoice,
  fakeEngineContext,
  loadSnapshot,
  seedDefinitions,
  shippedDefinitions,
  Template,
  templateHash,
  templateId,
} from "@devflow/runs/testing";

const log = createLog({ level: "silent", module: "bench" });

export type LocalEngine = Awaited<ReturnType<typeof prepareEngine>>;

export interface EngineOptions {
  readonly atOnce?: number;
  /** What drives the runs; by default the inline driver. */
  readonly driver?: DriverChoice;
}

const inline: DriverChoice = { engine: "inline", create: createInlineDriver };

export async function prepareEngine({ atOnce = 20, driver = inline }: EngineOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), "devflow-bench-engine-"));
  const postgres = await startPostgres({ folder: join(folder, "pg"), choice: "auto", log });
  const database = await openDatabase({ target: postgres.admin, poolSize: 10, log });
  const env = { PATH: process.env.PATH, HOME: folder };
  const repository = join(folder, "repository");
  await initRepository(repository, { files: { "README.md": "# Demo\n" }, message: "Start", env });
  const userId = uuidv7();
  await database.asEngine(async (tx) => {
    await tx`select app.ensure_user(${userId}, 'Ada')`;
    await seedDefinitions(tx, shippedDefinitions());
  });
  const [team] = await database.withClaims(
    { sub: userId, role: "authenticated" },
    (tx) => tx<{ id: string }[]>`select id from api.create_team('Team')`,
  );
  const waiters = new Map<string, () => void>();
  const context = {
    ...(await fakeEngineContext({
      database,
      env,
      folder,
      host: `bench-${driver.engine}`,
      engine: driver.engine,
      maxConcurrentRuns: atOnce,
    })),
    onCommitted: (runId: string) => waiters.get(runId)?.(),
  };
  const engine = createRunEngine(context, driver.create(context));
  if (driver.engine !== "inline") await engine.start();
  const person = Actor.parse({ userId, kind: "human", via: "cli" });

  return {
    context,
    database,
    engine,
    person,
    async addTemplate(input: unknown): Promise<string> {
      const template = Template.parse(input);
      await database.asEngine(
        (tx) => tx`
          insert into app.workflow_templates (name, version, hash, definition)
          values (${template.name}, ${template.version}, ${templateHash(template)}, ${tx.json(template as never)})`,
      );
      return templateId(template);
    },
    /** The run's id, once its report is written. */
    async run(template = "development-fake@1", delayMs = 0, script: object = {}, lanes: object = {}): Promise<string> {
      const { runId } = await engine.startRun(
        {
          teamId: team?.id ?? "",
          template,
          repository,
          requirements: "Greet in several languages",
          clientToken: uuidv7(),
          extra: { fake: { delayMs, script, lanes } },
        },
        person,
      );
      for (;;) {
        const changed = new Promise<void>((resolve) => waiters.set(runId, resolve));
        const now = await database.asEngine((tx) => loadSnapshot(tx, runId));
        if (now?.run.final_report_path && now.sessions.every((one) => one.state === "DISPOSED")) break;
        const gate = now?.approvals.find((one) => one.state === "pending");
        if (gate) await engine.decide(gate.id, { verdict: "approve", clientToken: uuidv7() }, person);
        else await Promise.race([changed, Bun.sleep(50)]);
      }
      waiters.delete(runId);
      return runId;
    },
    async finish(): Promise<void> {
      await engine.stop();
      await database.close();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
