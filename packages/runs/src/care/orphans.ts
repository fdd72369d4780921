/** Worktrees and runs that lost one another, for `devflow doctor --list-orphans`. Nothing is removed. */
import type { Database } from "@devflow/db";
import { listOrphans, type Orphans } from "@devflow/harness";

export async function findOrphans(options: {
  readonly database: Pick<Database, "asEngine">;
  readonly host: string;
  readonly workspaceRoot: string;
}): Promise<Orphans> {
  const rows = await options.database.asEngine(
    (tx) => tx<{ id: string; worktree: string; has: boolean }[]>`
      select r.id, r.worktree_root as worktree,
        r.started_at is not null and not exists (select from app.commands c where c.run_id = r.id and c.kind = 'git'
          and c.argv[2] = 'worktree' and c.argv[3] = 'remove' and c.exit_code = 0) as has
      from app.runs r where r.host = ${options.host}`,
  );
  return await listOrphans({
    workspaceRoot: options.workspaceRoot,
    knownRuns: rows.map(({ id, worktree, has }) => ({ runId: id, worktree: has ? worktree : undefined })),
  });
}
