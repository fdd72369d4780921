/**
 * The verbs on runs, for any driver. A verb only commits the request (a verdict, a pause, an answer) and wakes the
 * driver; nothing here calls an agent. What people write is stored without secrets.
 */
import { DevflowError } from "@devflow/core/errors";
import { canonicalRepository } from "@devflow/harness";
import { keepUpload } from "../attachments/keep-upload.ts";
import { type BindingOverride, bindRoles } from "../binding/bind.ts";
import { changeDraft, removeDraft } from "../comments/change-draft.ts";
import { commentOnRun } from "../comments/comment-on-run.ts";
import { forkRun } from "../fork/fork-run.ts";
import { openLanes } from "../lanes/wake-kin.ts";
import { adoptRun } from "./adopt-run.ts";
import { answerPermission } from "./answer-permission.ts";
import type { EngineContext } from "./context.ts";
import { abortRun, pauseRun, resumeRun } from "./control-run.ts";
import { decide } from "./decide.ts";
import type { RunDriver } from "./driver.ts";
import { resolveDefinitions } from "./resolve-definitions.ts";
import type { RunEngine, RunStartInput } from "./run-engine.ts";
import { cleanInput, cleanText } from "./run-secrets.ts";
import { say } from "./say.ts";
import { loadSnapshot } from "./snapshot.ts";
import { startRun } from "./start-run.ts";
import { waiveFinding } from "./waive-finding.ts";

export function createRunEngine(context: EngineContext, driver: RunDriver): RunEngine {
  /** What people send is redacted here, before any of it is hashed, stored or shown to an agent. */
  const withoutSecrets = ({ requirements, title, objective, extra, ...rest }: RunStartInput): RunStartInput => ({
    ...rest,
    requirements: cleanText(requirements, context),
    ...(title === undefined ? {} : { title: cleanText(title, context) }),
    ...(objective === undefined ? {} : { objective: cleanInput(objective, context) }),
    ...(extra === undefined ? {} : { extra: cleanInput(extra, context) }),
  });
  /** A preview may come before there is a repository; starting the run then says what is wrong with it. */
  const placeOf = async ({ repository, baseBranch: branch }: RunStartInput) => {
    if (repository === "") return undefined;
    const options = { ...(branch ? { branch } : {}), env: context.env };
    const found = await canonicalRepository(repository, options).catch((error: unknown) => {
      if (error instanceof DevflowError) return undefined;
      throw error;
    });
    return found && { repository: found.root, commit: found.commit };
  };
  /** Its lanes follow what a person decided about it. */
  const wakeAll = async (runId: string): Promise<void> => {
    driver.wake(runId);
    for (const lane of await openLanes(context.database, runId)) driver.wake(lane);
  };
  return {
    async startRun(input, actor) {
      const started = await startRun(context, withoutSecrets(input), actor);
      if (!started.queued) driver.wake(started.runId);
      return started;
    },
    async forkRun(input, actor) {
      const { title, instructions } = input;
      const clean = {
        ...input,
        ...(title === undefined ? {} : { title: cleanText(title, context) }),
        ...(instructions === undefined ? {} : { instructions: cleanText(instructions, context) }),
      };
      const started = await forkRun(context, clean, actor);
      if (!started.queued) driver.wake(started.runId);
      return started;
    },
    async previewRun(input) {
      const { template, personas } = await resolveDefinitions(context, { ...input, place: await placeOf(input) });
      return bindRoles({
        template,
        personas,
        overrides: (input.overrides ?? {}) as Record<string, BindingOverride>,
        backends: context.backends,
      });
    },
    async decide(approvalId, input, actor) {
      const { comment } = input;
      const clean = comment === undefined ? input : { ...input, comment: cleanText(comment, context) };
      const decision = await decide(context, approvalId, clean, actor);
      await wakeAll(decision.runId);
      return decision;
    },
    async pauseRun(runId, options, actor) {
      await pauseRun(context, runId, options, actor);
      await wakeAll(runId);
    },
    async resumeRun(runId, { clientToken }, actor) {
      await resumeRun(context, runId, clientToken, actor);
      await wakeAll(runId);
    },
    async abortRun(runId, { reason }, actor) {
      await abortRun(context, runId, cleanText(reason, context), actor);
      await wakeAll(runId);
    },
    async waiveFinding(waiver, actor) {
      await waiveFinding(context, { ...waiver, reason: cleanText(waiver.reason, context) }, actor);
      driver.wake(waiver.runId);
    },
    async adoptRun(runId, options, actor) {
      await adoptRun(context, runId, options, actor);
      driver.wake(runId);
    },
    async answerPermission(given, actor) {
      driver.wake(await answerPermission(context, given, actor));
    },
    async say(runId, message, actor) {
      await say(context, runId, { ...message, text: cleanText(message.text, context) }, actor);
      driver.wake(runId);
    },
    commentOnRun: (run, given, actor) =>
      commentOnRun(context, run, { ...given, text: cleanText(given.text, context) }, actor),
    editComment: (runId, commentId, { text, revision }, actor) =>
      changeDraft(context, { runId, commentId }, { text: cleanText(text, context), revision }, actor),
    removeComment: (run, commentId, options, actor) => removeDraft(context, run, commentId, options, actor),
    keepUpload: (given, actor) => keepUpload(context, given, actor),
    async getStatus(runId) {
      const snapshot = await context.database.asEngine((tx) => loadSnapshot(tx, runId));
      if (!snapshot)
        throw new DevflowError("not_found", { details: { what: `Run ${runId}`, next: "devflow run list" } });
      const { run, phases } = snapshot;
      const phase = phases.find((one) => one.id === run.current_phase_id);
      return {
        runId,
        state: run.state,
        phase: phase?.phase_key,
        attempt: phase?.attempts ?? 0,
        eventSeq: run.event_seq,
      };
    },
    start: () => driver.start(),
    stop: () => driver.stop(),
  };
}
