/**
 * A person's message to an agent: recorded here, passed on by the run's driver while the session lives. Drafts of comments on
 * lines may go with it, and files.
 */
import { isTerminalSession } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { uuidv5 } from "@devflow/core/ids";
import { shortId } from "@devflow/core/short-id";
import { placeUpload } from "../attachments/attachment-file.ts";
import { claimUploads } from "../attachments/attachment-repository.ts";
import { commentsSent, type SeenComment } from "../comments/comment-repository.ts";
import { composeRequest, placesOf } from "../comments/send-comments.ts";
import type { Actor } from "../events/actor.ts";
import { eventKey } from "../events/event-types.ts";
import { sessionsOf } from "../sessions/session-repository.ts";
import { change, type EngineContext } from "./context.ts";
import { refuseTerminal } from "./end-run.ts";
import type { RunFact } from "./fact.ts";
import type { SessionRow } from "./rows.ts";

export interface GivenMessage {
  /** By default the only agent at work. */
  readonly role?: string | undefined;
  /** May be empty when comments go with it. */
  readonly text: string;
  readonly comments?: readonly SeenComment[] | undefined;
  readonly attachments?: readonly string[] | undefined;
  readonly clientToken: string;
}

export async function say(context: EngineContext, runId: string, given: GivenMessage, actor: Actor): Promise<void> {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
  const { text: words, comments = [], attachments } = given;
  if (words.trim() === "" && comments.length === 0) {
    const next = `For example: devflow run say ${shortId(runId)} -m "Keep the old name as an alias"`;
    throw new DevflowError("input_invalid", { details: { problem: "The message is empty.", next } });
  }
  const places = comments.length > 0 ? await placesOf(context, runId) : new Map();
  const said = await change(
    context,
    runId,
    async (fact) => {
      refuseTerminal(fact, "told anything");
      const id = uuidv5(runId, `message:${given.clientToken}`);
      const known = await fact.tx`select from app.session_messages where id = ${id}`;
      if (known.length > 0) return [];
      const session = listener(await sessionsOf(fact.tx, runId), given.role, runId);
      const { drafts, text } = await composeRequest(fact, words, comments, places);
      await fact.tx`
        insert into app.session_messages (id, run_id, team_id, session_id, text, said_by, created_at)
        values (${id}, ${runId}, ${fact.run.team_id}, ${session.id}, ${text}, ${fact.tx.json(fact.actor)}, ${fact.now})`;
      await commentsSent(fact, drafts, { messageId: id }, await attemptNow(fact));
      const owner = { runId, teamId: fact.run.team_id, host: fact.run.host, messageId: id };
      const files = await claimUploads(context, fact.tx, owner, attachments, actor);
      fact.emit({
        type: "message.said",
        key: eventKey.fact("message.said", session.id, id),
        payload: {
          session: session.id,
          role: session.role_id,
          message: id,
          text,
          ...(files.length > 0 ? { attachments: files.map(({ name, hash }) => ({ name, hash })) } : {}),
        },
      });
      fact.touch();
      return files.map((file) => ({ file, run: fact.run }));
    },
    actor,
  );
  for (const { file, run } of said) await placeUpload(context, run, file);
}

/** The attempt in which the agent is told. */
async function attemptNow({ tx, run }: RunFact): Promise<{ phase: { id: string }; attempt: number } | undefined> {
  const [row] = await tx<{ id: string; attempts: number }[]>`
    select id, attempts from app.run_phases where id = ${run.current_phase_id}`;
  return row && { phase: { id: row.id }, attempt: row.attempts };
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
