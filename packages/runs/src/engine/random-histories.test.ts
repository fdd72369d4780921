/**
 * Random histories: people, deaths and restarts in any order. Every state must follow from the one before by the tables,
 * a run must end exactly once, and its log must have no gap and no break.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ApprovalState, PermissionState, PhaseState, RunState, SessionState } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import { sessionTransitions } from "@devflow/session/testing";
import fc from "fast-check";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, reviewPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";
import { approvalTransitions } from "../approvals/approval-machine.ts";
import { phaseTransitions } from "../phases/phase-machine.ts";
import { verifyRun } from "../reports/verify-run.ts";
import { runTransitions } from "./run-machine.ts";

const isSoak = process.env.DEVFLOW_TEST_SOAK !== undefined;
const bench: EngineBench = await openEngineBench({ maxConcurrentRuns: 100, patienceMs: 120_000 });
afterAll(() => bench.close());

beforeAll(async () => {
  const gated = { ...planPhase, gates: ["plan_approved"], timeoutMs: 400 };
  const [work, review] = [workPhase, reviewPhase].map((phase) => ({ ...phase, timeoutMs: 400 }));
  await bench.addTemplate(smallTemplate("random", [gated, work!, review!]));
  // The database itself records every change of state, whatever caused it.
  await bench.admin`
    create table app.diary (id bigserial primary key, kind text, run_id uuid, before text, after text)`;
  await bench.admin.unsafe(`
    create function app.keep_diary() returns trigger language plpgsql security definer as $$ begin
      if old.state <> new.state then
        insert into app.diary (kind, run_id, before, after)
        values (tg_table_name, case tg_table_name when 'runs' then (to_jsonb(new) ->> 'id')::uuid
          else (to_jsonb(new) ->> 'run_id')::uuid end, old.state, new.state);
      end if;
      return new;
    end $$`);
  for (const table of ["runs", "run_phases", "approval_requests", "sessions", "permission_requests"])
    await bench.admin.unsafe(
      `create trigger diary after update on app.${table} for each row execute function app.keep_diary()`,
    );
});

const scenario = fc.oneof(
  { weight: 6, arbitrary: fc.constant("ok") },
  { weight: 1, arbitrary: fc.constantFrom("invalid", "crash", "timeout", "wrong_path", "no_change", "permission") },
);
const script = fc.record({
  plan: fc.array(scenario, { minLength: 1, maxLength: 3 }),
  implement: fc.array(scenario, { minLength: 1, maxLength: 3 }),
  review: fc.array(scenario, { minLength: 1, maxLength: 2 }),
});
const action = fc.oneof(
  fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 250 }) }),
  fc.record({ kind: fc.constant("pause" as const), hard: fc.boolean() }),
  fc.record({ kind: fc.constant("resume" as const) }),
  fc.record({
    kind: fc.constant("decide" as const),
    verdict: fc.constantFrom("approve" as const, "approve" as const, "request_changes" as const, "reject" as const),
  }),
  fc.record({ kind: fc.constant("answer" as const), answer: fc.constantFrom("allow" as const, "deny" as const) }),
  fc.record({ kind: fc.constant("kill agent" as const), which: fc.nat(3) }),
  fc.record({ kind: fc.constant("restart" as const) }),
  fc.record({ kind: fc.constant("abort" as const), really: fc.integer({ min: 0, max: 3 }) }),
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

/** Errors that a person may get; anything else is a bug in the engine. */
const refusals = ["illegal_transition", "approval_decided", "run_paused", "permission_answered"];

async function act(runId: string, one: Action): Promise<void> {
  const { engine, person } = bench;
  const now = await bench.snapshot(runId);
  switch (one.kind) {
    case "wait":
      return await Bun.sleep(one.ms);
    case "pause":
      return await engine.pauseRun(runId, { clientToken: uuidv7(), hard: one.hard }, person);
    case "resume":
      return await engine.resumeRun(runId, { clientToken: uuidv7() }, person);
    case "decide": {
      const gate = now.approvals.find((each) => each.state === "pending");
      if (gate) await bench.decide(gate.id, one.verdict, "a word");
      return;
    }
    case "answer": {
      const asked = now.permissions.find((each) => each.state === "pending");
      if (asked)
        await engine.answerPermission(
          { sessionId: asked.session_id, permissionId: asked.permission_id, answer: one.answer },
          person,
        );
      return;
    }
    case "kill agent": {
      const pid = now.sessions[one.which]?.handle.pid;
      if (pid && now.sessions[one.which]?.state !== "DISPOSED") killIfThere(pid);
      return;
    }
    case "restart":
      return await bench.restart();
    case "abort":
      if (one.really === 0) await engine.abortRun(runId, { reason: "chance" }, person);
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It had already died.
  }
}

/** Ends the run from whatever state it is in. */
async function bringToAnEnd(runId: string): Promise<void> {
  for (let rounds = 0; rounds < 12; rounds++) {
    const now = await bench.until(
      runId,
      ({ run, approvals }) =>
        run.final_report_path !== null || run.state === "paused" || approvals.some((one) => one.state === "pending"),
    );
    if (now.run.final_report_path !== null) return;
    const gate = now.approvals.find((one) => one.state === "pending");
    if (now.run.state === "paused" && gate?.kind !== "recovery") await act(runId, { kind: "resume" }).catch(allowed);
    else if (gate) await bench.decide(gate.id, "approve").catch(allowed);
  }
  await bench.engine.abortRun(runId, { reason: "chance wants no end" }, bench.person).catch(allowed);
  await bench.until(runId, ({ run }) => run.final_report_path !== null);
}

function allowed(error: unknown): void {
  if (!(error instanceof DevflowError) || !refusals.includes(error.code)) throw error;
}

function isLegal(kind: string, before: string, after: string): boolean {
  if (kind === "runs") return Object.values(runTransitions[before as RunState]).includes(after as RunState);
  if (kind === "run_phases") return Object.values(phaseTransitions[before as PhaseState]).includes(after as PhaseState);
  if (kind === "sessions")
    return Object.values(sessionTransitions[before as SessionState]).includes(after as SessionState);
  if (kind === "permission_requests") return permissionTransitions[before as PermissionState].includes(after);
  return Object.values(approvalTransitions[before as ApprovalState]).includes(after as ApprovalState);
}

const permissionTransitions: Readonly<Record<PermissionState, readonly string[]>> = {
  pending: ["allowed", "denied", "withdrawn"],
  allowed: [],
  denied: [],
  withdrawn: [],
};

test(
  "no history makes an illegal transition, ends twice or breaks the log",
  async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.array(action, { minLength: 3, maxLength: 9 }), async (agents, actions) => {
        const runId = await bench.play(agents, { template: "random" });
        for (const one of actions) await act(runId, one).catch(allowed);
        await bringToAnEnd(runId);
        const diary = await bench.admin<{ kind: string; before: string; after: string }[]>`
        select kind, before, after from app.diary where run_id = ${runId} order by id`;
        expect(diary.filter(({ kind, before, after }) => !isLegal(kind, before, after))).toEqual([]);
        const events = await bench.events(runId);
        const ends = events.filter(({ type }) => ["run.completed", "run.failed", "run.aborted"].includes(type));
        // Only the report follows the end.
        expect(ends.map((one) => one.seq)).toEqual([events.length - 1]);
        expect(events.at(-1)?.type).toBe("report.written");
        expect(events.map((one) => one.seq)).toEqual(events.map((_, index) => index + 1));
        expect((await verifyRun(bench.context, runId)).checks.filter((one) => !one.ok)).toEqual([]);
        const { sessions } = await bench.snapshot(runId);
        expect(sessions.filter((one) => one.state !== "DISPOSED" && one.state !== "FAILED_NEEDS_HUMAN")).toEqual([]);
      }),
      { numRuns: isSoak ? 400 : 14, endOnFailure: !isSoak },
    );
  },
  isSoak ? 3_600_000 : 480_000,
);
