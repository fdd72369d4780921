/**
 * One Postgres for a whole test run: `bun packages/testkit/src/test-cluster.ts` prints one line of JSON for
 * DEVFLOW_TEST_CLUSTER and runs until its standard input closes; then cluster and folder are removed, even if the run was
 * killed.
 *
 * - `startTestCluster()` the same in this process.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "@devflow/core/log";
import { postgresPlaces, startPostgres } from "@devflow/db/postgres";

/** The content of DEVFLOW_TEST_CLUSTER. */
export interface TestCluster {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

export interface RunningTestCluster {
  readonly cluster: TestCluster;
  stop(): Promise<void>;
}

export async function startTestCluster(): Promise<RunningTestCluster> {
  const folder = await mkdtemp(join(tmpdir(), "devflow-test-pg-"));
  const log = createLog({ level: "warn", module: "test-cluster" });
  const postgres = await startPostgres({ folder, choice: "auto", testing: true, log });
  const { host, port, user, password } = postgres.admin;
  return {
    cluster: { host, port, user, password: password.reveal() },
    async stop() {
      await postgres.stop({ evenIfInUse: true });
      await rm(postgresPlaces(folder).base, { recursive: true, force: true });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

if (import.meta.main) {
  const running = await startTestCluster();
  process.stdout.write(`${JSON.stringify(running.cluster)}\n`);
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    void running.stop().then(() => process.exit(0));
  };
  // A terminal sends its signals to the whole group; the run that reads our output decides when to end.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", stop);
  process.stdin.on("end", stop).on("close", stop).resume();
}
