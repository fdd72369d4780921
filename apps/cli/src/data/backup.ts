import { access } from "node:fs/promises";
import { resolve } from "node:path";
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { createLog } from "@devflow/core/log";
import { backupDatabase } from "@devflow/db";
import { openStore } from "../server/store.ts";
import { counted, size } from "./amounts.ts";
import type { backupRecord } from "./commands.ts";

export const backup: HandlerOf<typeof backupRecord> = async ({ file }, { cwd, config, output, signal }) => {
  const settings = config();
  const path = resolve(
    cwd,
    file ?? `devflow-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.devflow-backup`,
  );
  if (await exists(path)) {
    throw new DevflowError("conflict", {
      details: { problem: `${path} already exists.`, next: "Choose another name: devflow backup <file>" },
    });
  }
  const log = createLog({ level: "warn", module: "backup" });
  const store = await openStore(settings, log, { signal, poolSize: 1 });
  try {
    const made = await backupDatabase({ database: store.database, file: path });
    output.result(
      { file: path, bytes: made.bytes, tables: made.tables, rows: made.rows },
      `${path}: ${counted(made.rows, "row")} from ${counted(made.tables, "table")}, ${size(made.bytes)}.\nRestore it with: devflow restore ${path}`,
    );
  } finally {
    await store.close();
  }
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
