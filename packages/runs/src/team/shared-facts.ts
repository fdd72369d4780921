/**
 * The runs of this machine as a team elsewhere sees them: states and gates, no content. A run comes with its lanes; a lane is
 * no run of its own there, but its gates are shared, with the run that it belongs to.
 *
 * - `sharedFacts(database, host, since)` of every run that changed since then, and when the newest did.
 * - `askingRepositories(database, host)` those with a gate that waits for a person.
 */
import type { Database } from "@devflow/db";
import type { SharedFact } from "./run-team.ts";

export interface SharedFacts {
  readonly facts: readonly SharedFact[];
  readonly newest: Date | undefined;
}

interface Row {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly rev: number;
  readonly repo_path: string;
  readonly branch: string;
  readonly base_branch: string;
  readonly phase: string | null;
  readonly updated_at: Date;
  readonly gates: readonly Gate[];
  readonly parent_run_id: string | null;
  readonly lane_id: string;
  readonly lanes: readonly { readonly lane: string; readonly run_id: string | null; readonly state: string }[];
}

interface Gate {
  readonly id: string;
  readonly gate: string;
  readonly kind: string;
  readonly state: string;
  readonly epoch: number;
  readonly diff_hash: string | null;
}

export async function sharedFacts(database: Database, host: string, since: Date): Promise<SharedFacts> {
  const rows = await database.asEngine(
    (tx) => tx<Row[]>`
      select r.id, r.title, r.state, r.event_seq::float8 as rev, r.repo_path, r.branch, r.base_branch, r.updated_at,
             r.parent_run_id, r.lane_id, p.phase_key as phase,
             coalesce((select jsonb_agg(jsonb_build_object('lane', k.task_id, 'run_id', k.lane_run_id, 'state', k.state)
                         order by k.seq) from app.run_tasks k where k.run_id = r.id), '[]') as lanes,
             coalesce((select jsonb_agg(jsonb_build_object('id', a.id, 'gate', a.gate_key, 'kind', a.kind, 'state', a.state,
                         'epoch', a.epoch, 'diff_hash', a.payload #>> '{shown,diffHash}') order by a.created_at, a.id)
                       from app.approval_requests a where a.run_id = r.id and a.kind <> 'cleanup'), '[]') as gates
      from app.runs r left join app.run_phases p on p.id = r.current_phase_id
      where r.host = ${host} and r.updated_at >= ${since}
      order by r.updated_at, r.id limit 1000`,
  );
  const facts = rows.flatMap((row): SharedFact[] => [
    ...progressOf(row),
    ...row.gates.map((gate) => gateOf(row, gate)),
  ]);
  return { facts, newest: rows.at(-1)?.updated_at };
}

export async function askingRepositories(database: Database, host: string): Promise<ReadonlySet<string>> {
  const rows = await database.asEngine(
    (tx) => tx<{ repo_path: string }[]>`
      select distinct r.repo_path from app.approval_requests a join app.runs r on r.id = a.run_id
      where a.state = 'pending' and r.host = ${host}`,
  );
  return new Set(rows.map(({ repo_path }) => repo_path));
}

function progressOf(row: Row): SharedFact[] {
  const { id, rev, title, state, phase, branch, base_branch, repo_path, lanes } = row;
  if (row.parent_run_id !== null) return [];
  const payload = { run_id: id, rev, title, state, phase, branch, base_branch, ...(lanes.length > 0 ? { lanes } : {}) };
  return [{ kind: "run_progress", repository: repo_path, payload }];
}

function gateOf(
  { id: run_id, rev, title, repo_path, parent_run_id, lane_id }: Row,
  { id, state, ...gate }: Gate,
): SharedFact {
  const kin = parent_run_id === null ? {} : { parent_run_id, lane: lane_id };
  const payload = { run_id, rev, title, ...kin, request_id: id, ...gate, state: stateOf(state) };
  return { kind: "approval_request", repository: repo_path, payload };
}

/** A gate that ended with its run was not decided by anybody. */
function stateOf(state: string): "pending" | "decided" | "canceled" {
  if (state === "pending" || state === "paused") return "pending";
  return state === "aborted" ? "canceled" : "decided";
}
