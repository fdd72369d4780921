/**
 * Waits for the agents of an attempt: until the turn of each has ended, one died or asks something, or the time is up.
 * Then their files are looked at; during a turn a file may still change. Stopping the engine leaves everything as it is.
 */
import { faultPoint } from "@devflow/core/fault-point";
import type { SessionFact } from "@devflow/session";
import { readArtifact } from "../../artifacts/index.ts";
import { eventKey } from "../../events/event-types.ts";
import { adapterFor } from "../../sessions/session-adapters.ts";
import { currentSession, moveSession } from "../../sessions/session-repository.ts";
import { changeAt, type DriverContext, driverCall } from "../context.ts";
import { type OwedArtifact, owedArtifact } from "../expected-artifact.ts";
import { definitionOf, sessionOf } from "../next-step.ts";
import type { PhaseRow, SessionRow } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";
import { messageHeard } from "./deliver-message.ts";
import { recordUsageNow, type Usage } from "./drain-usage.ts";
import { nextAttemptOrGate } from "./next-attempt.ts";
import { type AskedPermission, permissionAsked } from "./permission-steps.ts";
import { beginAttempt, failPhase } from "./phase-steps.ts";
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
  // Before anything else is looked at: a turn that was interrupted because it was late ends like one that forgot its file.
  const leftMs = remainingMs(context, snapshot, phase);
  if (leftMs === 0) return await timedOut(context, snapshot, phase, owed);
  const end = new AbortController();
  const stop = AbortSignal.any([signal, end.signal]);
  const turns = owed.map((one) =>
    Promise.race([
      untilTurnEnds(context, snapshot, one, stop),
      untilQuiet(context, snapshot, one, stop),
      untilSilent(context, snapshot, one, stop),
    ]),
  );
  const exceptions = turns.map((turn) =>
    turn.then((outcome) => (outcome.kind === "delivered" ? new Promise<never>(() => undefined) : outcome)),
  );
  const outcomes: Promise<Outcome>[] = [
    Promise.all(turns).then((): Outcome => ({ kind: "delivered" })),
    context.clock.sleep(leftMs, stop).then((): Outcome => ({ kind: "late" })),
    ...exceptions,
  ];
  for (const outcome of [...outcomes, ...turns]) outcome.catch(() => undefined);
  try {
    const outcome = await Promise.race([...exceptions, ...outcomes]);
    switch (outcome.kind) {
      case "delivered":
        return await appeared(context, snapshot, phase);
      case "late":
        return await timedOut(context, snapshot, phase, owed);
      case "died":
        return await sessionDied(context, snapshot, phase, outcome.session);
      case "asked":
        return await permissionAsked(context, snapshot, outcome.session, outcome.asked);
      case "used":
        return await recordUsageNow(context, snapshot, phase, outcome.session, outcome.usages);
      case "heard":
        return await changeAt(context, snapshot, (fact) => messageHeard(fact, outcome.session, outcome.message));
      case "silent":
        return await sessionDied(context, snapshot, phase, outcome.session, "went_silent");
      case "empty":
        return await turnWithoutFile(context, snapshot, phase, outcome);
    }
  } finally {
    end.abort();
  }
}

type Outcome =
  | { readonly kind: "delivered" | "late" }
  | { readonly kind: "died"; readonly session: SessionRow }
  | EmptyTurn
  | { readonly kind: "used"; readonly session: SessionRow; readonly usages: readonly Usage[] }
  | { readonly kind: "silent"; readonly session: SessionRow }
  | { readonly kind: "heard"; readonly session: SessionRow; readonly message: string }
  | { readonly kind: "asked"; readonly session: SessionRow; readonly asked: AskedPermission };

interface EmptyTurn {
  readonly kind: "empty";
  readonly session: SessionRow;
  readonly path: string;
  /** Why the agent gave up, if it did. */
  readonly reason: string | undefined;
  /** The model's provider refused requests during the turn; accepted again then, if it said so. */
  readonly rateLimit: { readonly resetAt: string | null } | undefined;
}

async function appeared(context: DriverContext, snapshot: Snapshot, phase: PhaseRow): Promise<void> {
  await changeAt(context, snapshot, async (fact) => {
    await fact.movePhase(phase, "artifacts_appeared");
  });
}

/** `delivered`: the turn is over and there is a file, valid or not. */
async function untilTurnEnds(
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
  const unheard = new Set(snapshot.messages.filter((one) => one.session_id === session.id).map((one) => one.id));
  const hasFile = async () => (await readArtifact({ path, folder })).look !== undefined;
  let rateLimit: EmptyTurn["rateLimit"];
  for await (const fact of adapterFor(context, session).facts(session.handle, session.last_fact_seq, signal)) {
    if (fact.kind === "ack") rateLimit = undefined;
    if (fact.kind === "rate_limit") rateLimit = fact;
    if (fact.kind === "usage" && fact.seq > session.usage_seq) return { kind: "used", session, usages: [fact] };
    if (fact.kind === "said" && unheard.has(fact.messageId)) return { kind: "heard", session, message: fact.messageId };
    if (endsTurn(fact, session)) {
      if (await hasFile()) return { kind: "delivered" };
      const isFailed = fact.outcome === "failed";
      return { kind: "empty", session, path, reason: fact.reason, rateLimit: isFailed ? rateLimit : undefined };
    }
    if (fact.kind === "exit") {
      // An agent that died after writing its file has done its work.
      const reading = await readArtifact({ path, folder });
      return reading.ok && reading.json.ok ? { kind: "delivered" } : { kind: "died", session };
    }
    if (fact.kind === "permission" && !known.has(fact.permissionId)) return { kind: "asked", session, asked: fact };
  }
  // The wait was ended from outside.
  return await new Promise(() => undefined);
}

/**
 * An agent may write its file and then hang, or the end of its turn may be lost. What it still does then does not count:
 * the next prompt interrupts it.
 */
async function untilQuiet(
  context: DriverContext,
  snapshot: Snapshot,
  { instance, path, folder }: OwedArtifact,
  signal: AbortSignal,
): Promise<Outcome> {
  const { clock, timing } = context;
  const session = sessionOf(snapshot, instance);
  let last: string | undefined;
  while (session) {
    await clock.sleep(timing.quietMs, signal);
    const reading = await readArtifact({ path, folder });
    const { lastOutputAt } = await adapterFor(context, session).probe(session.handle, signal);
    const now = JSON.stringify([reading.look, lastOutputAt]);
    if (reading.ok && reading.json.ok && now === last) return { kind: "delivered" };
    last = now;
  }
  throw new Error(`role ${instance} has no session`);
}

const endsTurn = (fact: SessionFact, { last_prompt_hash: asked }: SessionRow): fact is SessionFact & { kind: "idle" } =>
  fact.kind === "idle" && fact.dedupKey === asked;

/** The agent ended its turn and left no file: it is asked again at once. */
async function turnWithoutFile(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  { session, path, reason, rateLimit }: EmptyTurn,
): Promise<void> {
  if (rateLimit) return await waitForProvider(context, snapshot, phase, session, rateLimit);
  const why = reason ?? "it ended its turn without writing the file";
  await changeAt(context, snapshot, async (fact) => {
    await moveSession(fact, await currentSession(fact, session.id), "idle");
    fact.emit({
      type: "artifact.missing",
      key: eventKey.artifactWait("artifact.missing", phase.id, phase.attempts, path),
      phaseId: phase.id,
      payload: { phase: phase.phase_key, role: session.role_id, attempt: phase.attempts, path, reason: why },
    });
    await nextAttemptOrGate(fact, phase, {
      trigger: "artifact_timed_out",
      code: "artifact_missing",
      reason: `${session.role_id} wrote no ${path}: ${why}`,
      repair: false,
      comment: phase.comment,
    });
  });
}

/** The turn failed only because the provider refused it: the same attempt is asked for again when it accepts requests. */
async function waitForProvider(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  { id, role_id: role }: SessionRow,
  { resetAt }: { readonly resetAt: string | null },
): Promise<void> {
  const now = context.clock.now();
  const given = resetAt === null ? 0 : Date.parse(resetAt);
  const until = new Date(Math.max(given, now + leastWaitMs));
  await changeAt(context, snapshot, async (fact) => {
    await moveSession(fact, await currentSession(fact, id), "idle");
    fact.writeRun({ rate_limited_until: until });
    const reason = `${role}: the model's provider refuses requests until ${until.toISOString()}`;
    await beginAttempt(fact, phase, {
      trigger: "artifact_timed_out",
      automatic: phase.automatic_attempts,
      repair: phase.repair,
      comment: phase.comment,
      reason,
    });
    fact.touch();
  });
}

/** An agent has already tried several times by itself. */
const leastWaitMs = 30_000;

/** Nothing from an agent for this long, neither output nor any sign of life: it hangs. */
async function untilSilent(
  { clock, timing, ...context }: DriverContext,
  snapshot: Snapshot,
  { instance }: OwedArtifact,
  signal: AbortSignal,
): Promise<Outcome> {
  const session = sessionOf(snapshot, instance);
  if (!session) throw new Error(`role ${instance} has no session`);
  // A session that waits for a person may be silent for days.
  while (session.state === "BUSY") {
    const { lastOutputAt } = await adapterFor(context, session).probe(session.handle, signal);
    const since = Math.max(lastOutputAt?.getTime() ?? 0, Date.parse(session.last_prompt_at ?? "") || clock.now());
    const leftMs = since + timing.silenceMs - clock.now();
    if (leftMs <= 0) return { kind: "silent", session };
    await clock.sleep(leftMs, signal);
  }
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
    await adapterFor(context, session).interrupt(session.handle, driverCall(context));
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
  how: "died" | "went_silent" = "died",
): Promise<void> {
  if (how === "went_silent") await adapterFor(context, session).interrupt(session.handle, driverCall(context));
  const recovery = await recoverSession(context, snapshot, session, how);
  await changeAt(context, snapshot, async (fact) => {
    await recovery.record(fact);
    const what = how === "died" ? "died while working" : "showed no sign of life";
    const reason = `the agent of role ${session.role_id} ${what}`;
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
