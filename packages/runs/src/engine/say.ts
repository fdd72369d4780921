/** A person's message to an agent: recorded here, passed on by the run's driver while the session lives. */
import { isTerminalSession } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { uuidv5 } from "@devflow/core/ids";
import { shortId } from "@devflow/core/short-id";
import type { Actor } from "../events/actor.ts";
import { eventKey } from "../events/event-types.ts";
import { sessionsOf } from "../sessions/session-repository.ts";
import { change, type EngineContext } from "./context.ts";
import { refuseTerminal } from "./end-run.ts";
import type { SessionRow } from "./rows.ts";

export interface GivenMessage {
  /** By default the only agent at work. */
  readonly role?: string | undefined;
  readonly text: string;
  readonly clientToken: string;
}

export async function say(context: EngineContext, runId: string, given: GivenMessage, actor: Actor): Promise<void> {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
  await change(
    context,
    runId,
    async (fact) => {
      refuseTerminal(fact, "told anything");
      const session = listener(await sessionsOf(fact.tx, runId), given.role, runId);
      const id = uuidv5(runId, `message:${given.clientToken}`);
      const rows = await fact.tx`
        insert into app.session_messages (id, run_id, team_id, session_id, text, said_by, created_at)
        values (${id}, ${runId}, ${fact.run.team_id}, ${session.id}, ${given.text}, ${fact.tx.json(fact.actor)}, ${fact.now})
        on conflict (id) do nothing returning id`;
      if (rows.length === 0) return;
      fact.emit({
        type: "message.said",
        key: eventKey.fact("message.said", session.id, id),
        payload: { session: session.id, role: session.role_id, message: id, text: given.text },
      });
      fact.touch();
    },
    actor,
  );
}

function listener(sessions: readonly SessionRow[], role: string | undefined, runId: string): SessionRow {
  const living = sessions.filter((one) => !isTerminalSession(one.state) && one.state !== "BOOTSTRAPPING");
  const busy = living.filter((one) => one.state === "BUSY" || one.state === "WAITING_FOR_APPROVAL");
  const fitting = role === undefined ? (busy.length > 0 ? busy : living) : living.filter((one) => one.role_id === role);
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  const id = shortId(runId);
  if (!only) {
    const what = role === undefined ? `A running agent of run ${id}` : `A running agent that plays ${role}`;
    throw new DevflowError("not_found", { details: { what, next: `See who works: devflow run show ${id}` } });
  }
  const roles = fitting.map((one) => one.role_id).join(", ");
  const next = `Name one: devflow run say ${id} --role ${only.role_id} "…"`;
  throw new DevflowError("usage", { details: { problem: `Several agents are running: ${roles}.`, next } });
}
