/** Passes a person's message on to its agent, then records the delivery. The message's id makes a repetition harmless. */
import { faultPoint } from "@devflow/core/fault-point";
import { adapterFor } from "../../sessions/session-adapters.ts";
import { changeAt, type DriverContext, driverCall } from "../context.ts";
import type { Snapshot } from "../snapshot.ts";

export async function deliverMessage(context: DriverContext, snapshot: Snapshot, id: string): Promise<void> {
  const message = snapshot.messages.find((one) => one.id === id);
  const session = snapshot.sessions.find((one) => one.id === message?.session_id);
  if (!message || !session) throw new Error(`message ${id} has no session`);
  await adapterFor(context, session).say(session.handle, { id, text: message.text }, driverCall(context));
  faultPoint("after_message_delivered");
  await changeAt(context, snapshot, async (fact) => {
    await fact.tx`update app.session_messages set delivered_at = ${fact.now} where id = ${id}`;
  });
}
