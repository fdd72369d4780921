import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { tryLock } from "@devflow/core/exclusive-lock";
import { homeAt } from "@devflow/core/home";
import { createLog } from "@devflow/core/log";
import { ensurePrivateHome } from "@devflow/core/private-home";
import { restoreDatabase } from "@devflow/db";
import { openStore } from "../server/store.ts";
import { counted } from "./amounts.ts";
import type { restoreRecord } from "./commands.ts";
import { stageFiles, stagingFolder } from "./stage-files.ts";

export const restore: HandlerOf<typeof restoreRecord> = async ({ file, replace }, context) => {
  const config = context.config();
  const home = homeAt(config.home);
  await ensurePrivateHome(home);
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
      const files = stageFiles(home, config.workspaceRoot);
      const onFile = files.add;
      const done = await restoreDatabase({
        database: store.database,
        file: resolve(context.cwd, file),
        replace,
        onFile,
      });
      const placed = await files.place({ replace });
      const { unpackBranches } = await import("@devflow/runs");
      const folder = join(home.root, "branches");
      const { restored, waiting } = await unpackBranches({ database: store.database, env: context.env, folder });
      for (const { bundle, repository, branch } of waiting)
        context.output.note(`${repository} lacks ${branch}. In a clone of it: git fetch ${bundle} ${branch}:${branch}`);
      context.output.result(
        { file, tables: done.tables, rows: done.rows, files: placed, branches: restored, waiting },
        `${counted(done.rows, "row")} in ${counted(done.tables, "table")} restored; counts and hashes match.\n${counted(placed.written, "file")} restored, ${placed.kept} kept as they are; ${counted(restored, "branch", "branches")} of runs there.\nStart the server: devflow up -d`,
      );
    } finally {
      await rm(stagingFolder(home), { recursive: true, force: true });
      await store.close();
    }
  } finally {
    lock.release();
  }
};
