/**
 * Waits for the files of an attempt: until all exist, an agent died or asks something, or the time is up. Stopping the
 * engine leaves everything as it is.
 */
import { faultPoint } from "@devflow/core/fault-point";
import { readArtifact, waitForArtifacts } from "../../artifacts/index.ts";
import { eventKey } from "../../events/event-types.ts";
import { adapterFor } from "../../sessions/session-adapters.ts";
import { changeAt, type DriverContext, driverCall } from "../context.ts";
import { type OwedArtifact, owedArtifact } from "../expected-artifact.ts";
import { definitionOf, sessionOf } from "../next-step.ts";
import type { PhaseRow, SessionRow } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";
import { nextAttemptOrGate } from "./next-attempt.ts";
import { type AskedPermission, permissionAsked } from "./permission-steps.ts";
import { failPhase } from "./phase-steps.ts";
import { type Recovery, recoverSession } from "./recover-session.ts";

export async function awaitArtifacts(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  instances: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const owed = instances.map((instance) => owedArtifact(snapshot, phase, instance));
  // Known to be dead, late or interrupted, perhaps recorded by a process that died afterwards: the turn is lost either way.
  const ours = snapshot.sessions.filter((one) => instances.includes(one.role_id));
  const dead = ours.find((one) => one.fault !== null && one.fault !== "artifact_timed_out");
  if (dead) return await sessionDied(context, snapshot, phase, dead);
  if (ours.some((one) => one.fault === "artifact_timed_out")) return await timedOut(context, snapshot, phase, owed);
  const end = new AbortController();
  const stop = AbortSignal.any([signal, end.signal]);
  const outcomes: Promise<Outcome>[] = [
    arrival(context, owed, stop),
    context.clock.sleep(remainingMs(context, snapshot, phase), stop).then(() => ({ kind: "late" })),
    ...owed.map((one) => untilDeathOrQuestion(context, snapshot, one, stop)),
  ];
  for (const outcome of outcomes) outcome.catch(() => undefined);
  try {
    const outcome = await Promise.race(outcomes);
    if (outcome.kind === "arrived") await appeared(context, snapshot, phase);
    else if (outcome.kind === "late") await timedOut(context, snapshot, phase, owed);
    else if (outcome.kind === "died") await sessionDied(context, snapshot, phase, outcome.session);
    else await permissionAsked(context, snapshot, outcome.session, outcome.asked);
  } finally {
    end.abort();
  }
}

type Outcome =
  | { readonly kind: "arrived" }
  | { readonly kind: "late" }
  | { readonly kind: "died"; readonly session: SessionRow }
  | { readonly kind: "asked"; readonly session: SessionRow; readonly asked: AskedPermission };

async function arrival(
  { clock, timing }: DriverContext,
  owed: readonly OwedArtifact[],
  signal: AbortSignal,
): Promise<Outcome> {
  const { debounceMs, unfinishedMs } = timing;
  await waitForArtifacts(
    owed.map(({ path }) => ({ path })),
    { folder: owed[0]?.folder ?? "", clock, signal, debounceMs, unfinishedMs },
  );
  return { kind: "arrived" };
}

async function appeared(context: DriverContext, snapshot: Snapshot, phase: PhaseRow): Promise<void> {
  await changeAt(context, snapshot, async (fact) => {
    await fact.movePhase(phase, "artifacts_appeared");
  });
}

async function untilDeathOrQuestion(
  context: DriverContext,
  snapshot: Snapshot,
  { instance, path, folder }: OwedArtifact,
  signal: AbortSignal,
): Promise<Outcome> {
  const session = sessionOf(snapshot, instance);
  if (!session) throw new Error(`role ${instance} has no session`);
  const known = new Set(
    snapshot.permissions.filter((one) => one.session_id === session.id).map((one) => one.permission_id),
  );
  const facts = adapterFor(context, session.backend).facts(session.handle, session.last_fact_seq, signal);
  for await (const fact of facts) {
    if (fact.kind === "exit") {
      // An agent that died after writing its file has done its work.
      const reading = await readArtifact({ path, folder });
      if (!reading.ok || !reading.json.ok) return { kind: "died", session };
    }
    if (fact.kind === "permission" && !known.has(fact.permissionId)) return { kind: "asked", session, asked: fact };
  }
  // The wait was ended from outside, or the file exists.
  return await new Promise(() => undefined);
}

function remainingMs(context: DriverContext, snapshot: Snapshot, phase: PhaseRow): number {
  const limit = definitionOf(snapshot, phase).timeoutMs ?? context.timing.phaseTimeoutMs;
  const since = phase.active_since === null ? context.clock.now() : Date.parse(phase.active_since);
  return Math.max(0, limit - phase.active_ms - (context.clock.now() - since));
}

async function timedOut(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  owed: readonly OwedArtifact[],
): Promise<void> {
  const missing: OwedArtifact[] = [];
  for (const one of owed) {
    const reading = await readArtifact({ path: one.path, folder: one.folder });
    if (!reading.ok) missing.push(one);
  }
  // The last file came in the last second.
  if (missing.length === 0) return await appeared(context, snapshot, phase);
  const recoveries: Recovery[] = [];
  for (const one of missing) {
    const session = sessionOf(snapshot, one.instance);
    if (!session || session.state === "READY") continue;
    // What it still writes must not count as the answer to the next attempt.
    await adapterFor(context, session.backend).interrupt(session.handle, driverCall(context));
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
      reason: `not written in time: ${paths}`,
      repair: false,
      comment: phase.comment,
    });
  });
}

async function sessionDied(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  session: SessionRow,
): Promise<void> {
  const recovery = await recoverSession(context, snapshot, session, "died");
  await changeAt(context, snapshot, async (fact) => {
    await recovery.record(fact);
    const reason = `the agent of role ${session.role_id} died while working`;
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
