/** Which file an instance owes in a phase's current attempt, and what it is asked. */
import { makeEnvelope, type PromptEnvelope } from "@devflow/session";
import { artifactFolder, artifactPath } from "../artifacts/artifact-paths.ts";
import { loadSchema } from "../artifacts/schema-registry.ts";
import { Persona } from "../personas/persona.ts";
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
export function promptFor(
  context: EngineContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  instance: string,
): PromptEnvelope {
  const owed = owedArtifact(context, snapshot, phase, instance);
  const definition = definitionOf(snapshot, phase);
  const binding = snapshot.bindings.find((one) => one.role_id === instance);
  const persona = binding ? Persona.parse(binding.persona) : undefined;
  const instructions = renderInstructions({
    instructions: definition.instructions,
    requirements: snapshot.requirements,
    artifacts: artifactTexts(snapshot, phase),
    logs: logTails(snapshot, phase),
    findings: snapshot.findings
      .filter((one) => !one.resolved)
      .map((one) => ({
        id: one.id,
        severity: one.severity,
        category: one.category,
        file: one.file_path,
        line: one.line,
        summary: one.summary,
        status: one.verifier_status,
      })),
    comment: phase.comment,
    repair: phase.repair,
    prelude: persona?.promptConfig.instructionsPrelude,
    artifact: { path: owed.path, schema: loadSchema(owed.schema), schemaId: owed.schema },
    worktree: snapshot.run.worktree_root,
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

/** Paths, not contents: an agent reads what it needs, and the prompt stays small. */
function artifactTexts(snapshot: Snapshot, phase: PhaseRow): Record<string, string> {
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

function logTails(snapshot: Snapshot, phase: PhaseRow): Record<string, string> {
  return Object.fromEntries(
    snapshot.phases.map((one) => {
      const last = snapshot.commands.filter((command) => command.phase_id === one.id).at(-1);
      const shown = last
        ? `exit code ${last.exit_code ?? last.failure}; output in ${last.stdout_path} and ${last.stderr_path}`
        : "";
      return [one.phase_key, one.id === phase.id ? "" : shown];
    }),
  );
}
