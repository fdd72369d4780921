/**
 * Permissions that agents ask for, and people's answers: the only module that writes `app.permission_requests`.
 *
 * - `pending`: the agent waits. Left by an answer, or `withdrawn` when its turn ends first.
 * - `allowed`, `denied`: a person answered. The run's driver then delivers the answer (`delivered_at`).
 *
 * `requestPermission`, `answerPermission`, `withdrawPermissions` and `permissionDelivered` are its transitions.
 */
import { DevflowError } from "@devflow/core/errors";
import { uuidv5 } from "@devflow/core/ids";
import { redactSecrets } from "@devflow/redact";
import type { PermissionAnswer } from "@devflow/session";
import type { RunFact } from "../engine/fact.ts";
import { PermissionRow } from "../engine/rows.ts";
import { Actor } from "../events/actor.ts";
import { nameOf } from "../events/actor-name.ts";
import { eventKey } from "../events/event-types.ts";

interface AskedPermission {
  readonly permissionId: string;
  readonly tool: string;
  readonly detail: string;
}

export async function requestPermission(fact: RunFact, sessionId: string, asked: AskedPermission): Promise<void> {
  const id = uuidv5(sessionId, `permission:${asked.permissionId}`);
  const detail = redactSecrets(asked.detail).text;
  await fact.tx`
    insert into app.permission_requests (id, run_id, team_id, session_id, permission_id, tool, detail, state, created_at)
    values (${id}, ${fact.run.id}, ${fact.run.team_id}, ${sessionId}, ${asked.permissionId}, ${asked.tool}, ${detail},
      'pending', ${fact.now})
    on conflict (session_id, permission_id) do nothing`;
  fact.touch();
}

/** The same answer again changes nothing; for another one, the error names who was first. */
export async function answerPermission(
  fact: RunFact,
  { sessionId, permissionId, answer }: { sessionId: string; permissionId: string; answer: PermissionAnswer },
): Promise<void> {
  const state = answer === "allow" ? "allowed" : "denied";
  const found = await findPermission(fact, sessionId, permissionId);
  if (found.state === state) return;
  if (found.state !== "pending") throw await answered(fact, found);
  await fact.tx`
    update app.permission_requests set state = ${state}, answered_by = ${fact.tx.json(fact.actor)}, answered_at = ${fact.now}
    where id = ${found.id}`;
  fact.emit({
    type: "permission.resolved",
    key: eventKey.fact("permission.resolved", sessionId, permissionId),
    payload: { session: sessionId, permission: permissionId, answer },
  });
  fact.touch();
}

/** Nobody waits for these answers any more. */
export async function withdrawPermissions(
  fact: RunFact,
  { sessionId }: { readonly sessionId?: string } = {},
): Promise<void> {
  const rows = await fact.tx<{ session_id: string; permission_id: string }[]>`
    update app.permission_requests set state = 'withdrawn'
    where run_id = ${fact.run.id} and state = 'pending' ${sessionId ? fact.tx`and session_id = ${sessionId}` : fact.tx``}
    returning session_id, permission_id`;
  for (const { session_id: session, permission_id: permission } of rows) {
    fact.emit({
      type: "permission.resolved",
      key: eventKey.fact("permission.resolved", session, permission),
      payload: { session, permission, answer: "withdrawn" },
    });
    fact.touch();
  }
}

/** The agent has its answer. True when it waits for no other. */
export async function permissionDelivered(fact: RunFact, { id, session_id: session }: PermissionRow): Promise<boolean> {
  await fact.tx`update app.permission_requests set delivered_at = ${fact.now} where id = ${id}`;
  const open = await fact.tx`
    select from app.permission_requests
    where session_id = ${session} and (state = 'pending' or (state in ('allowed', 'denied') and delivered_at is null))`;
  return open.length === 0;
}

async function findPermission({ tx }: RunFact, sessionId: string, permissionId: string): Promise<PermissionRow> {
  const [row] = await tx`
    select to_jsonb(n) as permission from app.permission_requests n
    where n.session_id = ${sessionId} and n.permission_id = ${permissionId}`;
  if (row) return PermissionRow.parse(row.permission);
  throw new DevflowError("not_found", {
    details: { what: `Permission ${permissionId}`, next: "See the open questions: devflow run show" },
  });
}

async function answered({ tx, run }: RunFact, { state, answered_by: by }: PermissionRow): Promise<DevflowError> {
  const who = by ? await nameOf(tx, Actor.parse(by)) : "the agent, because its turn ended";
  return new DevflowError("permission_answered", { details: { answer: state, who, run: run.id } });
}
