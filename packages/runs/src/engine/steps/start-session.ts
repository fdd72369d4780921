/** Starts a session: first its row, then its agent, then the record that the agent is ready. */
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { commonFolder } from "@devflow/harness";
import type { SandboxRules, SessionHandle, StartInput } from "@devflow/session";
import { artifactFolder } from "../../artifacts/index.ts";
import { Persona } from "../../personas/persona.ts";
import { preludeFor } from "../../prompts/prelude.ts";
import { adapterFor, adapterNameOf } from "../../sessions/session-adapters.ts";
import { createSession, moveSession, sessionIdOf } from "../../sessions/session-repository.ts";
import { dollarsLeft } from "../budget.ts";
import { isConfined } from "../confinement.ts";
import { changeAt, type DriverContext, driverCall } from "../context.ts";
import { type UsableSettings, usableSettings } from "../lent-files.ts";
import { sessionOf } from "../next-step.ts";
import type { BindingRow, PhaseRow, SessionRow } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";
import { failPhase } from "./phase-steps.ts";

export async function startSession(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  instance: string,
): Promise<void> {
  const binding = snapshot.bindings.find((one) => one.role_id === instance);
  if (!binding)
    throw new DevflowError("internal_state_corruption", { details: { problem: `role ${instance} has no binding` } });
  const session = await intend(context, snapshot, binding);
  const settings = await usableSettings(snapshot.run, { env: context.env, signal: context.stopping });
  let handle: SessionHandle;
  try {
    const sandbox = await sandboxFor(context, snapshot, binding);
    const input = startInput(snapshot, session, binding, settings);
    // One that was ready before is started anew, because a person has the phase tried again.
    const replaces = session.handle.pid === undefined ? undefined : session.handle;
    handle = await adapterFor(context, session).start({ ...input, sandbox, replaces }, driverCall(context));
  } catch (error) {
    if (!(error instanceof DevflowError) || error.code === "driver_replaced") throw error;
    await changeAt(context, snapshot, (fact) => failPhase(fact, phase, error.code, error.message));
    return;
  }
  faultPoint("after_session_started");
  await changeAt(context, snapshot, async (fact) => {
    await moveSession(fact, session, "ready", { handle });
  });
}

/** The row that announces this agent; one that failed for good starts again when a person approves. */
async function intend(context: DriverContext, snapshot: Snapshot, binding: BindingRow): Promise<SessionRow> {
  const { run } = snapshot;
  const { role_id: instance, backend } = binding;
  const known = sessionOf(snapshot, instance);
  if (known?.state === "BOOTSTRAPPING") return known;
  if (known) return await changeAt(context, snapshot, (fact) => moveSession(fact, known, "restarted"));
  const sessionId = sessionIdOf(run.id, instance, run.incarnation);
  const handle = { sessionId, backend, folder: join(run.folder, "sessions", sessionId) };
  return await changeAt(context, snapshot, (fact) =>
    createSession(fact, {
      instance,
      backend,
      adapter: adapterNameOf(context, backend),
      cwd: run.worktree_root,
      handle,
    }),
  );
}

/** Undefined: the agent is not confined. */
async function sandboxFor(
  context: DriverContext,
  { run }: Snapshot,
  binding: BindingRow,
): Promise<SandboxRules | undefined> {
  const persona = Persona.parse(binding.persona);
  if (!isConfined(context, { backend: binding.backend, persona })) return undefined;
  const { hosts, ports, readable } = context.sandbox();
  const { env, stopping: signal, home, workspaceRoot } = context;
  const git = await commonFolder(run.repo_path, { env, signal });
  return { hosts, ports, readable: [git, ...readable], hidden: [home, workspaceRoot] };
}

function startInput(
  snapshot: Snapshot,
  { id, handle, cwd }: SessionRow,
  binding: BindingRow,
  { environment: variables, test }: UsableSettings,
): StartInput {
  const { run, extra, schemas } = snapshot;
  const { backend, role_id: instance } = binding;
  const maxUsd = dollarsLeft(snapshot);
  const persona = Persona.parse(binding.persona);
  const { model: ofPersona, permissionMode, sandbox: _, ...rest } = persona.modelConfig;
  const model = binding.override?.model ?? ofPersona;
  return {
    sessionId: id,
    runId: run.id,
    roleId: instance,
    laneId: run.lane_id,
    backend,
    cwd,
    folder: handle.folder,
    writableFolders: [artifactFolder(run.folder)],
    variables,
    launch: {
      ...(typeof model === "string" ? { model } : {}),
      ...(typeof permissionMode === "string" ? { permissionMode } : {}),
      ...(persona.promptConfig.systemPrompt ? { systemPrompt: persona.promptConfig.systemPrompt } : {}),
      mayEdit: persona.capabilities.includes("code_edit"),
      allowedCommands: test.map((argv) => argv.join(" ")),
      schemas,
      // Not below a cent: with nothing left the engine does not start a turn.
      ...(maxUsd === undefined ? {} : { maxUsd }),
      // The fake's script comes with the run, so that a demo or a test can choose any behaviour.
      extra: { ...rest, ...(backend === "fake" && extra ? ((extra.fake as Record<string, unknown>) ?? {}) : {}) },
    },
    prelude: preludeFor(persona, instance),
  };
}
