/** Sessions of a run: started, prompted, recovered, ended. The only place that calls a session adapter's verbs. */
import { join } from "node:path";
import type { Backend } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import {
  nextSessionState,
  type PromptEnvelope,
  recoveryLimits,
  type SessionAdapter,
  type SessionHandle,
  type SessionTrigger,
  type StartInput,
} from "@devflow/session";
import { clearPlace } from "../../artifacts/index.ts";
import { eventKey } from "../../events/event-types.ts";
import { Persona } from "../../personas/persona.ts";
import { changeAt, type EngineContext, runFolder } from "../context.ts";
import { owedArtifact, promptFor } from "../expected-artifact.ts";
import type { RunFact } from "../fact.ts";
import type { PhaseRow, SessionRow } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";
import { sessionIdOf } from "./lock-bindings.ts";
import { failPhase, readGitState } from "./phase-steps.ts";

export function adapterFor(context: EngineContext, backend: Backend): SessionAdapter {
  const adapter = context.adapters[backend];
  if (!adapter)
    throw new DevflowError("backend_unavailable", {
      details: { reason: `backend ${backend} is not available`, next: "devflow doctor" },
    });
  return adapter;
}

export function handleOf(context: EngineContext, runId: string, session: SessionRow): SessionHandle {
  return {
    sessionId: session.id,
    backend: session.backend,
    folder: sessionFolder(context, runId, session.id),
    ...(session.pid === null ? {} : { pid: session.pid }),
    ...(session.process_identity === null ? {} : { processIdentity: session.process_identity }),
    ...(session.agent_session_id === null ? {} : { agentSessionId: session.agent_session_id }),
  };
}

/** Of a session without a row: its name and place follow from what it is. */
export function derivedHandle(
  context: EngineContext,
  runId: string,
  instance: string,
  backend: Backend,
): SessionHandle {
  const sessionId = sessionIdOf(runId, instance);
  return { sessionId, backend, folder: sessionFolder(context, runId, sessionId) };
}

const sessionFolder = (context: EngineContext, runId: string, sessionId: string): string =>
  join(runFolder(context, runId), "sessions", sessionId);

/** The process first, under a name that a repeat finds again; then row and events in one transaction. */
export async function startSession(
  context: EngineContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  instance: string,
): Promise<void> {
  const { run } = snapshot;
  const binding = snapshot.bindings.find((one) => one.role_id === instance);
  if (!binding)
    throw new DevflowError("internal_state_corruption", { details: { problem: `role ${instance} has no binding` } });
  const input = startInput(context, snapshot, instance, binding.backend, Persona.parse(binding.persona));
  let handle: SessionHandle;
  try {
    handle = await adapterFor(context, binding.backend).start(input);
  } catch (error) {
    if (!(error instanceof DevflowError)) throw error;
    await changeAt(context, snapshot, (fact) => failPhase(fact, phase, error.code, error.message));
    return;
  }
  faultPoint("after_session_started");
  await changeAt(context, snapshot, async (fact) => {
    await fact.tx`
      insert into app.sessions (id, run_id, team_id, role_id, lane_id, backend, cwd, state, pid, process_identity, agent_session_id, created_at)
      values (${input.sessionId}, ${run.id}, ${run.team_id}, ${instance}, 'main', ${binding.backend}, ${input.cwd}, 'READY',
        ${handle.pid ?? null}, ${handle.processIdentity ?? null}, ${handle.agentSessionId ?? null}, ${fact.now})
      on conflict (id) do update set state = 'READY', pid = excluded.pid, process_identity = excluded.process_identity,
        agent_session_id = excluded.agent_session_id, updated_at = ${fact.now}`;
    const payload = { session: input.sessionId, role: instance, backend: binding.backend };
    // One that had failed for good is begun anew when a person says so; it was created before.
    const recoveries = snapshot.sessions.find((one) => one.id === input.sessionId)?.recovery_attempts ?? 0;
    const ready = eventKey.sessionRecovery("session.ready", input.sessionId, recoveries);
    fact.emit({ type: "session.created", key: eventKey.session("session.created", input.sessionId), payload });
    fact.emit({ type: "session.ready", key: ready, payload });
  });
}

function startInput(
  context: EngineContext,
  { run, extra }: Snapshot,
  instance: string,
  backend: Backend,
  persona: Persona,
): StartInput {
  const sessionId = sessionIdOf(run.id, instance);
  const { model, permissionMode, ...rest } = persona.modelConfig;
  return {
    sessionId,
    runId: run.id,
    roleId: instance,
    laneId: "main",
    backend,
    cwd: run.worktree_root,
    folder: sessionFolder(context, run.id, sessionId),
    writableFolders: [join(runFolder(context, run.id), "artifacts")],
    launch: {
      ...(typeof model === "string" ? { model } : {}),
      ...(typeof permissionMode === "string" ? { permissionMode } : {}),
      ...(persona.promptConfig.systemPrompt ? { systemPrompt: persona.promptConfig.systemPrompt } : {}),
      // The fake's script comes with the run, so that a demo or a test can play any part.
      extra: { ...rest, ...(backend === "fake" && extra ? ((extra.fake as Record<string, unknown>) ?? {}) : {}) },
    },
    prelude: [
      `You are ${persona.name}, working as ${instance} for Devflow.`,
      "A phase is done only when the expected artifact file is written and valid; words do not count.",
      "Prompts come between DEVFLOW_PROMPT_BEGIN and DEVFLOW_PROMPT_END.",
      "Write an artifact to a temporary file beside its place and rename it.",
      "Do not push, do not rewrite history, do not touch credentials.",
    ].join("\n"),
  };
}

/**
 * Three moments, each survivable: the intent is recorded (BUSY with this key), the prompt is delivered under its key
 * and acknowledged by the agent itself, and the proof is recorded. A crash between any two leads back here, and the
 * key makes the second delivery the first one's echo.
 */
export async function sendPrompt(
  context: EngineContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  instance: string,
): Promise<void> {
  const { run } = snapshot;
  const session = snapshot.sessions.find((one) => one.role_id === instance);
  if (!session)
    throw new DevflowError("internal_state_corruption", { details: { problem: `role ${instance} has no session` } });
  const envelope = await promptFor(context, snapshot, phase, instance);
  const owed = owedArtifact(context, snapshot, phase, instance);
  const isIntended = session.last_prompt_hash === envelope.dedupKey;
  if (!isIntended) {
    // Still at an older question, whose answer must not pass for this one's.
    if (session.state === "BUSY")
      await adapterFor(context, session.backend).interrupt(handleOf(context, run.id, session));
    const gitState = phase.git_state ?? (await readGitState(context, snapshot));
    // Whatever stands there now answers something else. Once the intent is recorded, it may be this one's answer.
    await clearPlace(owed.path, phase.attempts - 1);
    faultPoint("after_artifact_set_aside");
    await changeAt(context, snapshot, async (fact) => {
      await moveSession(fact, session, session.state === "BUSY" ? undefined : "prompted", {
        last_prompt_hash: envelope.dedupKey,
        last_prompt_at: fact.now,
        expected_artifact_path: owed.path,
        expected_schema: owed.schema,
      });
      if (phase.git_state === null)
        await fact.tx`update app.run_phases set git_state = ${gitState} where id = ${phase.id}`;
      fact.emit({
        type: "session.busy",
        key: eventKey.sessionPrompt("session.busy", session.id, envelope.dedupKey),
        payload: { session: session.id, role: instance },
      });
    });
  }
  if (!(await deliver(context, snapshot, phase, session, envelope))) return;
  faultPoint("after_prompt_sent");
  const type = phase.repair ? "prompt.repaired" : "prompt.sent";
  await changeAt(context, snapshot, async (fact) => {
    fact.emit({
      type,
      key: eventKey.prompt(type, envelope.dedupKey),
      phaseId: phase.id,
      payload: {
        phase: phase.phase_key,
        role: instance,
        attempt: phase.attempts,
        dedupKey: envelope.dedupKey,
        uuid: envelope.uuid,
      },
    });
  });
}

async function deliver(
  context: EngineContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  session: SessionRow,
  envelope: PromptEnvelope,
): Promise<boolean> {
  const adapter = adapterFor(context, session.backend);
  let handle = handleOf(context, snapshot.run.id, session);
  for (let retries = 0; ; retries++) {
    try {
      await adapter.sendPrompt(handle, envelope);
      return true;
    } catch (error) {
      if (!(error instanceof DevflowError) || error.code !== "prompt_send_transient") throw error;
      if (retries >= recoveryLimits.sendPrompt) break;
      const probed = await adapter.probe(handle);
      if (!probed.alive) handle = await takeUp(context, snapshot, session, handle);
    }
  }
  await changeAt(context, snapshot, (fact) =>
    failPhase(
      fact,
      phase,
      "prompt_send_exhausted",
      `session ${session.role_id} did not take the prompt after three tries`,
    ),
  );
  return false;
}

/** It died between two prompts: taken up again, and that is on record before anything is asked of it. */
async function takeUp(
  context: EngineContext,
  snapshot: Snapshot,
  session: SessionRow,
  handle: SessionHandle,
): Promise<SessionHandle> {
  const resumed = await adapterFor(context, session.backend).resume(handle);
  faultPoint("after_session_taken_up");
  await changeAt(context, snapshot, async (fact) => {
    const [row] = await fact.tx<{ recovery_attempts: number }[]>`
      update app.sessions set recovery_attempts = recovery_attempts + 1, pid = ${resumed.pid ?? null},
        process_identity = ${resumed.processIdentity ?? null}, agent_session_id = ${resumed.agentSessionId ?? null}, updated_at = ${fact.now}
      where id = ${session.id} returning recovery_attempts`;
    const recovery = row?.recovery_attempts ?? 0;
    const payload = { session: session.id, role: session.role_id, recovery, how: "died" };
    for (const type of ["session.crashed", "session.recovered"] as const)
      fact.emit({ type, key: eventKey.sessionRecovery(type, session.id, recovery), payload });
  });
  return resumed;
}

type SessionFields = Readonly<Record<string, unknown>>;

/** Without a trigger only the fields change. */
export async function moveSession(
  fact: RunFact,
  session: SessionRow,
  trigger: SessionTrigger | undefined,
  fields: SessionFields = {},
): Promise<void> {
  const next = trigger === undefined ? session.state : nextSessionState(session.state, trigger);
  if (!next) {
    throw new DevflowError("illegal_transition", {
      details: { what: `Session ${session.id}`, state: session.state, wanted: trigger, next: "" },
    });
  }
  const changed = { ...fields, state: next, updated_at: fact.now };
  await fact.tx`update app.sessions set ${fact.tx(changed)} where id = ${session.id}`;
}

export interface Recovery {
  readonly isBack: boolean;
  /** Records it, in the same transaction as what follows from it. */
  record(fact: RunFact): Promise<void>;
}

/** The agent died or went silent in a phase: bring it back; the next attempt asks again. */
export async function recoverSession(
  context: EngineContext,
  snapshot: Snapshot,
  session: SessionRow,
  how: "died" | "artifact_timed_out",
): Promise<Recovery> {
  const { run } = snapshot;
  const adapter = adapterFor(context, session.backend);
  const isKnown = session.state === "CRASHED" || session.state === "ARTIFACT_TIMEOUT";
  const recoveries = isKnown ? session.recovery_attempts : session.recovery_attempts + 1;
  const payload = { session: session.id, role: session.role_id, recovery: recoveries, how };
  if (!isKnown) {
    await changeAt(context, snapshot, async (fact) => {
      await moveSession(fact, session, how, { recovery_attempts: recoveries });
      fact.emit({
        type: "session.crashed",
        key: eventKey.sessionRecovery("session.crashed", session.id, recoveries),
        payload,
      });
    });
  }
  faultPoint("before_session_recovered");
  const handle = await bringBack(adapter, handleOf(context, run.id, session));
  faultPoint("after_session_recovered");
  return {
    isBack: handle !== undefined,
    record: async (fact) => {
      if (!handle) {
        await fact.tx`update app.sessions set state = 'FAILED_NEEDS_HUMAN', updated_at = ${fact.now} where id = ${session.id}`;
        fact.emit({ type: "session.failed", key: eventKey.session("session.failed", session.id), payload });
        return;
      }
      await fact.tx`
        update app.sessions set state = 'READY', pid = ${handle.pid ?? null}, process_identity = ${handle.processIdentity ?? null},
          agent_session_id = ${handle.agentSessionId ?? null}, updated_at = ${fact.now} where id = ${session.id}`;
      fact.emit({
        type: "session.recovered",
        key: eventKey.sessionRecovery("session.recovered", session.id, recoveries),
        payload,
      });
    },
  };
}

/** Twice taken up, once begun anew, then a person. */
async function bringBack(adapter: SessionAdapter, handle: SessionHandle): Promise<SessionHandle | undefined> {
  for (let tries = 0; tries < recoveryLimits.resume; tries++) {
    const resumed = await adapter.resume(handle).catch(() => undefined);
    if (resumed) return resumed;
  }
  return await adapter.rebootstrap(handle).catch(() => undefined);
}
