import { resolve } from "node:path";
import { ensurePrivateFolder } from "@devflow/core/atomic-file";
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { tryLock } from "@devflow/core/exclusive-lock";
import { homeAt } from "@devflow/core/home";
import { createLog } from "@devflow/core/log";
import { restoreDatabase } from "@devflow/db";
import { openStore } from "../server/store.ts";
import { counted } from "./amounts.ts";
import type { restoreRecord } from "./commands.ts";

export const restore: HandlerOf<typeof restoreRecord> = async ({ file, replace }, context) => {
  const config = context.config();
  const home = homeAt(config.home);
  await ensurePrivateFolder(home.root);
  // The server's own lock: it cannot start while its rows are being replaced.
  const lock = tryLock(home.serverLock);
  if (!lock) {
    throw new DevflowError("conflict", {
      details: { problem: "The server is running.", next: `devflow down && devflow restore ${file}` },
    });
  }
  try {
    const log = createLog({ level: "warn", module: "restore" });
    const store = await openStore(config, log, { signal: context.signal, poolSize: 1 });
    try {
      const done = await restoreDatabase({ database: store.database, file: resolve(context.cwd, file), replace });
      context.output.result(
        { file, tables: done.tables, rows: done.rows },
        `${counted(done.rows, "row")} in ${counted(done.tables, "table")} restored; counts and hashes match.\nStart the server: devflow up -d`,
      );
    } finally {
      await store.close();
    }
  } finally {
    lock.release();
  }
};
