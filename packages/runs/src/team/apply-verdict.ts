/**
 * A teammate's verdict, applied to the gate as if they had decided here.
 *
 * - `applyVerdict(runs, verdict)` its outcome; undefined when the gate is not of this machine. The record's id is the token of the
 *   decision, so that a verdict that is applied again is the same decision.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Database } from "@devflow/db";
import type { RunEngine } from "../engine/run-engine.ts";
import type { Actor } from "../events/actor.ts";
import type { TeamVerdict, VerdictOutcome } from "./run-team.ts";

export interface VerdictTarget {
  readonly database: Database;
  readonly engine: Pick<RunEngine, "decide">;
  readonly host: string;
}

const staleCodes = ["approval_decided", "gate_moved", "illegal_transition", "run_paused", "not_found"];
const refusedCodes = ["starter_may_not_decide", "agent_may_not_decide"];

export async function applyVerdict(runs: VerdictTarget, verdict: TeamVerdict): Promise<VerdictOutcome | undefined> {
  const { database, engine, host } = runs;
  const { id, requestId, action, comment, epoch, diffHash, person } = verdict;
  const [gate] = await database.asEngine(
    (tx) => tx<{ epoch: number; diff_hash: string | null; is_known: boolean }[]>`
      select a.epoch, a.payload #>> '{shown,diffHash}' as diff_hash,
             exists (select from app.approval_decisions d where d.idempotency_key = a.id::text || ':' || ${id}) as is_known
      from app.approval_requests a join app.runs r on r.id = a.run_id
      where a.id = ${requestId} and r.host = ${host}`,
  );
  if (!gate) return undefined;
  if (gate.is_known) return "applied";
  if (gate.epoch !== epoch || (gate.diff_hash ?? null) !== diffHash) return "stale";
  // The person of this machine may not look the teammate up, so the decision itself says the name.
  await database.asEngine((tx) => tx`select app.ensure_user(${person.id}::uuid, ${person.name}, null)`);
  const actor: Actor = { userId: person.id, kind: "human", via: "sync", name: person.name };
  const input = { verdict: action, clientToken: id, epoch, ...(comment === undefined ? {} : { comment }) };
  try {
    await engine.decide(requestId, input, actor);
    return "applied";
  } catch (error) {
    if (!(error instanceof DevflowError)) throw error;
    if (staleCodes.includes(error.code)) return "stale";
    if (refusedCodes.includes(error.code)) return "refused";
    throw error;
  }
}
