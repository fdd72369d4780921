/**
 * What the agents of a phase used and heard, as they report it, recorded together with the end of the phase. If an agent does
 * not report its cost, its tokens are priced.
 */
import type { PricedUsage } from "@devflow/prices";
import type { SessionFact } from "@devflow/session";
import { eventKey } from "../../events/event-types.ts";
import { adapterFor } from "../../sessions/session-adapters.ts";
import { keepFactPosition } from "../../sessions/session-repository.ts";
import { instancesIn } from "../../templates/index.ts";
import { changeAt, type DriverContext } from "../context.ts";
import type { RunFact } from "../fact.ts";
import { definitionOf } from "../next-step.ts";
import type { PhaseRow, SessionRow } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";
import { messageHeard } from "./deliver-message.ts";

export type Usage = SessionFact & { kind: "usage" };

interface SessionUsage {
  readonly session: SessionRow;
  /** How far its facts were read. */
  readonly last: number;
  /** Messages of people that it has. */
  readonly heard: readonly string[];
  readonly calls: readonly { readonly usage: Usage; readonly cost: PricedUsage }[];
}

/** Reads now; the returned function records, inside the fact that ends the phase. */
export async function drainUsage(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
): Promise<(fact: RunFact) => Promise<void>> {
  const instances = instancesIn(snapshot.template, definitionOf(snapshot, phase));
  const used: SessionUsage[] = [];
  for (const session of snapshot.sessions.filter((one) => instances.includes(one.role_id)))
    used.push(await usageOf(context, session));
  return async (fact) => {
    for (const { session, last, heard, calls } of used) {
      await keepFactPosition(fact, session.id, last);
      for (const message of heard) await messageHeard(fact, session, message);
      for (const { usage, cost } of calls) await recordUsage(fact, phase, session, usage, cost);
    }
  };
}

/** What a session used since it was last recorded, while its turn goes on. */
export async function recordUsageNow(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  session: SessionRow,
  usages: readonly Usage[],
): Promise<void> {
  const { calls } = await priced(context, session, usages);
  await changeAt(context, snapshot, async (fact) => {
    for (const { usage, cost } of calls) await recordUsage(fact, phase, session, usage, cost);
    fact.touch();
  });
}

async function usageOf(context: DriverContext, session: SessionRow): Promise<SessionUsage> {
  const facts = await factsUntilIdle(context, session);
  const usages = facts.filter((fact): fact is Usage => fact.kind === "usage" && fact.seq > session.usage_seq);
  const heard = facts.flatMap((fact) => (fact.kind === "said" ? [fact.messageId] : []));
  return { ...(await priced(context, session, usages)), heard, last: facts.at(-1)?.seq ?? session.last_fact_seq };
}

async function priced(
  context: DriverContext,
  session: SessionRow,
  usages: readonly Usage[],
): Promise<Omit<SessionUsage, "last" | "heard">> {
  const day = new Date(context.clock.now());
  const calls = await Promise.all(
    usages.map(async (usage) => ({ usage, cost: await context.price({ ...usage, calls: 1 }, day) })),
  );
  return { session, calls };
}

async function recordUsage(
  fact: RunFact,
  phase: PhaseRow,
  { id: sessionId, role_id: role }: SessionRow,
  usage: Usage,
  cost: PricedUsage,
): Promise<void> {
  const { model, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  await fact.tx`
    insert into app.run_usage (run_id, team_id, session_id, fact_seq, phase_id, model, input_tokens, output_tokens,
      cache_read_tokens, cache_write_tokens, cost_usd, cost_kind, at)
    values (${fact.run.id}, ${fact.run.team_id}, ${sessionId}, ${usage.seq}, ${phase.id}, ${model}, ${inputTokens},
      ${outputTokens}, ${cacheReadTokens}, ${cacheWriteTokens}, ${cost.usd}, ${cost.kind}, ${fact.now})
    on conflict do nothing`;
  const tokens = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
  fact.emit({
    type: "usage.recorded",
    key: eventKey.fact("usage.recorded", sessionId, String(usage.seq)),
    phaseId: phase.id,
    payload: { session: sessionId, role, model, ...tokens, costUsd: cost.usd, costKind: cost.kind },
  });
}

/** The last lines of a turn arrive a moment after its artifact; the wait for them is short. */
const patienceMs = 5_000;

async function factsUntilIdle(context: DriverContext, session: SessionRow): Promise<SessionFact[]> {
  const facts: SessionFact[] = [];
  const end = AbortSignal.any([AbortSignal.timeout(patienceMs), context.stopping]);
  for await (const fact of adapterFor(context, session).facts(session.handle, session.last_fact_seq, end)) {
    if (fact.kind === "exit") break;
    facts.push(fact);
    if (fact.kind === "idle" && fact.dedupKey === session.last_prompt_hash) break;
  }
  return facts;
}
