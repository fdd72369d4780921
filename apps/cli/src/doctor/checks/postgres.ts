/** The database: reachable, up to date, and with durable writes. Nothing is started for a check. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { homeAt } from "@devflow/core/home";
import { createLog } from "@devflow/core/log";
import { connectAsAdmin, findPostgres, openDatabase, pendingMigrations, postgresPlaces } from "@devflow/db";
import { packedPostgres } from "../../embedded.ts";
import { type Check, type CheckContext, type Finding, fail, pass, warn } from "../check.ts";

const log = createLog({ level: "silent", module: "doctor" });
const starting = "devflow up -d";

export const checkPostgres: Check = {
  name: "postgres",
  run: async ({ inspection: { config, home } }) => {
    if (config?.databaseUrl) {
      const database = await openDatabase({ target: config.databaseUrl, migrate: false, poolSize: 1, log });
      await database.close();
      return pass(`your own, version ${database.version}, reachable`);
    }
    const folder = homeAt(home).postgresFolder;
    const running = await findPostgres({ folder, log });
    if (running) {
      await running.release();
      return pass(`${running.kind} ${running.version}, running (pid ${running.pid})`);
    }
    return await stoppedCluster(folder);
  },
};

async function stoppedCluster(folder: string): Promise<Finding> {
  const { data } = postgresPlaces(folder);
  if (!existsSync(data)) return pass("embedded, not created yet", `Create it: ${starting}`);
  const made = (await readFile(join(data, "PG_VERSION"), "utf8").catch(() => "")).trim();
  if (made === "") {
    return fail(
      `the data folder ${data} is damaged: PG_VERSION is empty or missing`,
      `Move it away (mv ${data} ${data}.damaged), then restore a backup: devflow restore <file>`,
    );
  }
  const ours = packedPostgres()?.version.split(".")[0];
  if (ours !== undefined && ours !== made) {
    return fail(
      `the data in ${data} is from Postgres ${made}, ours is ${ours}`,
      "devflow backup with the older Devflow, then devflow restore",
    );
  }
  return pass(`embedded ${made}, not running`, `Start it: ${starting}`);
}

export const checkMigrations: Check = {
  name: "migrations",
  run: async ({ inspection: { config, home } }) => {
    const pending = await withTarget(config, home, (target) => pendingMigrations({ target }));
    if (pending === "not running") return pass("checked when it starts");
    if (pending.length === 0) return pass("all applied");
    return warn(`${pending.length} pending: ${pending.join(", ")}`, `devflow down && ${starting}`);
  },
};

/** Reads the live values, not the configuration file. */
export const checkDurability: Check = {
  name: "durability",
  run: async ({ inspection: { config, home } }) => {
    if (config?.databaseUrl) {
      const database = await openDatabase({ target: config.databaseUrl, migrate: false, poolSize: 1, log });
      const live = await database.settings();
      await database.close();
      return judgeDurability(live);
    }
    const running = await findPostgres({ folder: homeAt(home).postgresFolder, log });
    if (!running) return pass("checked when it starts");
    const sql = connectAsAdmin(running.admin, "postgres");
    try {
      const [row] = await sql<{ fsync: string; synchronousCommit: string; fullPageWrites: string }[]>`
        select current_setting('fsync') as fsync, current_setting('synchronous_commit') as "synchronousCommit",
               current_setting('full_page_writes') as "fullPageWrites"`;
      return judgeDurability(row ?? { fsync: "unknown", synchronousCommit: "unknown", fullPageWrites: "unknown" });
    } finally {
      await sql.end({ timeout: 1 });
      await running.release();
    }
  },
};

interface Durability {
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly fullPageWrites: string;
}

/** `synchronous_commit` above `on` waits for replicas too; below it, an acknowledged row can be lost. */
export function judgeDurability({ fsync, synchronousCommit, fullPageWrites }: Durability): Finding {
  const safe = ["on", "remote_apply", "remote_write"];
  const detail = `fsync ${fsync}, synchronous_commit ${synchronousCommit}, full_page_writes ${fullPageWrites}`;
  if (fsync === "on" && fullPageWrites === "on" && safe.includes(synchronousCommit)) return pass(detail);
  return fail(detail, "Turn them on in that Postgres: acknowledged work could be lost");
}

async function withTarget<T>(
  config: CheckContext["inspection"]["config"],
  home: string,
  look: (target: Parameters<typeof pendingMigrations>[0]["target"]) => Promise<T>,
): Promise<T | "not running"> {
  if (config?.databaseUrl) return await look(config.databaseUrl);
  const running = await findPostgres({ folder: homeAt(home).postgresFolder, log });
  if (!running) return "not running";
  try {
    return await look(running.admin);
  } finally {
    await running.release();
  }
}
