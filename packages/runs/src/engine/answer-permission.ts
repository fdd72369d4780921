/** A person's answer to an agent's question: recorded here, delivered to the agent by the run's driver. */
import { DevflowError } from "@devflow/core/errors";
import type { PermissionAnswer } from "@devflow/session";
import type { Actor } from "../events/actor.ts";
import { type PermissionScope, answerPermission as record } from "../permissions/permission-repository.ts";
import { change, type EngineContext } from "./context.ts";
import { refuseTerminal } from "./end-run.ts";

export interface GivenAnswer {
  readonly sessionId: string;
  readonly permissionId: string;
  readonly answer: PermissionAnswer;
  readonly scope?: PermissionScope | undefined;
}

/** Resolves to the run's id. */
export async function answerPermission(context: EngineContext, given: GivenAnswer, actor: Actor): Promise<string> {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
  const [row] = await context.database.asEngine(
    (tx) => tx<{ run_id: string }[]>`select run_id from app.sessions where id = ${given.sessionId}`,
  );
  if (!row) throw new DevflowError("not_found", { details: { what: `Session ${given.sessionId}`, next: "" } });
  await change(
    context,
    row.run_id,
    async (fact) => {
      refuseTerminal(fact, "answered");
      await record(fact, given);
    },
    actor,
  );
  return row.run_id;
}
