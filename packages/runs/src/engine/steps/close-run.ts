/** After the end: sessions are ended, and the report is written. Repeated until both are done. */
import { isTerminalSession } from "@devflow/core/enums";
import { faultPoint } from "@devflow/core/fault-point";
import type { SessionHandle } from "@devflow/session";
import { composeReport } from "../../reports/compose-report.ts";
import { writeReport } from "../../reports/write-report.ts";
import { changeAt, type EngineContext } from "../context.ts";
import type { Snapshot } from "../snapshot.ts";
import { sessionIdOf } from "./lock-bindings.ts";
import { adapterFor, derivedHandle, handleOf } from "./session-steps.ts";

export async function closeRun(context: EngineContext, snapshot: Snapshot): Promise<void> {
  const { run } = snapshot;
  const ids = snapshot.sessions.filter((one) => !isTerminalSession(one.state)).map((one) => one.id);
  for (const handle of handlesOf(context, snapshot)) {
    // A session that cannot be ended must not keep the run from its report; doctor lists what is left.
    await adapterFor(context, handle.backend)
      .dispose(handle)
      .catch((error: unknown) =>
        context.log.warn({ runId: run.id, session: handle.sessionId, err: error }, "session was not ended"),
      );
  }
  faultPoint("after_sessions_ended");
  if (ids.length > 0) {
    await context.database.asEngine(async (tx) => {
      await tx`
        update app.sessions set state = 'DISPOSED', updated_at = now()
        where id in (select value::uuid from jsonb_array_elements_text(${tx.json(ids)}))`;
    });
  }
  faultPoint("after_sessions_recorded");
  if (run.final_report_path !== null) return;
  const report = await composeReport(context, run.id);
  const path = await writeReport(context, run.id, report);
  faultPoint("after_report_written");
  await changeAt(context, snapshot, async (fact) => {
    await fact.tx`update app.runs set final_report_path = ${path}, updated_at = ${fact.now} where id = ${run.id}`;
    fact.touch();
  });
}

/** Every session that the run may have: a process that was started just before the end has no row yet. */
function handlesOf(context: EngineContext, { run, sessions, bindings }: Snapshot): SessionHandle[] {
  const known = new Set(sessions.map((one) => one.id));
  const unrecorded = bindings.filter((one) => !known.has(sessionIdOf(run.id, one.role_id)));
  return [
    ...sessions.map((one) => handleOf(context, run.id, one)),
    ...unrecorded.map((one) => derivedHandle(context, run.id, one.role_id, one.backend)),
  ];
}
