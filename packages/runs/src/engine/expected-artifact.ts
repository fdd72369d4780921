/** Which file an instance owes in a phase's current attempt, and what it is asked. */
import { makeEnvelope, type PromptEnvelope } from "@devflow/session";
import { z } from "zod";
import { artifactFolder, artifactPath } from "../artifacts/artifact-paths.ts";
import { renderInstructions } from "../templates/render-instructions.ts";
import { instancesIn } from "../templates/template.ts";
import type { EngineContext } from "./context.ts";
import { definitionOf } from "./next-step.ts";
import type { PhaseRow } from "./rows.ts";
import type { Snapshot } from "./snapshot.ts";

export interface OwedArtifact {
  readonly instance: string;
  readonly path: string;
  readonly schema: string;
  readonly folder: string;
}

export function owedArtifact(
  context: EngineContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  instance: string,
): OwedArtifact {
  const definition = definitionOf(snapshot, phase);
  const expected = definition.expectedArtifact;
  if (!expected) throw new Error(`phase ${phase.phase_key} expects no artifact`);
  const folder = artifactFolder(context.workspaceRoot, snapshot.run.id);
  const instances = instancesIn(snapshot.template, definition).length;
  const path = artifactPath({ folder, path: expected.path, role: instance, attempt: phase.attempts, instances });
  return { instance, path, schema: expected.schema, folder };
}

/** The same bytes for the same attempt, however often it is asked: that is what makes a replay find its own prompt. */
export async function promptFor(
  context: EngineContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  instance: string,
): Promise<PromptEnvelope> {
  const owed = owedArtifact(context, snapshot, phase, instance);
  const { artifacts, logs, invalid } = await quotedTexts(context, snapshot, phase, instance);
  const instructions = renderInstructions({
    phase: definitionOf(snapshot, phase),
    requirements: snapshot.requirements,
    artifacts,
    logs,
    findings: snapshot.findings
      .filter((one) => !one.resolved)
      .map((one) => ({
        id: one.id,
        severity: one.severity,
        category: one.category,
        file: one.file_path,
        line: one.line,
        summary: one.summary,
        evidence: one.evidence,
      })),
    comment: phase.repair ? null : phase.comment,
    invalid,
    expectedPath: owed.path,
  });
  return makeEnvelope({
    runId: snapshot.run.id,
    roleId: instance,
    phaseKey: phase.phase_key,
    expectedArtifact: owed.path,
    expectedSchema: owed.schema,
    instructions,
    attempt: phase.attempts,
  });
}

/** From the rows and not from the files: what was judged is what is quoted. */
async function quotedTexts({ database }: EngineContext, snapshot: Snapshot, phase: PhaseRow, instance: string) {
  const runId = snapshot.run.id;
  const keyOf = (id: string | null) => snapshot.phases.find((one) => one.id === id)?.phase_key ?? "";
  return await database.asEngine(async (tx) => {
    const files = await tx<{ phase_id: string | null; path: string; content: string | null }[]>`
      select distinct on (a.path) a.phase_id, a.path, a.content
      from app.artifacts a join app.run_phases p on p.id = a.phase_id
      where a.run_id = ${runId} and a.valid and p.seq < (select seq from app.run_phases where id = ${phase.id})
      order by a.path, a.attempt desc, a.created_at desc`;
    const tails = await tx<{ phase_id: string | null; tail: string | null }[]>`
      select distinct on (phase_id) phase_id, tail from app.commands
      where run_id = ${runId} and phase_id is not null and ended_at is not null
      order by phase_id, attempt desc, created_at desc`;
    const refused = phase.repair
      ? await tx<{ validation_error: unknown }[]>`
          select validation_error from app.artifacts
          where run_id = ${runId} and phase_id = ${phase.id} and role_id = ${instance} and attempt = ${phase.attempts - 1} and not valid
          order by created_at`
      : [];
    return {
      artifacts: files.map((one) => ({ phase: keyOf(one.phase_id), path: one.path, text: one.content ?? "" })),
      logs: Object.fromEntries(tails.map((one) => [keyOf(one.phase_id), one.tail ?? ""])),
      invalid: refused.flatMap((one) => ArtifactErrors.parse(one.validation_error ?? [])),
    };
  });
}

const ArtifactErrors = z.array(z.object({ path: z.string(), message: z.string() }));
