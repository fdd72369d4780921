/** What the agents of a phase used, by their own account, recorded together with the end of the phase. */

import type { SessionFact } from "@devflow/session";
import { eventKey } from "../../events/event-types.ts";
import { instancesIn } from "../../templates/index.ts";
import type { EngineContext } from "../context.ts";
import type { RunFact } from "../fact.ts";
import { definitionOf } from "../next-step.ts";
import type { PhaseRow } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";
import { adapterFor, handleOf } from "./session-steps.ts";

type Usage = SessionFact & { kind: "usage" };

export async function drainUsage(
  context: EngineContext,
  snapshot: Snapshot,
  phase: PhaseRow,
): Promise<(fact: RunFact) => Promise<void>> {
  const instances = instancesIn(snapshot.template, definitionOf(snapshot, phase));
  const used: { sessionId: string; role: string; last: number; usage: Usage[] }[] = [];
  for (const session of snapshot.sessions.filter((one) => instances.includes(one.role_id))) {
    const facts = await factsUntilIdle(context, snapshot.run.id, session);
    const usage = facts.filter((fact): fact is Usage => fact.kind === "usage");
    used.push({
      sessionId: session.id,
      role: session.role_id,
      last: facts.at(-1)?.seq ?? session.last_fact_seq,
      usage,
    });
  }
  return async (fact) => {
    for (const { sessionId, role, last, usage } of used) {
      await fact.tx`update app.sessions set last_fact_seq = greatest(last_fact_seq, ${last}) where id = ${sessionId}`;
      for (const one of usage) {
        await fact.tx`
          insert into app.run_usage (run_id, team_id, session_id, fact_seq, phase_id, model, input_tokens, output_tokens, cached_tokens, cost_usd, at)
          values (${fact.run.id}, ${fact.run.team_id}, ${sessionId}, ${one.seq}, ${phase.id}, ${one.model}, ${one.inputTokens},
            ${one.outputTokens}, ${one.cachedTokens}, ${one.costUsd}, ${fact.now})
          on conflict do nothing`;
        fact.emit({
          type: "usage.recorded",
          key: eventKey.fact("usage.recorded", sessionId, String(one.seq)),
          phaseId: phase.id,
          payload: {
            session: sessionId,
            role,
            model: one.model,
            inputTokens: one.inputTokens,
            outputTokens: one.outputTokens,
            costUsd: one.costUsd,
          },
        });
      }
    }
  };
}

/** The turn's last words come a moment after its artifact; longer than that is not waited for. */
const patienceMs = 5_000;

async function factsUntilIdle(
  context: EngineContext,
  runId: string,
  session: Snapshot["sessions"][number],
): Promise<SessionFact[]> {
  const facts: SessionFact[] = [];
  const end = AbortSignal.timeout(patienceMs);
  for await (const fact of adapterFor(context, session.backend).facts(
    handleOf(context, runId, session),
    session.last_fact_seq,
    end,
  )) {
    if (fact.kind === "exit") break;
    facts.push(fact);
    if (fact.kind === "idle" && fact.dedupKey === session.last_prompt_hash) break;
  }
  return facts;
}
