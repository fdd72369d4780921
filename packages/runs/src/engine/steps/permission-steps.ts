/**
 * Permissions that agents ask for.
 *
 * - `permissionAsked` records the question; the session waits for a person.
 * - `deliverPermission` delivers a person's answer to the agent, then records the delivery.
 */
import { faultPoint } from "@devflow/core/fault-point";
import type { SessionFact } from "@devflow/session";
import { permissionDelivered, requestPermission } from "../../permissions/permission-repository.ts";
import { adapterFor } from "../../sessions/session-adapters.ts";
import { currentSession, emitPermissionRequested, moveSession } from "../../sessions/session-repository.ts";
import { changeAt, type DriverContext, driverCall } from "../context.ts";
import type { SessionRow } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";

export type AskedPermission = SessionFact & { readonly kind: "permission" };

export async function permissionAsked(
  context: DriverContext,
  snapshot: Snapshot,
  { id }: SessionRow,
  { permissionId, tool, detail, covers }: AskedPermission,
): Promise<void> {
  await changeAt(context, snapshot, async (fact) => {
    const session = await currentSession(fact, id);
    await requestPermission(fact, id, { permissionId, tool, detail, covers });
    const about = { permission: permissionId, tool, detail, covers: covers ?? null };
    if (session.state === "BUSY") await moveSession(fact, session, "permission_requested", { about });
    // A second question at once: the session already waits.
    else emitPermissionRequested(fact, session, about);
  });
}

export async function deliverPermission(context: DriverContext, snapshot: Snapshot, id: string): Promise<void> {
  const permission = snapshot.permissions.find((one) => one.id === id);
  const session = snapshot.sessions.find((one) => one.id === permission?.session_id);
  if (!permission || !session) throw new Error(`permission ${id} has no session`);
  const answer = permission.state === "allowed" ? "allow" : "deny";
  await adapterFor(context, session).answerPermission(
    session.handle,
    permission.permission_id,
    answer,
    driverCall(context),
  );
  faultPoint("after_permission_answered");
  await changeAt(context, snapshot, async (fact) => {
    const isFree = await permissionDelivered(fact, permission);
    const current = await currentSession(fact, session.id);
    if (isFree && current.state === "WAITING_FOR_APPROVAL") await moveSession(fact, current, "permission_answered");
  });
}
