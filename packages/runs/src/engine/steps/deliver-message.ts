/**
 * Passes a person's message on to its agent, then records the delivery. The message's id makes a repetition harmless.
 *
 * - `deliverMessage(context, snapshot, id)`; `messageHeard(context, snapshot, session, ids)` the agent itself has it.
 */
import { faultPoint } from "@devflow/core/fault-point";
import { giveAttachments } from "../../attachments/give-attachments.ts";
import { attachmentLines, messageAttachments } from "../../attachments/given-attachments.ts";
import { eventKey } from "../../events/event-types.ts";
import { adapterFor } from "../../sessions/session-adapters.ts";
import { changeAt, type DriverContext, driverCall } from "../context.ts";
import type { RunFact } from "../fact.ts";
import type { SessionRow } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";

export async function deliverMessage(context: DriverContext, snapshot: Snapshot, id: string): Promise<void> {
  const message = snapshot.messages.find((one) => one.id === id);
  const session = snapshot.sessions.find((one) => one.id === message?.session_id);
  if (!message || !session) throw new Error(`message ${id} has no session`);
  const files = messageAttachments(snapshot, id);
  await giveAttachments(context, snapshot.run, session, files);
  const listed = files.length === 0 ? [] : ["", "Attached files:", ...attachmentLines(session, files)];
  const text = [message.text, ...listed].join("\n");
  await adapterFor(context, session).say(session.handle, { id, text }, driverCall(context));
  faultPoint("after_message_delivered");
  await changeAt(context, snapshot, async (fact) => {
    await fact.tx`update app.session_messages set delivered_at = ${fact.now} where id = ${id}`;
    fact.touch();
  });
}

/** Once per message, however often its agent says so. */
export async function messageHeard(
  fact: RunFact,
  { id: session, role_id: role }: SessionRow,
  messageId: string,
): Promise<void> {
  const rows = await fact.tx`
    update app.session_messages set received_at = ${fact.now}, delivered_at = coalesce(delivered_at, ${fact.now})
    where id = ${messageId} and session_id = ${session} and received_at is null returning id`;
  if (rows.length === 0) return;
  fact.emit({
    type: "message.received",
    key: eventKey.fact("message.received", session, messageId),
    payload: { session, role, message: messageId },
  });
  fact.touch();
}
