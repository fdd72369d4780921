/**
 * Decisions from their records, as the server folds them: for a machine that cannot ask it.
 *
 * - `foldDecisions(records, options)` newest first, each with its state now. Records that are no decisions are left out.
 */
import type { DecisionRow } from "@devflow/protocol";
import { brainPayloads } from "../records/index.ts";

export interface StoredRecord {
  readonly id: string;
  readonly at: string;
  readonly user_id: string;
  readonly user_name: string | null;
  readonly repo: string | null;
  readonly payload: unknown;
}

/** With all of its text. */
export interface LocalDecision extends DecisionRow {
  readonly body: string;
  readonly context: string | null;
  readonly alternatives: string | null;
}

export function foldDecisions(
  records: readonly StoredRecord[],
  { nowMs, numbers }: { readonly nowMs: number; readonly numbers: ReadonlyMap<string, number | null> },
): LocalDecision[] {
  const read = records.flatMap((record) => {
    const parsed = brainPayloads.decision.safeParse(record.payload);
    return parsed.success ? [{ record, payload: parsed.data }] : [];
  });
  const folded = [...Map.groupBy(read, ({ payload }) => payload.decision_id).values()].flatMap((own) => {
    const [newest] = [...own].sort((a, b) => b.payload.rev - a.payload.rev || compare(b.record.id, a.record.id));
    const [first] = [...own].sort((a, b) => compare(a.record.at, b.record.at));
    if (!newest || !first) return [];
    const { record, payload } = newest;
    const row: LocalDecision = {
      ...{ id: payload.decision_id, rev: payload.rev, number: numbers.get(payload.decision_id) ?? null },
      ...{ repo: record.repo, type: payload.type, title: payload.title, state: payload.state, body: payload.body },
      ...{ excerpt: payload.body.slice(0, 300), context: payload.context ?? null },
      ...{ alternatives: payload.alternatives ?? null, user_id: first.record.user_id },
      ...{ user_name: first.record.user_name ?? "somebody", agent_id: payload.agent?.id ?? null, files: payload.files },
      ...{ features: payload.features, supersedes: payload.supersedes ?? null, superseded_by: null },
      ...{ intent_id: payload.intent_id ?? null, expires_at: payload.expires_at ?? null },
      ...{ source_file: payload.source?.file ?? null, source_number: payload.source?.number ?? null },
      ...{ created_at: first.record.at, updated_at: record.at },
    };
    return [row];
  });
  const replacedBy = new Map(
    folded.flatMap(({ id, state, supersedes }) => (state === "accepted" && supersedes ? [[supersedes, id]] : [])),
  );
  return folded
    .map((one) => withState(one, replacedBy.get(one.id) ?? null, nowMs))
    .sort((a, b) => compare(b.created_at, a.created_at) || compare(a.id, b.id));
}

function withState(one: LocalDecision, superseded_by: string | null, nowMs: number): LocalDecision {
  const isOpen = one.state === "accepted" || one.state === "proposed";
  const isOver = one.expires_at !== null && Date.parse(one.expires_at) <= nowMs;
  const state = isOpen && superseded_by !== null ? "superseded" : isOpen && isOver ? "expired" : one.state;
  return { ...one, superseded_by, state };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
