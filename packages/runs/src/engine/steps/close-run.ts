/** After the end: ends the sessions and writes the report. Repeated until both are done. */

import { isTerminalSession } from "@devflow/core/enums";
import { faultPoint } from "@devflow/core/fault-point";
import { hashBytes } from "@devflow/core/hash";
import { auditNow } from "../../audit/audit-agents.ts";
import { eventKey } from "../../events/event-types.ts";
import { keepReport } from "../../fleet/run-files.ts";
import { composeReport } from "../../reports/compose-report.ts";
import { writeReport } from "../../reports/write-report.ts";
import { adapterFor } from "../../sessions/session-adapters.ts";
import { moveSession } from "../../sessions/session-repository.ts";
import { changeAt, type DriverContext, driverCall } from "../context.ts";
import type { Snapshot } from "../snapshot.ts";

export async function closeRun(context: DriverContext, snapshot: Snapshot): Promise<void> {
  await endSessions(context, snapshot);
  if (snapshot.run.final_report_path === null) await auditNow(context, snapshot, undefined);
  if (snapshot.run.final_report_path === null) await reportRun(context, snapshot);
}

async function endSessions(context: DriverContext, snapshot: Snapshot): Promise<void> {
  const { run, sessions } = snapshot;
  for (const session of sessions) {
    // A session that cannot be ended must not prevent the report; doctor lists what is left.
    await adapterFor(context, session)
      .dispose(session.handle, driverCall(context))
      .catch((error: unknown) => {
        context.stopping.throwIfAborted();
        context.log.warn({ runId: run.id, session: session.id, err: error }, "session was not ended");
      });
  }
  faultPoint("after_sessions_ended");
  const open = sessions.filter((one) => !isTerminalSession(one.state));
  if (open.length > 0) {
    await changeAt(context, snapshot, async (fact) => {
      for (const session of open) await moveSession(fact, session, "disposed");
    });
  }
  faultPoint("after_sessions_recorded");
}

async function reportRun(context: DriverContext, snapshot: Snapshot): Promise<void> {
  const { run } = snapshot;
  const report = await composeReport(context, run.id);
  const { path, text, words } = await writeReport(run, report);
  await keepReport(context, run, { words, text });
  faultPoint("after_report_written");
  await changeAt(context, snapshot, async (fact) => {
    fact.writeRun({ final_report_path: path });
    fact.emit({
      type: "report.written",
      key: eventKey.report(run.id),
      payload: { path, hash: hashBytes(text), head: report.chain.head },
    });
    fact.touch();
  });
}
