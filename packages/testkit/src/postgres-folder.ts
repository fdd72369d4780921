/**
 * A folder for a separate Postgres, for tests of Postgres itself; most tests want `testDatabase`.
 *
 * - `postgresFolder()` a new folder; `remove()` kills whatever still runs on it and deletes it.
 */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { liveProcess } from "@devflow/core/process-table";
import { postgresPlaces } from "@devflow/db";

export interface PostgresFolder {
  readonly folder: string;
  remove(): Promise<void>;
}

export async function postgresFolder(parent: string = tmpdir()): Promise<PostgresFolder> {
  const root = await mkdtemp(join(parent, "devflow-pg-"));
  const folder = join(root, "pg");
  return {
    folder,
    async remove() {
      const { base, data, socket } = postgresPlaces(folder);
      const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");
      const pid = Number(text.split("\n")[0]);
      if (pid > 0 && isOn(pid, data)) {
        process.kill(pid, "SIGQUIT");
        while (isOn(pid, data)) await new Promise((resolve) => setTimeout(resolve, 10));
      }
      for (const path of [base, socket, root]) await rm(path, { recursive: true, force: true });
      if (existsSync(base)) throw new Error(`${base} could not be removed`);
    },
  };
}

/** Asks the system, not a lock file: a pid may have been reused. */
function isOn(pid: number, data: string): boolean {
  return liveProcess(pid)?.argv.join(" ").includes(data) === true;
}
