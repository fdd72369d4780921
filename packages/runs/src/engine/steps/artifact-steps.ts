/** Artifacts of an attempt: expected, waited for, judged. A phase ends by nothing else. */

import { faultPoint } from "@devflow/core/fault-point";
import { uuidv7 } from "@devflow/core/ids";
import type { SessionFact } from "@devflow/session";
import { type ArtifactReading, readArtifact, validateArtifact, waitForArtifacts } from "../../artifacts/index.ts";
import { eventKey } from "../../events/event-types.ts";
import { changeAt, type EngineContext } from "../context.ts";
import { type OwedArtifact, owedArtifact } from "../expected-artifact.ts";
import type { RunFact } from "../fact.ts";
import { definitionOf } from "../next-step.ts";
import type { PhaseRow, SessionRow } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";
import { beginAttempt, failPhase } from "./phase-steps.ts";
import { adapterFor, handleOf, moveSession, type Recovery, recoverSession } from "./session-steps.ts";

const automaticLimit = 2;

export async function expectArtifacts(
  context: EngineContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  instances: readonly string[],
): Promise<void> {
  await changeAt(context, snapshot, async (fact) => {
    await fact.movePhase(phase, "prompts_sent");
    for (const instance of instances) {
      const { path, schema } = owedArtifact(context, snapshot, phase, instance);
      fact.emit({
        type: "artifact.expected",
        key: eventKey.artifactWait("artifact.expected", phase.id, phase.attempts, path),
        phaseId: phase.id,
        payload: { phase: phase.phase_key, role: instance, attempt: phase.attempts, path, schema },
      });
    }
  });
}

/** Until every file is there, an agent died, or the time is up. Stopping the engine leaves everything as it is. */
export async function awaitArtifacts(
  context: EngineContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  instances: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const owed = instances.map((instance) => owedArtifact(context, snapshot, phase, instance));
  // Known to be dead, late or interrupted, perhaps by a process that did not live to go on: the turn is lost all the same.
  const ours = snapshot.sessions.filter((one) => instances.includes(one.role_id));
  const dead = ours.find((one) => one.state === "CRASHED");
  if (dead) return await sessionDied(context, snapshot, phase, dead);
  if (ours.some((one) => one.state === "ARTIFACT_TIMEOUT")) return await timedOut(context, snapshot, phase, owed);
  const end = new AbortController();
  const stop = AbortSignal.any([signal, end.signal]);
  const arrived = waitForArtifacts(
    owed.map(({ path }) => ({ path })),
    {
      folder: owed[0]?.folder ?? "",
      clock: context.clock,
      signal: stop,
      debounceMs: context.timing.debounceMs,
      unfinishedMs: context.timing.unfinishedMs,
    },
  ).then(() => ({ kind: "arrived" }) as const);
  const died = owed.map((one) => untilDead(context, snapshot, one, stop));
  const late = context.clock.sleep(remainingMs(context, snapshot, phase), stop).then(() => ({ kind: "late" }) as const);
  const outcomes = [arrived, late, ...died];
  for (const outcome of outcomes) outcome.catch(() => undefined);
  try {
    const outcome = await Promise.race(outcomes);
    if (outcome.kind === "arrived") await appeared(context, snapshot, phase);
    else if (outcome.kind === "late") await timedOut(context, snapshot, phase, owed);
    else await sessionDied(context, snapshot, phase, outcome.session);
  } finally {
    end.abort();
  }
}

async function appeared(context: EngineContext, snapshot: Snapshot, phase: PhaseRow): Promise<void> {
  await changeAt(context, snapshot, async (fact) => {
    await fact.movePhase(phase, "artifacts_appeared");
  });
}

async function untilDead(
  context: EngineContext,
  snapshot: Snapshot,
  { instance, path, folder }: OwedArtifact,
  signal: AbortSignal,
): Promise<{ kind: "died"; session: SessionRow }> {
  const session = snapshot.sessions.find((one) => one.role_id === instance);
  if (!session) throw new Error(`role ${instance} has no session`);
  const facts = adapterFor(context, session.backend).facts(
    handleOf(context, snapshot.run.id, session),
    session.last_fact_seq,
    signal,
  );
  for await (const fact of facts) {
    if (fact.kind === "exit") {
      // Whoever died after the work was done has done the work.
      const reading = await readArtifact({ path, folder });
      if (!reading.ok || !reading.json.ok) return { kind: "died", session };
    }
    if (fact.kind === "permission") await permissionAsked(context, snapshot, session, fact);
  }
  // The wait was ended from outside.
  return await new Promise(() => undefined);
}

async function permissionAsked(
  context: EngineContext,
  snapshot: Snapshot,
  session: SessionRow,
  asked: SessionFact & { kind: "permission" },
): Promise<void> {
  await changeAt(context, snapshot, async (fact) => {
    fact.emit({
      type: "permission.requested",
      key: eventKey.fact("permission.requested", session.id, asked.permissionId),
      payload: {
        session: session.id,
        role: session.role_id,
        permission: asked.permissionId,
        tool: asked.tool,
        detail: asked.detail,
      },
    });
    fact.touch();
  });
}

function remainingMs(context: EngineContext, snapshot: Snapshot, phase: PhaseRow): number {
  const limit = definitionOf(snapshot, phase).timeoutMs ?? context.timing.phaseTimeoutMs;
  const since = phase.active_since === null ? context.clock.now() : Date.parse(phase.active_since);
  return Math.max(0, limit - phase.active_ms - (context.clock.now() - since));
}

async function timedOut(
  context: EngineContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  owed: readonly OwedArtifact[],
): Promise<void> {
  const missing: OwedArtifact[] = [];
  for (const one of owed) {
    const reading = await readArtifact({ path: one.path, folder: one.folder });
    if (!reading.ok) missing.push(one);
  }
  // The last file came with the last second.
  if (missing.length === 0) return await appeared(context, snapshot, phase);
  const recoveries: Recovery[] = [];
  for (const one of missing) {
    const session = snapshot.sessions.find((other) => other.role_id === one.instance);
    if (!session || session.state === "READY") continue;
    // What it still writes must not pass for the answer to the next attempt.
    await adapterFor(context, session.backend).interrupt(handleOf(context, snapshot.run.id, session));
    faultPoint("after_interrupt");
    recoveries.push(await recoverSession(context, snapshot, session, "artifact_timed_out"));
  }
  const paths = missing.map((one) => one.path).join(", ");
  await changeAt(context, snapshot, async (fact) => {
    for (const recovery of recoveries) await recovery.record(fact);
    for (const { path, instance } of missing) {
      fact.emit({
        type: "artifact.timeout",
        key: eventKey.artifactWait("artifact.timeout", phase.id, phase.attempts, path),
        phaseId: phase.id,
        payload: { phase: phase.phase_key, role: instance, attempt: phase.attempts, path },
      });
    }
    await nextAttemptOrGate(fact, phase, {
      trigger: "artifact_timed_out",
      code: "artifact_timeout_exhausted",
      reason: `${paths} did not come in time`,
      repair: false,
      comment: phase.comment,
    });
  });
}

async function sessionDied(
  context: EngineContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  session: SessionRow,
): Promise<void> {
  const recovery = await recoverSession(context, snapshot, session, "died");
  await changeAt(context, snapshot, async (fact) => {
    await recovery.record(fact);
    const reason = `the agent of role ${session.role_id} died while it worked`;
    if (!recovery.isBack) return await failPhase(fact, phase, "session_start_failed", reason);
    await nextAttemptOrGate(fact, phase, {
      trigger: "artifact_timed_out",
      code: "session_crashed",
      reason,
      repair: false,
      comment: phase.comment,
    });
  });
}

interface NextAttempt {
  readonly trigger: "artifact_timed_out" | "artifact_invalid";
  readonly code: string;
  readonly reason: string;
  readonly repair: boolean;
  readonly comment: string | null;
}

/** One automatic second attempt, whatever went wrong in the first; then a person. */
async function nextAttemptOrGate(
  fact: RunFact,
  phase: PhaseRow,
  { trigger, code, reason, repair, comment }: NextAttempt,
): Promise<void> {
  if (phase.automatic_attempts < automaticLimit) {
    await beginAttempt(fact, phase, {
      trigger,
      automatic: phase.automatic_attempts + 1,
      repair,
      comment,
      reason: code,
    });
  } else await failPhase(fact, phase, code, reason);
}

interface Judged extends OwedArtifact {
  readonly reading: ArtifactReading;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

export async function validateArtifacts(
  context: EngineContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  instances: readonly string[],
): Promise<void> {
  const judged: Judged[] = [];
  for (const instance of instances) judged.push(await judge(owedArtifact(context, snapshot, phase, instance)));
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

/** A repair forgets nothing that a person asked for. */
const askedBefore = ({ comment, repair }: PhaseRow): string[] =>
  comment === null || repair ? [] : ["", "A person had asked before:", comment];

async function judge(owed: OwedArtifact): Promise<Judged> {
  const reading = await readArtifact({ path: owed.path, folder: owed.folder });
  if (!reading.ok) return { ...owed, reading, errors: [{ path: "", message: reading.message }] };
  if (!reading.json.ok) return { ...owed, reading, errors: [{ path: "", message: reading.json.error }] };
  const verdict = validateArtifact(owed.schema, reading.json.value);
  return { ...owed, reading, errors: verdict.ok ? [] : verdict.errors };
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
  const session = snapshot.sessions.find((one) => one.role_id === instance);
  if (session?.state === "BUSY") {
    await moveSession(fact, session, "idle");
    fact.emit({
      type: "session.idle",
      key: eventKey.sessionPrompt("session.idle", session.id, session.last_prompt_hash ?? ""),
      payload: { session: session.id, role: instance },
    });
  }
}
