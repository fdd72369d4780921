/**
 * Deletes what was said and written in a run, and keeps every hash, state and time.
 *
 * - `purgeRun(context, runId, actor)` for a run that has ended, with its lanes; recorded as `run.purged`. A second purge finds nothing.
 *
 * The rows commit first. The files are removed after that, and again when a purge is repeated, so a second call finishes
 * what a crash interrupted.
 */
import { isTerminalRun } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { shortId } from "@devflow/core/short-id";
import type { PurgeAnswer } from "@devflow/protocol";
import type { z } from "zod";
import { change, type EngineContext } from "../engine/context.ts";
import type { RunFact } from "../engine/fact.ts";
import type { Actor } from "../events/actor.ts";
import { askForRemoval } from "../fleet/removals.ts";
import { purgeFiles } from "./purge-files.ts";

export async function purgeRun(
  context: EngineContext,
  runId: string,
  actor: Actor,
): Promise<z.infer<typeof PurgeAnswer>> {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
  const { purged, folder } = await change(
    context,
    runId,
    async (fact) => ({ purged: await purgeRows(fact), folder: fact.run.folder }),
    actor,
  );
  // A path of another machine leads nowhere here.
  let files = await purgeFiles(folder);
  const lanes = await context.database.asEngine(
    (tx) => tx<{ id: string }[]>`select id from app.runs where parent_run_id = ${runId} order by created_at`,
  );
  for (const { id } of lanes) files += (await purgeRun(context, id, actor)).files;
  const runs = [runId, ...lanes.map(({ id }) => id)];
  const elsewhere = await askForRemoval(context, runs, { what: "content", force: false }, actor);
  return { purged, files, elsewhere };
}

async function purgeRows(fact: RunFact): Promise<boolean> {
  const { tx, run } = fact;
  if (!isTerminalRun(run.state) || run.final_report_path === null) {
    throw new DevflowError("illegal_transition", {
      details: {
        what: `Run ${shortId(run.id)}`,
        state: isTerminalRun(run.state) ? "still writing its report" : run.state,
        wanted: "purged",
        next: `See: devflow run show ${shortId(run.id)}`,
      },
    });
  }
  const before = await tx`select from app.run_events where run_id = ${run.id} and type = 'run.purged'`;
  if (before.length > 0) return false;
  // The append-only tables allow no other change.
  await tx`select set_config('app.purging', 'on', true)`;
  await tx`update app.run_inputs set requirements_md = '(purged)', objective = null, extra = null, instructions = '{}' where run_id = ${run.id}`;
  await tx`update app.run_events set payload = '{"purged": true}' where run_id = ${run.id}`;
  await tx`update app.artifacts set content = null, validation_error = null where run_id = ${run.id}`;
  await tx`update app.commands set tail = null where run_id = ${run.id}`;
  await tx`update app.approval_requests set payload = '{}' where run_id = ${run.id}`;
  await tx`
    update app.approval_decisions set comment = null
    where approval_request_id in (select id from app.approval_requests where run_id = ${run.id})`;
  await tx`
    update app.run_tasks set title = '(purged)', instructions = '', write_set = '[]', tests = '[]', reason = null, comment = null
    where run_id = ${run.id}`;
  await tx`delete from app.lane_collisions where run_id = ${run.id}`;
  await tx`
    delete from app.run_attachment_files
    where attachment_id in (select id from app.run_attachments where run_id = ${run.id})`;
  // What pages at other machines showed of it.
  await tx`delete from app.run_files where run_id = ${run.id}`;
  await tx`update app.run_phases set collisions = null where run_id = ${run.id}`;
  await tx`update app.audit_findings set detail = null where run_id = ${run.id}`;
  await tx`update app.session_messages set text = '' where run_id = ${run.id}`;
  await tx`
    update app.run_comments set file_path = '(purged)', quote = '', body = '(purged)' where run_id = ${run.id}`;
  await tx`
    update app.run_attachments set name = '(purged)', removed_at = coalesce(removed_at, ${fact.now}) where run_id = ${run.id}`;
  await tx`update app.permission_requests set tool = '', detail = '' where run_id = ${run.id}`;
  await tx`
    update app.transcript_chunks set content = ''
    where session_id in (select id from app.sessions where run_id = ${run.id})`;
  await tx`
    update app.review_findings set summary = '(purged)', evidence = null, verifier_reason = null, file_path = null, line = null,
      waiver_reason = null
    where run_id = ${run.id}`;
  // A one-word reason is Devflow's own; anything longer may quote someone.
  await tx`
    update app.run_phases set comment = null, reason = case when reason ~ '^[a-z_]+$' then reason end where run_id = ${run.id}`;
  await tx`
    update app.runs set title = '(purged)', failure_reason = case when failure_reason is null then null else '(purged)' end
    where id = ${run.id}`;
  fact.emit({ type: "run.purged", key: `run.purged:${run.id}`, payload: { events: run.event_seq } });
  fact.touch();
  return true;
}
