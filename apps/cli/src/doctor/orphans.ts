/** `devflow doctor --list-orphans`: what runs left behind. It only lists; a person decides what to remove. */
import type { CommandContext } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { createLog } from "@devflow/core/log";
import { machineId } from "@devflow/core/machine-id";
import { shortId } from "@devflow/core/short-id";
import { findOrphans } from "@devflow/runs";
import { openStore } from "../server/store.ts";
import { textTable } from "../text-table.ts";

export async function orphans({ config, output, signal }: CommandContext): Promise<number> {
  const settings = config();
  const store = await openStore(settings, createLog({ level: "warn", module: "doctor" }), { signal, poolSize: 1 });
  try {
    const host = await machineId(homeAt(settings.home));
    const found = await findOrphans({ database: store.database, host, workspaceRoot: settings.workspaceRoot });
    const rows = [
      ...found.unknown.map(({ path, gitFolder }) => [
        path,
        gitFolder ? `belongs to no run; git worktree remove ${path}` : "belongs to no run, and its repository is gone",
      ]),
      ...found.agents.map(({ pid, runId, isKnown }) => [
        `process ${pid}`,
        `an agent of ${isKnown ? `run ${shortId(runId)}, which has ended` : "an unknown run"}; kill ${pid}`,
      ]),
      ...found.gone.map(({ runId, worktree }) => [worktree, `missing, but run ${shortId(runId)} expects it`]),
    ];
    const text = rows.length === 0 ? "No orphans." : textTable([{ title: "" }, { title: "" }], rows);
    output.result({ ok: rows.length === 0, orphans: found }, text);
    return 0;
  } finally {
    await store.close();
  }
}
