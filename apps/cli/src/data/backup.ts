import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { createLog } from "@devflow/core/log";
import { backupDatabase } from "@devflow/db";
import { openStore } from "../server/store.ts";
import { counted, size } from "./amounts.ts";
import type { backupRecord } from "./commands.ts";
import { filesOfHome } from "./home-files.ts";

export const backup: HandlerOf<typeof backupRecord> = async ({ file }, { cwd, config, env, output, signal }) => {
  const settings = config();
  const home = homeAt(settings.home);
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
  const bundles = await mkdtemp(join(tmpdir(), "devflow-branches-"));
  try {
    const { packBranches } = await import("@devflow/runs");
    const branches = await packBranches({ database: store.database, env, folder: bundles });
    const files = [
      ...(await filesOfHome(home, settings.workspaceRoot)),
      ...branches.map((bundle) => ({ name: `branches/${basename(bundle)}`, path: bundle })),
    ];
    const made = await backupDatabase({ database: store.database, file: path, files });
    output.result(
      {
        file: path,
        bytes: made.bytes,
        tables: made.tables,
        rows: made.rows,
        files: made.files,
        branches: branches.length,
      },
      `${path}: ${counted(made.rows, "row")} from ${counted(made.tables, "table")}, ${counted(made.files, "file")} with ${counted(branches.length, "branch", "branches")} of runs, ${size(made.bytes)}.\nIt contains this machine's keys: keep it private.\nRestore it with: devflow restore ${path}`,
    );
  } finally {
    await rm(bundles, { recursive: true, force: true });
    await store.close();
  }
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
