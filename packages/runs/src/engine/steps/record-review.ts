/** Stores the findings of reviewers and the verdicts of verifiers from their artifacts. */

import { findingCategories, severities } from "@devflow/core/enums";
import { uuidv5 } from "@devflow/core/ids";
import { findingKey, mergeBatches } from "@devflow/harness";
import { z } from "zod";
import { eventKey } from "../../events/event-types.ts";
import type { RunFact } from "../fact.ts";
import type { PhaseRow } from "../rows.ts";
import type { ReadArtifact } from "./settle-phase.ts";

const Batch = z.object({
  findings: z.array(
    z.object({
      severity: z.enum(severities),
      category: z.enum(findingCategories),
      file: z.string().nullish(),
      line: z.number().int().nullish(),
      summary: z.string(),
      evidence: z.string().nullish(),
    }),
  ),
});

export async function recordReview(fact: RunFact, phase: PhaseRow, artifacts: readonly ReadArtifact[]): Promise<void> {
  const batches = artifacts.map(({ role, value }) => ({ reviewer: role, findings: Batch.parse(value).findings }));
  const merged = mergeBatches(batches);
  for (const one of merged) {
    const id = uuidv5(fact.run.id, `finding:${one.key}`);
    await fact.tx`
      insert into app.review_findings as f (id, run_id, team_id, phase_id, attempt, reviewer_role, finding_key, also_by, severities, severity, category,
        file_path, line, summary, evidence, created_at)
      values (${id}, ${fact.run.id}, ${fact.run.team_id}, ${phase.id}, ${phase.attempts}, ${one.reviewer}, ${one.key},
        (select coalesce(array_agg(value), '{}') from jsonb_array_elements_text(${fact.tx.json([...one.alsoBy])})),
        ${fact.tx.json(one.severities)}, ${one.severity}, ${one.category}, ${one.file ?? null}, ${one.line ?? null}, ${one.summary}, ${one.evidence ?? null}, ${fact.now})
      on conflict (run_id, finding_key) do update set resolved = false, attempt = excluded.attempt, severity = excluded.severity,
        also_by = excluded.also_by, severities = excluded.severities, verifier_status = 'unverified', updated_at = ${fact.now}`;
  }
  // A finding that nobody reports any more after a fix is fixed.
  const keys = merged.map((one) => one.key);
  await fact.tx`
    update app.review_findings set resolved = true, updated_at = ${fact.now}
    where run_id = ${fact.run.id} and not resolved
      and finding_key not in (select jsonb_array_elements_text(${fact.tx.json(keys)}))`;
  for (const { reviewer, findings } of batches) {
    fact.emit({
      type: "review.batch_recorded",
      key: eventKey.reviewBatch(phase.id, reviewer, phase.attempts),
      phaseId: phase.id,
      payload: {
        phase: phase.phase_key,
        reviewer,
        attempt: phase.attempts,
        findings: findings.map((one) => findingKey(one)),
      },
    });
  }
}

const Verification = z.object({
  verdicts: z.array(
    z.object({
      finding: z.string(),
      status: z.enum(["confirmed", "rejected", "unverified"]),
      reason: z.string().nullish(),
    }),
  ),
});

export async function recordVerification(
  fact: RunFact,
  phase: PhaseRow,
  artifacts: readonly ReadArtifact[],
): Promise<void> {
  for (const { value } of artifacts) {
    for (const { finding, status, reason } of Verification.parse(value).verdicts) {
      const rows = await fact.tx`
        update app.review_findings set verifier_status = ${status}, verifier_reason = ${reason ?? null}, updated_at = ${fact.now}
        where run_id = ${fact.run.id} and id::text = ${finding} returning id`;
      // A verdict on an unknown finding is ignored.
      if (rows.length === 0) continue;
      fact.emit({
        type: "finding.verifier_resolved",
        key: eventKey.finding(finding, phase.id, phase.attempts),
        phaseId: phase.id,
        payload: { finding, status, reason: reason ?? null },
      });
    }
  }
}
