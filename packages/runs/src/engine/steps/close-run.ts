/** After the end: sessions are ended, and the report is written. Repeated until both are done. */
import { isTerminalSession } from "@devflow/core/enums";
import { faultPoint } from "@devflow/core/fault-point";
import { composeReport } from "../../reports/compose-report.ts";
import { writeReport } from "../../reports/write-report.ts";
import { change, type EngineContext } from "../context.ts";
import type { Snapshot } from "../snapshot.ts";
import { adapterFor, handleOf } from "./session-steps.ts";

export async function closeRun(context: EngineContext, snapshot: Snapshot): Promise<void> {
  const { run } = snapshot;
  const living = snapshot.sessions.filter((one) => !isTerminalSession(one.state));
  for (const session of living) {
    // A session that cannot be ended must not keep the run from its report; doctor lists what is left.
    await adapterFor(context, session.backend)
      .dispose(handleOf(context, run.id, session))
      .catch((error: unknown) =>
        context.log.warn({ runId: run.id, session: session.id, err: error }, "session was not ended"),
      );
  }
  if (living.length > 0) {
    const ids = living.map((one) => one.id);
    await context.database.asEngine(async (tx) => {
      await tx`
        update app.sessions set state = 'DISPOSED', updated_at = now()
        where id in (select value::uuid from jsonb_array_elements_text(${tx.json(ids)}))`;
    });
  }
  if (run.final_report_path !== null) return;
  const report = await composeReport(context, run.id);
  const path = await writeReport(context, run.id, report);
  faultPoint("after_report_written");
  await change(context, run.id, async (fact) => {
    await fact.tx`update app.runs set final_report_path = ${path}, updated_at = ${fact.now} where id = ${run.id}`;
    fact.touch();
  });
}
