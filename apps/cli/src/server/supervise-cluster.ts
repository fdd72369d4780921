/**
 * Keeps the embedded Postgres of a running server alive: when its postmaster is gone, it is started again on the same
 * folder. Connections recover by themselves, because socket and passwords stay the same.
 *
 * - `superviseCluster(cluster, restart, log)` `current()` is the cluster to stop at the end.
 */
import type { Log } from "@devflow/core/log";
import { processIdentity } from "@devflow/core/process-proof";
import type { PostgresCluster } from "@devflow/db/postgres";

export interface SupervisedCluster {
  /** Ends the supervision; nothing is started after it resolves. */
  stop(): Promise<PostgresCluster>;
}

const lookEveryMs = 500;

export function superviseCluster(
  first: PostgresCluster,
  restart: () => Promise<PostgresCluster>,
  log: Log,
): SupervisedCluster {
  let current = first;
  let identity = processIdentity(first.pid);
  let reviving: Promise<void> | undefined;

  const revive = async () => {
    log.error({ pid: current.pid }, "postgres is gone, starting it again");
    // Releases what died with it; there is nothing to wait for.
    await current.release().catch(() => undefined);
    try {
      current = await restart();
      identity = processIdentity(current.pid);
      log.info({ pid: current.pid }, "postgres is back");
    } catch (error) {
      log.error({ err: error }, "postgres did not start again; retrying at the next check");
    }
  };
  const timer = setInterval(() => {
    if (reviving || processIdentity(current.pid) === identity) return;
    reviving = revive().finally(() => {
      reviving = undefined;
    });
  }, lookEveryMs);

  return {
    async stop() {
      clearInterval(timer);
      await reviving;
      return current;
    },
  };
}
