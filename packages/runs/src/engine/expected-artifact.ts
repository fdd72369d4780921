/** The file that an instance has to write in a phase's current attempt, and its prompt. */
import { redactSecrets } from "@devflow/redact";
import { makeEnvelope, type PromptEnvelope } from "@devflow/session";
import { artifactFolder, artifactPath, schemasWith } from "../artifacts/index.ts";
import { attachmentLines, promptAttachments } from "../attachments/given-attachments.ts";
import { type PromptFinding, renderInstructions } from "../prompts/render-instructions.ts";
import { instancesIn } from "../templates/index.ts";
import type { EngineContext } from "./context.ts";
import { askedIn, definitionOf, sessionOf } from "./next-step.ts";
import { isOpenFinding, type PhaseRow } from "./rows.ts";
import type { Snapshot } from "./snapshot.ts";

export interface OwedArtifact {
  readonly instance: string;
  readonly path: string;
  readonly schema: string;
  readonly folder: string;
}

export function owedArtifact(snapshot: Snapshot, phase: PhaseRow, instance: string): OwedArtifact {
  const definition = definitionOf(snapshot, phase);
  const expected = definition.expectedArtifact;
  if (!expected) throw new Error(`phase ${phase.phase_key} expects no artifact`);
  const folder = artifactFolder(snapshot.run.folder);
  const instances = instancesIn(snapshot.template, definition).length;
  const path = artifactPath({
    folder,
    path: expected.path,
    role: instance,
    lane: snapshot.run.lane_id,
    attempt: askedIn(snapshot, phase, instance),
    instances,
  });
  return { instance, path, schema: expected.schema, folder };
}

/** The same bytes for the same attempt every time, so that a replay finds its own prompt. */
export async function promptFor(
  context: EngineContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  instance: string,
): Promise<PromptEnvelope> {
  const owed = owedArtifact(snapshot, phase, instance);
  const definition = definitionOf(snapshot, phase);
  const session = sessionOf(snapshot, instance);
  const instructions = renderInstructions({
    instructions: ownInstructions(snapshot, phase) ?? definition.instructions,
    inputs: definition.inputs,
    requirements: snapshot.requirements,
    artifacts: artifactPaths(snapshot, phase),
    logs: await logTails(context, snapshot),
    findings: openFindings(snapshot, phase),
    comment: phase.comment,
    repair: phase.repair,
    collisions: phase.collisions,
    artifact: { path: owed.path, schemaId: owed.schema, schema: schemasWith(snapshot.schemas).load(owed.schema) },
    worktree: snapshot.run.worktree_root,
    attachments: session ? attachmentLines(session, promptAttachments(snapshot, phase)) : [],
  });
  return makeEnvelope({
    runId: snapshot.run.id,
    roleId: instance,
    phaseKey: phase.phase_key,
    expectedArtifact: owed.path,
    expectedSchema: owed.schema,
    // Most of it was redacted when it was stored; templates, personas and rows of earlier versions were not.
    instructions: redactSecrets(instructions).text,
    attempt: phase.attempts,
  });
}

/** Own members only: a phase may be called "constructor". */
const ownInstructions = ({ instructions }: Snapshot, { phase_key: key }: PhaseRow): string | undefined =>
  Object.hasOwn(instructions, key) ? instructions[key] : undefined;

/** Paths, not contents: an agent reads what it needs, and the prompt stays small. */
function artifactPaths(snapshot: Snapshot, phase: PhaseRow): Record<string, string> {
  const before = snapshot.phases.filter((one) => one.seq < phase.seq);
  return Object.fromEntries(
    before.map((one) => {
      const paths = snapshot.artifacts
        .filter((file) => file.phase_id === one.id && file.valid)
        .map((file) => file.path);
      return [one.phase_key, [...new Set(paths)].join("\n")];
    }),
  );
}

/** A fixer is not asked to fix findings that the verifier rejected. */
function openFindings(snapshot: Snapshot, phase: PhaseRow): PromptFinding[] {
  return snapshot.findings
    .filter((one) => isOpenFinding(one) && (phase.kind !== "work" || one.verifier_status !== "rejected"))
    .map((one) => ({
      id: one.id,
      severity: one.severity,
      category: one.category,
      file: one.file_path,
      line: one.line,
      summary: one.summary,
      evidence: one.evidence,
      status: one.verifier_status,
    }));
}

/** The end of each phase's last command, from its row: the log on disk may be gone or have grown. */
async function logTails({ database }: EngineContext, snapshot: Snapshot): Promise<Record<string, string>> {
  const rows = await database.asEngine(
    (tx) => tx<{ phase_key: string; tail: string | null }[]>`
      select distinct on (p.phase_key) p.phase_key, c.tail from app.commands c join app.run_phases p on p.id = c.phase_id
      where c.run_id = ${snapshot.run.id} and c.ended_at is not null
      order by p.phase_key, c.attempt desc, c.created_at desc`,
  );
  return Object.fromEntries(rows.map((row) => [row.phase_key, row.tail ?? ""]));
}
