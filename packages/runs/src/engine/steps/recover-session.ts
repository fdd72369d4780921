/**
 * The agent died or went silent in a phase: it is restarted, and the next attempt asks again.
 *
 * - `recoverSession` records the intermediate states, so that a crash in between can be resumed. `record` records the
 *   result in the same transaction as its consequence.
 */
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { recoveryLimits, type SessionHandle } from "@devflow/session";
import { adapterFor } from "../../sessions/session-adapters.ts";
import { currentSession, moveSession } from "../../sessions/session-repository.ts";
import { changeAt, type DriverContext, driverCall } from "../context.ts";
import type { RunFact } from "../fact.ts";
import type { SessionRow } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";

export interface Recovery {
  readonly isBack: boolean;
  record(fact: RunFact): Promise<void>;
}

export async function recoverSession(
  context: DriverContext,
  snapshot: Snapshot,
  session: SessionRow,
  how: "died" | "artifact_timed_out" | "went_silent",
): Promise<Recovery> {
  const move = (trigger: "died" | "artifact_timed_out" | "went_silent" | "resuming" | "rebootstrapped") =>
    changeAt(context, snapshot, async (fact) => moveSession(fact, await currentSession(fact, session.id), trigger));
  if (session.fault === null) await move(how);
  faultPoint("before_session_recovered");
  if (session.state !== "RESUMING" && session.state !== "REBOOTSTRAPPED") await move("resuming");
  const handle =
    (session.state === "REBOOTSTRAPPED" ? undefined : await resume(context, session)) ??
    (await rebootstrap(context, session, () => move("rebootstrapped")));
  faultPoint("after_session_recovered");
  return {
    isBack: handle !== undefined,
    record: async (fact) => {
      const current = await currentSession(fact, session.id);
      await moveSession(fact, current, handle ? "ready" : "exhausted", handle ? { handle } : {});
    },
  };
}

/** Tried twice; a replaced driver gives up at once. */
async function resume(context: DriverContext, session: SessionRow): Promise<SessionHandle | undefined> {
  for (let tries = 0; tries < recoveryLimits.resume; tries++) {
    const resumed = await adapterFor(context, session)
      .resume(session.handle, driverCall(context))
      .catch(unlessReplaced);
    if (resumed) return resumed;
  }
  return undefined;
}

async function rebootstrap(
  context: DriverContext,
  session: SessionRow,
  record: () => Promise<SessionRow>,
): Promise<SessionHandle | undefined> {
  if (session.state !== "REBOOTSTRAPPED") await record();
  return await adapterFor(context, session).rebootstrap(session.handle, driverCall(context)).catch(unlessReplaced);
}

function unlessReplaced(error: unknown): undefined {
  if (error instanceof DevflowError && error.code === "driver_replaced") throw error;
}
