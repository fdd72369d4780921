/**
 * Worktrees, runs and agents that lost each other, for `devflow doctor --list-orphans`. Nothing is removed or ended.
 *
 * - `findOrphans(options)` worktrees without a run, runs whose worktree is gone, and agents whose run is unknown or has
 *   ended.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isSameProcess } from "@devflow/core/process-proof";
import type { Database } from "@devflow/db";
import { listOrphans, type Orphans } from "@devflow/harness";
import { livingAgent } from "@devflow/session";

export interface OrphanedAgent {
  readonly runId: string;
  readonly sessionId: string;
  readonly pid: number;
  /** Whether this run exists and has ended. */
  readonly isKnown: boolean;
}

interface RunRow {
  readonly id: string;
  readonly worktree: string;
  readonly has: boolean;
  readonly closed: boolean;
}

interface SessionRow {
  readonly id: string;
  readonly runId: string;
  readonly pid: number;
  readonly identity: string;
}

export async function findOrphans(options: {
  readonly database: Pick<Database, "asEngine">;
  readonly host: string;
  readonly workspaceRoot: string;
}): Promise<Orphans & { readonly agents: readonly OrphanedAgent[] }> {
  const { database, host, workspaceRoot } = options;
  const rows = await database.asEngine(
    (tx) => tx<RunRow[]>`
      select r.id, r.worktree_root as worktree, r.final_report_path is not null as closed,
        r.started_at is not null and not exists (select from app.commands c where c.run_id = r.id and c.kind = 'git'
          and c.argv[2] = 'worktree' and c.argv[3] = 'remove' and c.exit_code = 0) as has
      from app.runs r where r.host = ${host}`,
  );
  const sessions = await database.asEngine(
    (tx) => tx<SessionRow[]>`
      select s.id, s.run_id as "runId", (s.handle ->> 'pid')::int as pid, s.handle ->> 'processIdentity' as identity
      from app.sessions s join app.runs r on r.id = s.run_id
      where r.host = ${host} and r.final_report_path is not null and s.handle ? 'pid' and s.handle ? 'processIdentity'`,
  );
  const found = await listOrphans({
    workspaceRoot,
    knownRuns: rows.map(({ id, worktree, has }) => ({ runId: id, worktree: has ? worktree : undefined })),
  });
  return { ...found, agents: await orphanedAgents(workspaceRoot, rows, sessions) };
}

/** By their rows and by their folders: an agent started just before a crash has no row. */
async function orphanedAgents(
  workspaceRoot: string,
  runs: readonly RunRow[],
  sessions: readonly SessionRow[],
): Promise<OrphanedAgent[]> {
  const agents = new Map<number, OrphanedAgent>();
  for (const { id, runId, pid, identity } of sessions) {
    if (isSameProcess({ pid, identity })) agents.set(pid, { runId, sessionId: id, pid, isKnown: true });
  }
  const isOpen = new Map(runs.map(({ id, closed }) => [id, !closed]));
  for (const runId of await namesIn(workspaceRoot)) {
    if (isOpen.get(runId)) continue;
    const folder = join(workspaceRoot, runId, "sessions");
    for (const sessionId of await namesIn(folder)) {
      const living = await livingAgent(join(folder, sessionId));
      if (living) agents.set(living.pid, { runId, sessionId, pid: living.pid, isKnown: isOpen.has(runId) });
    }
  }
  return [...agents.values()];
}

const namesIn = async (folder: string): Promise<string[]> => (await readdir(folder).catch(() => [])).sort();
