/**
 * What this machine wrote itself and the server does not know yet, added to a digest: work done offline is seen at once.
 *
 * - `applyRecord(digest, record, by)` pure; records of other kinds change nothing.
 */
import type { BrainDigest, DecisionRow, IntentRow } from "@devflow/protocol";
import type { Decision, FeatureTag, Handoff, Intent } from "../records/index.ts";

export interface OwnRecord {
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  readonly repo: string | null;
  readonly payload: unknown;
}

export interface Author {
  readonly id: string;
  readonly name: string;
}

export function applyRecord(digest: BrainDigest, record: OwnRecord, by: Author): BrainDigest {
  switch (record.kind) {
    case "intent":
      return { ...digest, intents: withIntent(digest.intents, record, by) };
    case "decision":
      return { ...digest, decisions: withDecision(digest.decisions, record, by) };
    case "handoff":
      return withHandoff(digest, record, by);
    case "feature_tag": {
      const { feature, files = [] } = record.payload as FeatureTag;
      const known = new Set(digest.features.map((one) => `${one.feature}\n${one.file}`));
      const added = files.filter((file) => !known.has(`${feature}\n${file}`)).map((file) => ({ feature, file }));
      return { ...digest, features: [...digest.features, ...added] };
    }
    default:
      return digest;
  }
}

function withIntent(intents: readonly IntentRow[], { at, repo, payload }: OwnRecord, by: Author): IntentRow[] {
  const given = payload as Intent;
  const before = intents.find(({ id }) => id === given.intent_id);
  if (before && before.rev >= given.rev) return [...intents];
  const rest = intents.filter(({ id }) => id !== given.intent_id);
  // The digest has active ones only.
  if (given.state !== "active") return rest;
  const row: IntentRow = {
    ...{ id: given.intent_id, rev: given.rev, repo, user_id: by.id, user_name: by.name, agent_id: given.agent.id },
    ...{ host: given.agent.host, handle: given.agent.handle ?? null, state: given.state, text: given.text },
    ...{ branch: given.branch, source: given.source, confidence: given.confidence, files: given.files ?? [] },
    ...{ features: given.features ?? [], decisions: given.decisions ?? [] },
    ...{ created_at: before?.created_at ?? at, updated_at: at },
  };
  return [row, ...rest];
}

function withDecision(decisions: readonly DecisionRow[], { at, repo, payload }: OwnRecord, by: Author): DecisionRow[] {
  const given = payload as Decision;
  const before = decisions.find(({ id }) => id === given.decision_id);
  if (before && before.rev >= given.rev) return [...decisions];
  // The digest has what holds only.
  const gone = new Set([
    given.decision_id,
    ...(given.state === "accepted" && given.supersedes ? [given.supersedes] : []),
  ]);
  const rest = decisions.filter(({ id }) => !gone.has(id));
  if (given.state !== "accepted" && given.state !== "proposed") return rest;
  const row: DecisionRow = {
    ...{ id: given.decision_id, rev: given.rev, number: before?.number ?? null, repo, type: given.type },
    ...{
      title: given.title,
      state: given.state,
      excerpt: given.body.slice(0, 300),
      user_id: by.id,
      user_name: by.name,
    },
    ...{ agent_id: given.agent?.id ?? null, files: given.files ?? [], features: given.features ?? [] },
    ...{ supersedes: given.supersedes ?? null, superseded_by: null, intent_id: given.intent_id ?? null },
    ...{ expires_at: given.expires_at ?? null, source_file: given.source?.file ?? null },
    ...{ source_number: given.source?.number ?? null, created_at: before?.created_at ?? at, updated_at: at },
  };
  return [row, ...rest];
}

function withHandoff(digest: BrainDigest, { id, at, repo, payload }: OwnRecord, by: Author): BrainDigest {
  if (digest.handoffs.some((one) => one.id === id)) return digest;
  const given = payload as Handoff;
  const row = {
    ...{ id, repo, user_id: by.id, user_name: by.name, agent_id: given.agent.id, intent_id: given.intent_id ?? null },
    ...{
      text: given.text,
      branch: given.branch,
      to: given.to ?? null,
      source: given.source,
      files: given.files ?? [],
      at,
    },
  };
  return { ...digest, handoffs: [row, ...digest.handoffs] };
}
