/**
 * A person lets an open finding stand: it no longer blocks, no fixer is asked to fix it, and the report keeps the reason.
 *
 * The first waiver of a finding counts; the same person's reason again changes nothing.
 */
import { DevflowError } from "@devflow/core/errors";
import { Actor } from "../events/actor.ts";
import { nameOf } from "../events/actor-name.ts";
import { eventKey } from "../events/event-types.ts";
import { change, type EngineContext } from "./context.ts";
import { refuseTerminal } from "./end-run.ts";
import type { RunFact } from "./fact.ts";

export interface GivenWaiver {
  readonly runId: string;
  readonly findingId: string;
  readonly reason: string;
}

export async function waiveFinding(context: EngineContext, given: GivenWaiver, actor: Actor): Promise<void> {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
  await change(context, given.runId, (fact) => waiveIn(fact, given), actor);
}

async function waiveIn(fact: RunFact, { findingId, reason }: GivenWaiver): Promise<void> {
  refuseTerminal(fact, "waived");
  const [found] = await fact.tx<{ resolved: boolean; waived_by: unknown; waiver_reason: string | null }[]>`
    select resolved, waived_by, waiver_reason from app.review_findings
    where id::text = ${findingId} and run_id = ${fact.run.id}`;
  const see = `devflow run show ${fact.run.id}`;
  if (!found) throw new DevflowError("not_found", { details: { what: `Finding ${findingId}`, next: `See: ${see}` } });
  if (found.resolved)
    throw new DevflowError("conflict", { details: { problem: "The finding is fixed already.", next: `See: ${see}` } });
  if (found.waived_by !== null) {
    if (found.waiver_reason === reason) return;
    const who = await nameOf(fact.tx, Actor.parse(found.waived_by));
    const problem = `The finding was waived already by ${who}: ${found.waiver_reason}`;
    throw new DevflowError("conflict", { details: { problem, next: `See: ${see}` } });
  }
  await fact.tx`
    update app.review_findings
    set waived_at = ${fact.now}, waived_by = ${fact.tx.json(fact.actor)}, waiver_reason = ${reason}, updated_at = ${fact.now}
    where id::text = ${findingId}`;
  fact.emit({
    type: "finding.waived",
    key: eventKey.waiver(findingId),
    payload: { finding: findingId, reason, at: fact.now.toISOString() },
  });
  fact.touch();
}
