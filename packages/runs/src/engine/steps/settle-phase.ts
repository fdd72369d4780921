/**
 * A phase whose artifacts are all valid: their content is recorded (a commit, findings, verdicts, usage), and then the
 * phase is completed, or its first gate opens.
 */
import { faultPoint } from "@devflow/core/fault-point";
import { changedGitState, type GitState, gitStateHash } from "@devflow/harness";
import { recordEvaluatedGate, requestApproval } from "../../approvals/approval-repository.ts";
import { auditAgents, gitFinding, recordAudit } from "../../audit/audit-agents.ts";
import { eventKey } from "../../events/event-types.ts";
import { keepDiff } from "../../fleet/run-files.ts";
import { pushWork } from "../../fleet/work-refs.ts";
import { noteCollisions } from "../../lanes/collisions.ts";
import { changeAt, type DriverContext } from "../context.ts";
import type { RunFact } from "../fact.ts";
import { approvalsOf, definitionOf, gatesOf } from "../next-step.ts";
import { isOpenFinding, type PhaseRow } from "../rows.ts";
import { type ShownWork, shownAtGate } from "../shown-work.ts";
import { loadSnapshot, type Snapshot } from "../snapshot.ts";
import { commitWork } from "./commit-work.ts";
import { drainUsage } from "./drain-usage.ts";
import { failPhase, gitStateChanged } from "./phase-steps.ts";
import { recordReview, recordVerification } from "./record-review.ts";

export async function settlePhase(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  signal: AbortSignal,
): Promise<void> {
  const planted = await changedGit(context, snapshot, phase);
  if (planted.length > 0) {
    const reason = `while the agent worked, this changed in the repository's shared .git: ${planted.join(", ")}`;
    await changeAt(context, snapshot, async (fact) => {
      await recordAudit(fact, phase, [gitFinding(phase, planted)]);
      await failPhase(fact, phase, gitStateChanged, reason);
    });
    return;
  }
  const artifacts = await readArtifacts(context, snapshot, phase);
  const work = phase.kind === "work" ? await commitWork(context, snapshot, phase, artifacts[0], signal) : {};
  if (work.fault) {
    const { code, reason } = work.fault;
    await changeAt(context, snapshot, (fact) => failPhase(fact, phase, code, reason));
    return;
  }
  const { commit } = work;
  if (commit) faultPoint("after_commit_made");
  // A machine that is lost after this has lost nothing of the phase.
  const ref = commit && (await pushWork(context, snapshot.run, commit, signal));
  if (commit && snapshot.parent) await noteCollisions(context, snapshot, commit);
  const usage = await drainUsage(context, snapshot, phase);
  // Before the gate opens: whoever decides it may be at another machine.
  if (commit) await keepDiff(context, snapshot.run);
  const shown = await shownAtGate(context, snapshot, phase);
  const audited = await auditAgents(context, snapshot);
  await changeAt(context, snapshot, async (fact) => {
    await recordAudit(fact, phase, audited);
    if (commit) {
      fact.emit({
        type: "commit.created",
        key: eventKey.commit(phase.id, phase.attempts),
        phaseId: phase.id,
        payload: { phase: phase.phase_key, attempt: phase.attempts, commit, ...(ref ? { ref } : {}) },
      });
    }
    await usage(fact);
    if (phase.kind === "review") await recordReview(fact, phase, artifacts);
    if (phase.kind === "verify") await recordVerification(fact, phase, artifacts);
    await closeAttempt(fact, phase, shown);
  });
}

/** An agent in a worktree could plant hooks, filters or settings that later run as another user. */
async function changedGit(context: DriverContext, { run }: Snapshot, phase: PhaseRow): Promise<string[]> {
  if (phase.git_state === null) return [];
  const after = await gitStateHash(run.repo_path, { worktree: run.worktree_root, env: context.env });
  return changedGitState(JSON.parse(phase.git_state) as GitState, after);
}

/** Opens the first gate not yet asked in this attempt, bound to the work it shows; with none left, the phase is completed. */
export async function closeAttempt(fact: RunFact, phase: PhaseRow, shown: ShownWork | undefined): Promise<void> {
  // Read again inside the transaction: the findings just recorded may have added a gate.
  const fresh = await loadSnapshot(fact.tx, fact.run.id);
  if (!fresh) throw new Error(`run ${fact.run.id} is gone`);
  const asked = approvalsOf(fresh, phase).map((one) => one.gate_key);
  const gate = gatesOf(fresh, phase).find((one) => !asked.includes(one));
  if (gate) return await openGate(fact, fresh, phase, gate, shown);
  await completePhase(fact, phase);
}

async function completePhase(fact: RunFact, phase: PhaseRow): Promise<void> {
  const trigger =
    phase.state === "awaiting_approval"
      ? "approved"
      : phase.state === "running"
        ? "command_succeeded"
        : "artifacts_valid";
  await fact.movePhase(phase, trigger, { ended_at: fact.now, active_since: null, comment: null });
}

async function openGate(
  fact: RunFact,
  snapshot: Snapshot,
  phase: PhaseRow,
  gate: string,
  shown: ShownWork | undefined,
): Promise<void> {
  if (gate.startsWith("auto:")) return await evaluateGate(fact, snapshot, phase, gate, shown);
  const timeoutMs = definitionOf(snapshot, phase).approvalTimeoutMs;
  const timeoutAt = timeoutMs === undefined ? null : new Date(fact.now.getTime() + timeoutMs);
  const trigger =
    phase.state === "awaiting_approval"
      ? "next_gate_opened"
      : phase.state === "running"
        ? "command_succeeded_gate_open"
        : "artifacts_valid_gate_open";
  await fact.movePhase(phase, trigger, { active_since: null });
  await requestApproval(fact, phase, { gate, kind: "gate", timeoutAt, ...(shown && { payload: { shown } }) });
  fact.moveRun("gate_opened");
}

/** Gates that need no person: the facts of the run decide. */
async function evaluateGate(
  fact: RunFact,
  snapshot: Snapshot,
  phase: PhaseRow,
  gate: string,
  shown: ShownWork | undefined,
): Promise<void> {
  const passed = autoGatePasses(snapshot, gate);
  await recordEvaluatedGate(fact, phase, gate, passed);
  if (passed) return await closeAttempt(fact, phase, shown);
  await failPhase(fact, phase, "gate_not_passed", `${gate} did not pass`);
}

function autoGatePasses(snapshot: Snapshot, gate: string): boolean {
  const open = snapshot.findings.filter(isOpenFinding);
  switch (gate) {
    case "auto:tests_pass":
      return snapshot.commands.filter((one) => one.kind === "test").at(-1)?.exit_code === 0;
    case "auto:consensus":
      return !open.some((one) => one.verifier_status !== "rejected" && ["high", "critical"].includes(one.severity));
    default:
      return false;
  }
}

export interface ReadArtifact {
  readonly role: string;
  readonly path: string;
  readonly value: unknown;
}

/** The artifacts of the phase as they were validated, from their rows: an agent may write to its files at any time. */
async function readArtifacts(
  { database }: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
): Promise<ReadArtifact[]> {
  const first = phase.attempts - phase.automatic_attempts + 1;
  const rows = snapshot.artifacts.filter((one) => one.phase_id === phase.id && one.valid && one.attempt >= first);
  const ids = rows.map((row) => row.id);
  const contents = await database.asEngine(
    (tx) => tx<{ id: string; content: string }[]>`
      select id, content from app.artifacts where id in (select value::uuid from jsonb_array_elements_text(${tx.json(ids)}))`,
  );
  return rows.map((row) => ({
    role: row.role_id ?? "",
    path: row.path,
    value: JSON.parse(contents.find((one) => one.id === row.id)?.content ?? "null") as unknown,
  }));
}
