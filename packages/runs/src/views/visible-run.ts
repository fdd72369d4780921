/** Whether the caller can see a run, and which machine it belongs to. Checked before the engine is called. */
import type { EngineName, RunState } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { isUuid } from "@devflow/core/ids";
import type { Reader } from "./reader.ts";

export interface VisibleRun {
  readonly id: string;
  readonly teamId: string;
  readonly host: string;
  readonly engine: EngineName;
  /** Where its commits are pushed to; null: its repository is a folder of its machine. */
  readonly remote: string | null;
  readonly state: RunState;
  readonly repository: string;
  readonly worktree: string;
  readonly branch: string;
  readonly baseBranch: string;
  /** The commit whose settings count, and the one that its work is compared with. They differ in a lane. */
  readonly baseCommit: string;
  readonly diffBase: string;
  readonly parentId: string | null;
  readonly reportPath: string | null;
  /** Where its report, artifacts and logs are. */
  readonly folder: string;
  /** The caller's role in the run's team. */
  readonly role: "owner" | "admin" | "member";
}

/** A run of another team and one that does not exist give the same answer. */
export async function visibleRun({ database, claims }: Reader, runId: string): Promise<VisibleRun> {
  const [row] = isUuid(runId)
    ? await database.withClaims(
        claims,
        (tx) => tx<VisibleRun[]>`
          select r.id, r.team_id as "teamId", r.host, r.engine, r.remote, r.state, r.repo_path as repository, r.worktree_root as worktree,
            r.branch, r.base_branch as "baseBranch", r.folder, r.base_commit as "baseCommit",
            coalesce(r.lane_base, r.base_commit) as "diffBase", r.parent_run_id as "parentId", r.final_report_path as "reportPath", m.role
          from app.runs r join app.team_members m on m.team_id = r.team_id and m.user_id = ${claims.sub ?? null}
          where r.id = ${runId}`,
      )
    : [];
  if (row) return row;
  throw notFound(`Run ${runId}`);
}

export const notFound = (what: string, next = "List your runs: devflow run list"): DevflowError =>
  new DevflowError("not_found", { details: { what, next } });
