/**
 * The inline engine: runs are driven inside the server's process, and everything it knows is in Postgres.
 *
 * One driver per active run asks for the next step, performs it, and asks again. What people do (verdicts, pause,
 * abort) commits by itself and wakes the driver, which looks at the new snapshot. After a restart every unfinished run
 * of this machine gets its driver back, and the replay rules of the steps do the rest.
 */
import { isTerminalRun } from "@devflow/core/enums";
import { DevflowError, toDevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { type BindingOverride, type BindResult, bindRoles } from "../binding/bind.ts";
import { eventKey } from "../events/event-types.ts";
import { Persona } from "../personas/persona.ts";
import { change, type EngineContext } from "./context.ts";
import { abortRun, pauseRun, resumeRun, timeOutApproval } from "./control-run.ts";
import { decide } from "./decide.ts";
import { endRun, refuseTerminal } from "./end-run.ts";
import { nextStep } from "./next-step.ts";
import { performStep } from "./perform-step.ts";
import type { RunEngine, RunStatus } from "./run-engine.ts";
import { loadSnapshot, type Snapshot } from "./snapshot.ts";
import { findTemplate, startRun } from "./start-run.ts";
import { adapterFor, handleOf, moveSession } from "./steps/session-steps.ts";
import { startTranscripts } from "./transcripts.ts";

export function createInlineEngine(context: EngineContext): RunEngine {
  const drivers = new Map<string, Driver>();
  let isStopping = false;

  const drive = (runId: string): void => {
    if (isStopping) return;
    const known = drivers.get(runId);
    if (known) {
      known.wake();
      return;
    }
    const driver = new Driver(context, runId, () => {
      drivers.delete(runId);
      if (isStopping) return;
      takeNextQueued(context).then(
        (next) => next && drive(next),
        // The next run that ends, or the next start, looks again.
        (error: unknown) => context.log.warn({ err: error }, "the line was not looked at"),
      );
    });
    drivers.set(runId, driver);
    driver.start();
  };

  const snapshotOf = async (runId: string): Promise<Snapshot> => {
    const snapshot = await context.database.asEngine((tx) => loadSnapshot(tx, runId));
    if (!snapshot) throw new DevflowError("not_found", { details: { what: `Run ${runId}`, next: "devflow run list" } });
    return snapshot;
  };

  return {
    async startRun(input, actor) {
      const started = await startRun(context, input, actor);
      if (!started.queued) drive(started.runId);
      return started;
    },
    async previewRun(input): Promise<BindResult> {
      const { template } = await findTemplate(context, input.template);
      const rows = await context.database.asEngine(
        (tx) => tx`select definition from app.agent_personas order by name, version`,
      );
      return bindRoles({
        template,
        personas: rows.map((row) => Persona.parse(row.definition)),
        overrides: (input.overrides ?? {}) as Record<string, BindingOverride>,
        backends: context.backends,
      });
    },
    async decide(approvalId, input, actor) {
      const decision = await decide(context, approvalId, input, actor);
      drive(decision.runId);
      return decision;
    },
    async pauseRun(runId, { clientToken, hard = false }, actor) {
      await pauseRun(context, runId, clientToken, actor);
      if (hard) {
        const snapshot = await snapshotOf(runId);
        const busy = snapshot.sessions.filter((one) => one.state === "BUSY");
        for (const session of busy)
          await adapterFor(context, session.backend).interrupt(handleOf(context, runId, session));
        // Their turns are lost: after resuming, the work is asked for again.
        await change(context, runId, async (fact) => {
          for (const session of busy) await moveSession(fact, session, "artifact_timed_out");
        });
      }
      drive(runId);
    },
    async resumeRun(runId, { clientToken }, actor) {
      await resumeRun(context, runId, clientToken, actor);
      drive(runId);
    },
    async abortRun(runId, { reason }, actor) {
      await abortRun(context, runId, reason, actor);
      drive(runId);
    },
    async answerPermission(sessionId, permissionId, answer, actor) {
      if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
      const [row] = await context.database.asEngine(
        (tx) => tx<{ run_id: string }[]>`select run_id from app.sessions where id = ${sessionId}`,
      );
      const snapshot = await snapshotOf(row?.run_id ?? sessionId);
      const session = snapshot.sessions.find((one) => one.id === sessionId);
      if (!session) throw new DevflowError("not_found", { details: { what: `Session ${sessionId}`, next: "" } });
      // A run that ended has its report, and the chain stands as that says.
      refuseTerminal(snapshot, "answered");
      await adapterFor(context, session.backend).answerPermission(
        handleOf(context, snapshot.run.id, session),
        permissionId,
        answer,
      );
      faultPoint("after_permission_answered");
      await change(
        context,
        snapshot.run.id,
        async (fact) => {
          refuseTerminal(fact, "answered");
          fact.emit({
            type: "permission.resolved",
            key: eventKey.fact("permission.resolved", sessionId, permissionId),
            payload: { session: sessionId, permission: permissionId, answer },
          });
          fact.touch();
        },
        actor,
      );
    },
    async getStatus(runId): Promise<RunStatus> {
      const { run, phases } = await snapshotOf(runId);
      const phase = phases.find((one) => one.id === run.current_phase_id);
      return {
        runId,
        state: run.state,
        phase: phase?.phase_key,
        attempt: phase?.attempts ?? 0,
        eventSeq: run.event_seq,
      };
    },
    async start() {
      const rows = await context.database.asEngine(
        (tx) => tx<{ id: string; queued: boolean }[]>`
          select id, queued from app.runs
          where host = ${context.host} and (state not in ('completed', 'failed', 'aborted') or final_report_path is null)
          order by created_at, id`,
      );
      for (const row of rows) if (!row.queued) drive(row.id);
      for (let next = await takeNextQueued(context); next; next = await takeNextQueued(context)) drive(next);
    },
    async stop() {
      isStopping = true;
      await Promise.all([...drivers.values()].map((driver) => driver.stop()));
    },
  };
}

/** The oldest run in line, when a place is free. */
async function takeNextQueued(context: EngineContext): Promise<string | undefined> {
  const taken = await context.database.asEngine(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${`devflow:start-run:${context.host}`}, 0))`;
    const [row] = await tx<{ id: string }[]>`
      update app.runs set queued = false, updated_at = now()
      where id = (select id from app.runs where host = ${context.host} and queued and state = 'created' order by created_at, id limit 1)
        and (select count(*) from app.runs where host = ${context.host} and not queued
          and state not in ('completed', 'failed', 'aborted')) < ${context.maxConcurrentRuns}
      returning id`;
    return row?.id;
  });
  if (taken) faultPoint("after_place_taken");
  return taken;
}

const mostOvertakes = 20;
/** Timers count to 2^31 ms; a longer rest is taken in parts. */
const longestRestMs = 24 * 3_600_000;
const retryDelaysMs = [200, 1_000, 5_000, 15_000, 30_000];

/** Drives one run until it is closed. A step that fails by a fault of the machine is tried again, with patience. */
class Driver {
  private readonly context: EngineContext;
  private readonly runId: string;
  private readonly onClosed: () => void;
  private readonly end = new AbortController();
  private step = new AbortController();
  private isWoken = false;
  private loop: Promise<void> = Promise.resolve();
  private stopTranscripts: () => Promise<void> = async () => undefined;

  constructor(context: EngineContext, runId: string, onClosed: () => void) {
    this.context = context;
    this.runId = runId;
    this.onClosed = onClosed;
  }

  start(): void {
    this.stopTranscripts = startTranscripts(this.context, this.runId);
    this.loop = this.drive().finally(async () => {
      await this.stopTranscripts();
      this.onClosed();
    });
  }

  /** Something changed from outside: whatever is waited for is looked at again. */
  wake(): void {
    this.isWoken = true;
    this.step.abort("woken");
  }

  async stop(): Promise<void> {
    this.end.abort("engine stops");
    this.step.abort("engine stops");
    await this.loop;
  }

  private async drive(): Promise<void> {
    let failures = 0;
    let overtaken = 0;
    while (!this.end.signal.aborted) {
      this.isWoken = false;
      this.step = new AbortController();
      const signal = AbortSignal.any([this.end.signal, this.step.signal]);
      try {
        const snapshot = await this.context.database.asEngine((tx) => loadSnapshot(tx, this.runId));
        if (!snapshot) return;
        const step = nextStep(snapshot);
        if (step.kind === "wait") {
          if (step.reason === "end") return;
          await this.rest(step.until, signal);
        } else await performStep(this.context, snapshot, step, signal);
        failures = 0;
        overtaken = 0;
      } catch (error) {
        if (this.end.signal.aborted) return;
        // Woken in the middle of a wait, or the world changed between the look and the deed: look again.
        if (this.isWoken) continue;
        // Nobody overtakes this often: the step itself asks for what the tables do not allow.
        if (isOvertaken(error) && ++overtaken < mostOvertakes) continue;
        failures += 1;
        if (await this.giveUp(error, failures)) return;
        await this.context.clock
          .sleep(retryDelaysMs[Math.min(failures, retryDelaysMs.length) - 1] ?? 30_000, this.end.signal)
          .catch(() => undefined);
      }
    }
  }

  private async rest(until: number | undefined, signal: AbortSignal): Promise<void> {
    if (until === undefined) {
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      return;
    }
    const ms = Math.min(longestRestMs, Math.max(0, until - this.context.clock.now()));
    await this.context.clock.sleep(ms, signal).catch(() => undefined);
    if (!signal.aborted) await timeOutApproval(this.context, this.runId);
  }

  /** A fatal fault, or one that stays, ends the run with its reason: never silently. */
  private async giveUp(error: unknown, failures: number): Promise<boolean> {
    const known = toDevflowError(error);
    this.context.log.error({ runId: this.runId, err: error, failures }, "a step failed");
    const isHopeless =
      error instanceof DevflowError && known.class !== "recoverable" && known.code !== "db_unreachable";
    if (!isHopeless && failures < 10) return false;
    await change(this.context, this.runId, async (fact) => {
      if (!isTerminalRun(fact.run.state)) await endRun(fact, "failed", `${known.code}: ${known.message}`);
    }).catch((again: unknown) =>
      this.context.log.error({ runId: this.runId, err: again }, "the run could not be ended"),
    );
    return false;
  }
}

const isOvertaken = (error: unknown): boolean => error instanceof DevflowError && error.code === "illegal_transition";
