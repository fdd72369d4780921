/**
 * The rows of a run's sessions: the only module that writes `app.sessions`.
 *
 * - `createSession` writes the row before the agent is started.
 * - `moveSession` changes a session's state: asserts the transition, writes the row, emits the event.
 * - `keepFactPosition`, `keepTranscript` remember how far facts and transcript were read.
 */
import type { Backend } from "@devflow/core/enums";
import { uuidv5 } from "@devflow/core/ids";
import type { Transaction } from "@devflow/db";
import { nextSessionState, type SessionHandle, type SessionTrigger, type TranscriptChunk } from "@devflow/session";
import { illegalTransition, type NewEvent, type RunFact } from "../engine/fact.ts";
import { SessionRow } from "../engine/rows.ts";
import { eventKey } from "../events/event-types.ts";
import { withdrawPermissions } from "../permissions/permission-repository.ts";

export interface SessionFields {
  readonly handle?: SessionHandle;
  readonly last_prompt_hash?: string;
  readonly last_prompt_at?: Date;
  readonly expected_artifact_path?: string;
  readonly expected_schema?: string;
  /** The event's payload besides the session: the `Dedup-Key` of a prompt, the tool of a permission. */
  readonly about?: Readonly<Record<string, unknown>>;
}

export async function createSession(
  fact: RunFact,
  {
    instance,
    backend,
    adapter,
    cwd,
    handle,
  }: Readonly<{ instance: string; backend: Backend; adapter: string; cwd: string; handle: SessionHandle }>,
): Promise<SessionRow> {
  const [row] = await fact.tx`
    insert into app.sessions as s (id, run_id, team_id, role_id, backend, adapter, cwd, state, handle,
      incarnation, created_at)
    values (${handle.sessionId}, ${fact.run.id}, ${fact.run.team_id}, ${instance}, ${backend}, ${adapter}, ${cwd}, 'BOOTSTRAPPING',
      ${fact.tx.json(handle as never)}, ${fact.run.incarnation}, ${fact.now})
    returning to_jsonb(s) as session`;
  const session = SessionRow.parse(row?.session);
  fact.emit({
    type: "session.created",
    key: eventKey.session("session.created", session.id),
    payload: { session: session.id, role: instance, backend },
  });
  return session;
}

export async function moveSession(
  fact: RunFact,
  session: SessionRow,
  trigger: SessionTrigger,
  { about = {}, handle, ...fields }: SessionFields = {},
): Promise<SessionRow> {
  const next = nextSessionState(session.state, trigger);
  if (!next) throw illegalTransition(`Session ${session.id}`, session.state, trigger);
  const changed = {
    ...fields,
    ...derivedFields(session, trigger),
    ...(handle ? { handle: fact.tx.json(handle as never) } : {}),
    state: next,
    updated_at: fact.now,
  };
  // The old state is the guard: if someone moved the session meanwhile, nothing is changed.
  const [row] = await fact.tx`
    update app.sessions s set ${fact.tx(changed)} where s.id = ${session.id} and s.state = ${session.state}
    returning to_jsonb(s) as session`;
  if (!row) throw illegalTransition(`Session ${session.id}`, "changed by someone else", trigger);
  if (endsTurn.has(trigger)) await withdrawPermissions(fact, { sessionId: session.id });
  const moved = SessionRow.parse(row.session);
  for (const event of eventsOf(session, moved, trigger, about)) fact.emit(event);
  return moved;
}

const faults = ["died", "artifact_timed_out", "went_silent"] as const;
const isFault = (trigger: SessionTrigger): boolean => (faults as readonly string[]).includes(trigger);

/** After these the agent no longer waits for an answer. */
const endsTurn: ReadonlySet<SessionTrigger> = new Set([
  ...faults,
  "prompted",
  "idle",
  "exhausted",
  "restarted",
  "disposed",
] as const);

function derivedFields(
  { recovery_attempts: recoveries }: SessionRow,
  trigger: SessionTrigger,
): Record<string, unknown> {
  if (isFault(trigger)) return { fault: trigger, recovery_attempts: recoveries + 1 };
  if (trigger === "restored") return { recovery_attempts: recoveries + 1 };
  // Counted, so that its next readiness is an event of its own.
  if (trigger === "restarted") return { fault: null, recovery_attempts: recoveries + 1 };
  if (trigger === "ready") return { fault: null };
  return {};
}

function eventsOf(
  before: SessionRow,
  { id, role_id: role, backend, recovery_attempts: recovery, last_prompt_hash: prompt, fault }: SessionRow,
  trigger: SessionTrigger,
  about: Readonly<Record<string, unknown>>,
): NewEvent[] {
  const named = { session: id, role };
  const recovering = { ...named, recovery, how: fault ?? before.fault ?? "died" };
  const recoveryEvent = (type: "session.crashed" | "session.recovered"): NewEvent => ({
    type,
    key: eventKey.sessionRecovery(type, id, recovery),
    payload: recovering,
  });
  switch (trigger) {
    case "ready": {
      if (before.state !== "BOOTSTRAPPING") return [recoveryEvent("session.recovered")];
      const key = eventKey.sessionRecovery("session.ready", id, recovery);
      return [{ type: "session.ready", key, payload: { ...named, backend } }];
    }
    case "prompted":
      return [{ type: "session.busy", key: eventKey.sessionPrompt("session.busy", id, prompt ?? ""), payload: named }];
    case "idle":
      return [{ type: "session.idle", key: eventKey.sessionPrompt("session.idle", id, prompt ?? ""), payload: named }];
    case "died":
    case "artifact_timed_out":
    case "went_silent":
      return [recoveryEvent("session.crashed")];
    case "restored":
      return [recoveryEvent("session.crashed"), recoveryEvent("session.recovered")];
    case "exhausted":
      return [
        { type: "session.failed", key: eventKey.sessionRecovery("session.failed", id, recovery), payload: recovering },
      ];
    case "permission_requested":
      return [permissionRequested({ id, role_id: role }, about)];
    // A person's answer has its own event; these only prepare or follow another one.
    case "permission_answered":
    case "resuming":
    case "rebootstrapped":
    case "restarted":
    case "disposed":
      return [];
  }
}

function permissionRequested(
  { id, role_id: role }: Pick<SessionRow, "id" | "role_id">,
  about: Readonly<Record<string, unknown>>,
): NewEvent {
  const key = eventKey.fact("permission.requested", id, String(about.permission));
  return { type: "permission.requested", key, payload: { session: id, role, ...about } };
}

/** For a session that already waits for an answer, whose state does not change. */
export function emitPermissionRequested(
  fact: RunFact,
  session: SessionRow,
  about: Readonly<Record<string, unknown>>,
): void {
  fact.emit(permissionRequested(session, about));
}

/** The session as it is now, inside a fact. */
export async function currentSession({ tx }: RunFact, sessionId: string): Promise<SessionRow> {
  const [row] = await tx`select to_jsonb(s) as session from app.sessions s where s.id = ${sessionId}`;
  return SessionRow.parse(row?.session);
}

export async function keepFactPosition({ tx }: RunFact, sessionId: string, seq: number): Promise<void> {
  await tx`update app.sessions set last_fact_seq = greatest(last_fact_seq, ${seq}) where id = ${sessionId}`;
}

/**
 * Appends a chunk at `after`, for the driver of this epoch. False when the driver was replaced, or when the transcript
 * has grown elsewhere: two drivers cannot both write the same bytes.
 */
export async function keepTranscript(
  tx: Transaction,
  place: { readonly sessionId: string; readonly after: number; readonly epoch: number },
  chunk: Pick<TranscriptChunk, "seq" | "content" | "capturedAt"> & { readonly sanitised: boolean },
): Promise<boolean> {
  const rows = await tx`
    with moved as (
      update app.sessions s set last_capture_seq = ${chunk.seq}
      from app.runs r
      where s.id = ${place.sessionId} and s.last_capture_seq = ${place.after} and r.id = s.run_id
        and r.driver_epoch = ${place.epoch}
      returning s.id, s.team_id)
    insert into app.transcript_chunks (session_id, seq, team_id, content, sanitised, captured_at)
    select id, ${chunk.seq}, team_id, ${chunk.content}, ${chunk.sanitised}, ${chunk.capturedAt} from moved
    returning seq`;
  return rows.length > 0;
}

/** The folders of a run that moved to another machine; see engine/adopt-run.ts. */
export async function moveSessionFolders(
  tx: Transaction,
  runId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await tx`
    update app.sessions set
      handle = jsonb_set(handle, '{folder}', to_jsonb(replace(handle ->> 'folder', ${from}::text, ${to}::text))),
      expected_artifact_path = replace(expected_artifact_path, ${from}::text, ${to}::text)
    where run_id = ${runId}`;
}

/** Those of the machine that has the run; the others are gone with theirs. */
export async function sessionsOf(tx: Transaction, runId: string): Promise<SessionRow[]> {
  const rows = await tx`
    select to_jsonb(s) as session from app.sessions s join app.runs r on r.id = s.run_id and r.incarnation = s.incarnation
    where s.run_id = ${runId}`;
  return rows.map((row) => SessionRow.parse(row.session));
}

/** Derived from run and role, so that a repeated start finds its own session; another one on another machine. */
export const sessionIdOf = (runId: string, instance: string, incarnation: number): string =>
  uuidv5(runId, incarnation === 0 ? `session:${instance}` : `session:${instance}:${incarnation}`);
