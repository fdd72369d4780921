/**
 * Permissions that agents ask for, and people's answers: the only module that writes `app.permission_requests`.
 *
 * - `pending`: the agent waits. Left by an answer, or `withdrawn` when its turn ends first.
 * - `allowed`, `denied`: a person answered. The run's driver then delivers the answer (`delivered_at`).
 *
 * An answer may reach further than its question: for the run, or for the repository (`app.permission_rules`). A later
 * question that is covered is answered at once, in the name of the person who gave that answer.
 *
 * `requestPermission`, `answerPermission`, `withdrawPermissions` and `permissionDelivered` are its transitions.
 */
import { DevflowError } from "@devflow/core/errors";
import { hash } from "@devflow/core/hash";
import { uuidv5, uuidv7 } from "@devflow/core/ids";
import type { permissionScopes } from "@devflow/protocol";
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
  readonly covers?: string | undefined;
}

export type PermissionScope = (typeof permissionScopes)[number];

export async function requestPermission(fact: RunFact, sessionId: string, asked: AskedPermission): Promise<void> {
  const id = uuidv5(sessionId, `permission:${asked.permissionId}`);
  const detail = redactSecrets(asked.detail).text;
  const covers = asked.covers === undefined ? null : redactSecrets(asked.covers).text;
  const coversHash = asked.covers === undefined ? null : hash(asked.covers);
  const rows = await fact.tx`
    insert into app.permission_requests (id, run_id, team_id, session_id, permission_id, tool, detail, covers, covers_hash,
      state, created_at)
    values (${id}, ${fact.run.id}, ${fact.run.team_id}, ${sessionId}, ${asked.permissionId}, ${asked.tool}, ${detail},
      ${covers}, ${coversHash}, 'pending', ${fact.now})
    on conflict (session_id, permission_id) do nothing returning id`;
  fact.touch();
  if (rows.length === 0 || coversHash === null) return;
  const rule = await ruleFor(fact, coversHash);
  if (rule) await recordAnswer(fact, { id, sessionId, permissionId: asked.permissionId }, { answer: "allow", ...rule });
}

/** Whoever allowed this before, for the run or for the repository. */
async function ruleFor(
  { tx, run }: RunFact,
  coversHash: string,
): Promise<{ by: unknown; rule: "run" | "repository" } | undefined> {
  const [row] = await tx<{ by: unknown; rule: "run" | "repository" }[]>`
    select answered_by as by, 'run' as rule from app.permission_requests
    where run_id = ${run.id} and covers_hash = ${coversHash} and state = 'allowed' and scope <> 'once'
    union all
    select created_by, 'repository' from app.permission_rules
    where team_id = ${run.team_id} and host = ${run.host} and repo_path = ${run.repo_path} and covers_hash = ${coversHash}
    limit 1`;
  return row;
}

interface OnePermission {
  readonly id: string;
  readonly sessionId: string;
  readonly permissionId: string;
}

async function recordAnswer(
  fact: RunFact,
  { id, sessionId, permissionId }: OnePermission,
  {
    answer,
    by,
    scope = "once",
    rule,
  }: { answer: PermissionAnswer; by: unknown; scope?: PermissionScope; rule?: "run" | "repository" },
): Promise<void> {
  await fact.tx`
    update app.permission_requests set state = ${answer === "allow" ? "allowed" : "denied"}, scope = ${scope},
      answered_by = ${fact.tx.json(by as never)}, answered_at = ${fact.now}
    where id = ${id}`;
  fact.emit({
    type: "permission.resolved",
    key: eventKey.fact("permission.resolved", sessionId, permissionId),
    payload: {
      session: sessionId,
      permission: permissionId,
      answer,
      ...(scope === "once" ? {} : { scope }),
      ...(rule ? { rule } : {}),
    },
  });
  fact.touch();
}

/** The same answer again changes nothing; for another one, the error names who was first. */
export async function answerPermission(
  fact: RunFact,
  {
    sessionId,
    permissionId,
    answer,
    scope = "once",
  }: { sessionId: string; permissionId: string; answer: PermissionAnswer; scope?: PermissionScope | undefined },
): Promise<void> {
  const state = answer === "allow" ? "allowed" : "denied";
  const found = await findPermission(fact, sessionId, permissionId);
  if (found.state === state) return;
  if (found.state !== "pending") throw await answered(fact, found);
  if (answer === "deny" || scope === "once") {
    return await recordAnswer(fact, { id: found.id, sessionId, permissionId }, { answer, by: fact.actor });
  }
  if (found.covers_hash === null) throw new DevflowError("permission_only_once", { details: { detail: found.detail } });
  if (scope === "repository") await keepRule(fact, found);
  for (const one of await pendingAlike(fact, found.covers_hash))
    await recordAnswer(fact, one, { answer, by: fact.actor, scope });
}

/** The question itself, and any other agent of the run that waits for the same. */
async function pendingAlike({ tx, run }: RunFact, coversHash: string): Promise<OnePermission[]> {
  return await tx<OnePermission[]>`
    select id, session_id as "sessionId", permission_id as "permissionId" from app.permission_requests
    where run_id = ${run.id} and covers_hash = ${coversHash} and state = 'pending'`;
}

async function keepRule(
  { tx, run, actor, now }: RunFact,
  { covers, covers_hash: coversHash }: PermissionRow,
): Promise<void> {
  await tx`
    insert into app.permission_rules (id, team_id, host, repo_path, covers, covers_hash, created_by, created_at)
    values (${uuidv7()}, ${run.team_id}, ${run.host}, ${run.repo_path}, ${covers}, ${coversHash}, ${tx.json(actor)}, ${now})
    on conflict (team_id, host, repo_path, covers_hash) do nothing`;
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
