/**
 * Runs that the caller may see.
 *
 * - `listRuns(reader, filter)` newest first, a page at a time, and how many there are on all pages.
 * - `countRuns(reader, team)` how many are in each state.
 */
import type { RunState } from "@devflow/core/enums";
import type { RunCounts, RunList, RunSummary } from "@devflow/protocol";
import type { Reader } from "./reader.ts";
import { summaryJson } from "./run-shapes.ts";

export interface RunFilter {
  /** Only runs of this team. */
  readonly team?: string | undefined;
  readonly states?: readonly RunState[] | undefined;
  /** A repository's path, or the last part of it. */
  readonly repo?: string | undefined;
  /** The beginning or the end of a run's id. */
  readonly match?: string | undefined;
  /** With the lanes of runs; otherwise only runs that a person started. */
  readonly lanes?: boolean | undefined;
  /** The id of the last run of the page before. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

export const mostRuns = 200;

export async function listRuns({ database, claims }: Reader, filter: RunFilter): Promise<RunList> {
  const { team, states, repo, match, cursor } = filter;
  // Whoever names a run may name a lane.
  const isWithLanes = filter.lanes === true || match !== undefined;
  const limit = Math.min(filter.limit, mostRuns);
  const { rows, total } = await database.withClaims(claims, async (tx) => {
    const matching = tx`
        ${isWithLanes ? tx`` : tx`and r.parent_run_id is null`}
        ${team === undefined ? tx`` : tx`and r.team_id = ${team}`}
        ${states ? tx`and r.state in (select jsonb_array_elements_text(${tx.json([...states])}))` : tx``}
        ${
          repo === undefined
            ? tx``
            : tx`and (${repo} in (r.repo_path, r.repo_key, r.remote)
          or right(r.repo_path, length(${repo}::text) + 1) = '/' || ${repo}::text)`
        }
        ${match === undefined ? tx`` : tx`and (starts_with(r.id::text, ${match}) or right(r.id::text, length(${match}::text)) = ${match})`}`;
    const rows = await tx<{ run: RunSummary }[]>`
      select ${summaryJson(tx)} as run
      from app.runs r join app.workflow_templates t on t.id = r.template_id
      where true ${matching}
        ${cursor === undefined ? tx`` : tx`and (r.created_at, r.id) < (select c.created_at, c.id from app.runs c where c.id = ${cursor})`}
      order by r.created_at desc, r.id desc limit ${limit + 1}`;
    // A page that is not full is all there is.
    if (cursor === undefined && rows.length <= limit) return { rows, total: rows.length };
    const [counted] = await tx<
      { total: number }[]
    >`select count(*)::int as total from app.runs r where true ${matching}`;
    return { rows, total: counted?.total ?? rows.length };
  });
  const runs = rows.slice(0, limit).map((row) => row.run);
  return { runs, cursor: rows.length > limit ? (runs.at(-1)?.id ?? null) : null, total };
}

export async function countRuns({ database, claims }: Reader, team?: string): Promise<RunCounts["counts"]> {
  const rows = await database.withClaims(
    claims,
    (tx) => tx<{ state: RunState; count: number }[]>`
      select state, count(*)::int as count from app.runs
      where parent_run_id is null ${team === undefined ? tx`` : tx`and team_id = ${team}`} group by state`,
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}
