/** Validates the files of an attempt against their schemas. Only this completes a phase. */
import { faultPoint } from "@devflow/core/fault-point";
import { uuidv7 } from "@devflow/core/ids";
import { taskGraphFaults, tasksIn } from "@devflow/harness/lanes";
import { type ArtifactReading, readWithoutSecrets, type SchemaRegistry, schemasWith } from "../../artifacts/index.ts";
import { eventKey } from "../../events/event-types.ts";
import { moveSession } from "../../sessions/session-repository.ts";
import { changeAt, type DriverContext } from "../context.ts";
import { type OwedArtifact, owedArtifact } from "../expected-artifact.ts";
import type { RunFact } from "../fact.ts";
import { sessionOf } from "../next-step.ts";
import type { PhaseRow } from "../rows.ts";
import { knownSecrets } from "../run-secrets.ts";
import type { Snapshot } from "../snapshot.ts";
import { nextAttemptOrGate } from "./next-attempt.ts";

interface Judged extends OwedArtifact {
  readonly reading: ArtifactReading;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

export async function validateArtifacts(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  instances: readonly string[],
): Promise<void> {
  const judged: Judged[] = [];
  const known = await knownSecrets(context, snapshot.run);
  const schemas = schemasWith(snapshot.schemas);
  for (const instance of instances) judged.push(await judge(owedArtifact(snapshot, phase, instance), known, schemas));
  faultPoint("after_artifact_read");
  await changeAt(context, snapshot, async (fact) => {
    for (const one of judged) await recordArtifact(fact, snapshot, phase, one);
    const invalid = judged.filter((one) => one.errors.length > 0);
    if (invalid.length === 0) return;
    const listed = invalid.map(
      (one) => `${one.path}:\n${one.errors.map(({ path, message }) => `- ${path || "$"}: ${message}`).join("\n")}`,
    );
    await nextAttemptOrGate(fact, phase, {
      trigger: "artifact_invalid",
      code: "artifact_invalid_after_repair",
      reason: listed.join("\n"),
      repair: true,
      comment: [...listed, ...askedBefore(phase)].join("\n"),
    });
  });
}

/** A repair keeps what a person asked for. */
const askedBefore = ({ comment, repair }: PhaseRow): string[] =>
  comment === null || repair ? [] : ["", "A person had asked before:", comment];

/** The file is redacted first: what is validated, hashed, stored and read by other agents is the same text. */
async function judge(owed: OwedArtifact, known: readonly string[], schemas: SchemaRegistry): Promise<Judged> {
  const reading = await readWithoutSecrets({ path: owed.path, folder: owed.folder }, known);
  if (!reading.ok) return { ...owed, reading, errors: [{ path: "", message: reading.message }] };
  if (!reading.json.ok) return { ...owed, reading, errors: [{ path: "", message: reading.json.error }] };
  const { value } = reading.json;
  const verdict = schemas.validate(owed.schema, value);
  if (!verdict.ok) return { ...owed, reading, errors: verdict.errors };
  // What a schema cannot say: cycles, unknown dependencies, patterns. Whoever wrote the graph repairs it.
  return { ...owed, reading, errors: owed.schema.startsWith("dev/dag@") ? taskGraphFaults(tasksIn(value)) : [] };
}

async function recordArtifact(
  fact: RunFact,
  snapshot: Snapshot,
  phase: PhaseRow,
  { instance, path, schema, reading, errors }: Judged,
): Promise<void> {
  const valid = errors.length === 0;
  const hash = reading.sha256 ?? `unread:${reading.ok ? "" : reading.fault}`;
  const about = { phase: phase.phase_key, role: instance, attempt: phase.attempts, path, schema, hash };
  await fact.tx`
    insert into app.artifacts (id, run_id, team_id, phase_id, role_id, attempt, path, schema_id, hash, bytes, valid, validation_error, content, created_at)
    values (${uuidv7()}, ${fact.run.id}, ${fact.run.team_id}, ${phase.id}, ${instance}, ${phase.attempts}, ${path}, ${schema}, ${hash},
      ${reading.bytes ?? 0}, ${valid}, ${valid ? null : fact.tx.json(errors as never)},
      ${reading.ok ? reading.text.replaceAll("\0", "\uFFFD") : null}, ${fact.now})
    on conflict (run_id, path, hash, attempt) do update set last_seen_at = ${fact.now}`;
  const type = valid ? "artifact.validated" : "artifact.invalid";
  fact.emit({
    type,
    key: eventKey.artifact(type, phase.id, phase.attempts, path, hash),
    phaseId: phase.id,
    payload: valid ? about : { ...about, errors },
  });
  const session = sessionOf(snapshot, instance);
  if (session?.state === "BUSY" || session?.state === "WAITING_FOR_APPROVAL") await moveSession(fact, session, "idle");
}
