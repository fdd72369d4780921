/**
 * What comes next in a run. Pure: takes a snapshot and the time, returns one step; a driver performs it, commits, and
 * asks again. A crash between two steps is harmless, because the next snapshot leads to the same step.
 *
 * - `nextStep(snapshot, now)` the step, identified by ids only, so that it can be sent between processes.
 *
 * Nothing here, and nothing it imports, does I/O; a test checks that.
 */
import { isTerminalRun, isTerminalSession, type PhaseState } from "@devflow/core/enums";
import { reviewOutcome } from "@devflow/harness/review";
import { kinStep, laneStep } from "../lanes/next-lane-step.ts";
import { type Condition, effectiveGates, instancesIn, type TemplatePhase } from "../templates/index.ts";
import { budgetFault, interruptShare } from "./budget.ts";
import { type ApprovalRow, isOpen, isOpenFinding, type PermissionRow, type PhaseRow } from "./rows.ts";
import type { Snapshot } from "./snapshot.ts";

/** Every step has these: the run, and its lane. */
interface OfRun {
  readonly run: string;
  readonly lane: string;
}

interface OfPhase extends OfRun {
  /** The phase's id. */
  readonly phase: string;
  readonly attempt: number;
}

export type PhaseStep =
  | (OfPhase & {
      readonly kind: "start_phase" | "settle_phase" | "run_command" | "settle_command" | "open_gate";
    })
  | (OfPhase & { readonly kind: "skip_phase"; readonly reason: string })
  | (OfPhase & { readonly kind: "start_session" | "send_prompt"; readonly instance: string })
  | (OfPhase & {
      readonly kind: "expect_artifacts" | "await_artifacts" | "validate_artifacts";
      readonly instances: readonly string[];
    })
  | (OfPhase & { readonly kind: "plan_lanes" | "settle_lanes" })
  | (OfPhase & {
      readonly kind: "start_lane" | "take_lane" | "ask_about_lane" | "merge_lane" | "apply_merge" | "test_merge";
      readonly task: string;
    })
  | (OfPhase & { readonly kind: "end_over_budget"; readonly reason: string })
  | (OfPhase & { readonly kind: "loop_back"; readonly to: string })
  | (OfPhase & { readonly kind: "ask_recovery"; readonly code: string; readonly reason: string });

export type RunStep =
  | (OfRun & { readonly kind: "lock_bindings" | "set_up_again" | "interrupt_sessions" | "complete_run" | "close_run" })
  | (OfRun & { readonly kind: "abort_lane" })
  | (OfRun & { readonly kind: "pause_lane"; readonly cause: string; readonly hard: boolean })
  | (OfRun & { readonly kind: "resume_lane"; readonly cause: string })
  | (OfRun & { readonly kind: "deliver_permission"; readonly permission: string })
  | (OfRun & { readonly kind: "deliver_message"; readonly message: string })
  | (OfRun & { readonly kind: "time_out_approval" | "check_work"; readonly approval: string });

export type WaitReason = "slot" | "approval" | "pause" | "rate_limit" | "lanes" | "budget";

/** The recovery gate of a spent budget; trying again grants as much again. */
export const budgetReached = "budget_reached";

export type Step =
  | PhaseStep
  | RunStep
  | { readonly kind: "wait"; readonly reason: WaitReason; readonly until: number | undefined }
  | { readonly kind: "end" };

export function nextStep(snapshot: Snapshot, now: number): Step {
  const { run } = snapshot;
  const ofRun: OfRun = { run: run.id, lane: run.lane_id };
  if (isTerminalRun(run.state)) {
    // A parent closes after its lanes.
    if (snapshot.tasks.some(({ lane }) => lane?.closed === false)) return wait("lanes");
    const isClosed = run.final_report_path !== null && snapshot.sessions.every((one) => isTerminalSession(one.state));
    return isClosed ? { kind: "end" } : { ...ofRun, kind: "close_run" };
  }
  const kin = kinStep(snapshot);
  if (kin) return { ...ofRun, ...kin };
  if (run.state === "created") {
    // Its machine was lost before it began.
    if (snapshot.approvals.some((one) => isOpen(one.state))) return wait("approval");
    return run.queued ? wait("slot") : { ...ofRun, kind: "lock_bindings" };
  }
  // Even while the run is paused: the agent may finish what it was allowed to do.
  const answered = snapshot.permissions.find(isUndelivered);
  if (answered) return { ...ofRun, kind: "deliver_permission", permission: answered.id };
  const said = snapshot.messages.find((one) => one.delivered_at === null);
  if (said) return { ...ofRun, kind: "deliver_message", message: said.id };
  if (run.state === "paused") {
    return run.interrupt_requested ? { ...ofRun, kind: "interrupt_sessions" } : wait("pause");
  }
  const unseen = snapshot.approvals.find((one) => one.state === "approved" && one.payload.unseen === true);
  if (unseen) return { ...ofRun, kind: "check_work", approval: unseen.id };
  const phase = currentPhase(snapshot);
  if (!phase) return { ...ofRun, kind: "complete_run" };
  // It came to another machine, where nothing is installed yet. A gate, or a question about what failed, needs nothing installed.
  if (run.incarnation > run.set_up && isAtWork.has(phase.state)) return { ...ofRun, kind: "set_up_again" };
  const at: OfPhase = { ...ofRun, phase: phase.id, attempt: phase.attempts };
  // Its lanes need slots, and it needs none.
  if (phase.kind === "lanes" && phase.state === "running") return lanesStep(snapshot, phase, at);
  // A person let it continue while other runs hold every slot.
  if (run.queued) return wait("slot");
  switch (phase.state) {
    case "pending":
      return beginPhase(snapshot, phase, at);
    case "running":
      return phase.kind === "command" ? commandStep(snapshot, phase, at) : attemptStep(snapshot, phase, at, now);
    case "awaiting_artifact": {
      const fault = snapshot.parent ? undefined : budgetFault(snapshot, interruptShare);
      if (fault) return { ...at, kind: "end_over_budget", reason: fault };
      return { ...at, kind: "await_artifacts", instances: openInstances(snapshot, phase) };
    }
    case "validating": {
      const open = openInstances(snapshot, phase);
      return open.length > 0 ? { ...at, kind: "validate_artifacts", instances: open } : { ...at, kind: "settle_phase" };
    }
    case "awaiting_approval":
      return approvalStep(snapshot, phase, at, now);
    case "failed":
      return failedStep(snapshot, phase, at);
    case "completed":
    case "skipped":
      return { ...at, kind: "loop_back", to: definitionOf(snapshot, phase).loop?.to ?? phase.phase_key };
  }
}

const isAtWork: ReadonlySet<PhaseState> = new Set(["pending", "running", "awaiting_artifact", "validating"]);

const isUndelivered = ({ state, delivered_at: delivered }: PermissionRow): boolean =>
  (state === "allowed" || state === "denied") && delivered === null;

/** The current phase: the first that is not done, or a done one whose loop leads back. */
export function currentPhase(snapshot: Snapshot): PhaseRow | undefined {
  for (const phase of snapshot.phases) {
    if (phase.state === "skipped") continue;
    if (phase.state !== "completed") return phase;
    if (phase.id === snapshot.run.current_phase_id && loopsBack(snapshot, phase)) return phase;
  }
  return undefined;
}

export function definitionOf({ template }: Pick<Snapshot, "template">, phase: PhaseRow): TemplatePhase {
  const found = template.phases.find((one) => one.key === phase.phase_key);
  if (!found) throw new Error(`template ${template.name} has no phase ${phase.phase_key}`);
  return found;
}

function beginPhase(snapshot: Snapshot, phase: PhaseRow, at: OfPhase): Step {
  const { when, loop } = definitionOf(snapshot, phase);
  if (when && !holds(snapshot, when, phase))
    return { ...at, kind: "skip_phase", reason: `no ${when.replaceAll("_", " ")}` };
  if (when && loop && when === loop.while && phase.loops >= loop.max) {
    const reason = `after ${loop.max} rounds of fixing there are still ${when.replaceAll("_", " ")}`;
    return { ...at, kind: "ask_recovery", code: "review_dispute_unresolved", reason };
  }
  const fault = needsAgents(snapshot, phase) ? budgetFault(snapshot) : undefined;
  // A lane's parent asks; see `kinStep`.
  if (fault && snapshot.parent) return wait("budget");
  if (fault) return { ...at, kind: "ask_recovery", code: budgetReached, reason: fault };
  return { ...at, kind: "start_phase" };
}

function lanesStep(snapshot: Snapshot, phase: PhaseRow, at: OfPhase): Step {
  const step = laneStep(snapshot, phase);
  switch (step.kind) {
    case "wait_for_lanes":
      return wait("lanes");
    case "wait_for_person":
      return wait("approval");
    case "over_budget":
      return { ...at, kind: "ask_recovery", code: budgetReached, reason: budgetFault(snapshot) ?? "" };
    default:
      return { ...at, ...step };
  }
}

const needsAgents = (snapshot: Snapshot, phase: PhaseRow): boolean => definitionOf(snapshot, phase).roles.length > 0;

/** An attempt with agents: sessions, then prompts, one after the other; then waiting for the files. */
function attemptStep(snapshot: Snapshot, phase: PhaseRow, at: OfPhase, now: number): Step {
  const instances = openInstances(snapshot, phase);
  // A phase without agents (a report) has nothing to wait for.
  if (instances.length === 0) return { ...at, kind: "settle_phase" };
  for (const instance of instances) {
    const session = sessionOf(snapshot, instance);
    if (!session || session.state === "BOOTSTRAPPING" || isTerminalSession(session.state))
      return { ...at, kind: "start_session", instance };
    if (isPrompted(snapshot, phase, instance)) continue;
    const fault = budgetFault(snapshot);
    if (fault && snapshot.parent) return wait("budget");
    if (fault) return { ...at, kind: "end_over_budget", reason: fault };
    const until = snapshot.run.rate_limited_until;
    if (until !== null && Date.parse(until) > now) return wait("rate_limit", Date.parse(until));
    return { ...at, kind: "send_prompt", instance };
  }
  return { ...at, kind: "expect_artifacts", instances };
}

export const sessionOf = ({ sessions }: Snapshot, instance: string) => sessions.find((one) => one.role_id === instance);

/** Instances of the phase that have no valid artifact yet in this series of automatic attempts. */
function openInstances(snapshot: Snapshot, phase: PhaseRow): string[] {
  const first = phase.attempts - phase.automatic_attempts + 1;
  return instancesIn(snapshot.template, definitionOf(snapshot, phase)).filter(
    (instance) =>
      !snapshot.artifacts.some(
        (one) => one.phase_id === phase.id && one.role_id === instance && one.valid && one.attempt >= first,
      ),
  );
}

function isPrompted(snapshot: Snapshot, phase: PhaseRow, instance: string): boolean {
  return snapshot.prompts.some(
    (one) => one.phase_id === phase.id && one.role === instance && one.attempt === askedIn(snapshot, phase, instance),
  );
}

/**
 * The attempt whose question the instance is working on. When one reviewer died, another who is still working on the
 * same question is not asked again: with two questions at once it would be unclear which one the file answers.
 */
export function askedIn(snapshot: Snapshot, phase: PhaseRow, instance: string): number {
  const session = sessionOf(snapshot, instance);
  if (session?.state !== "BUSY" && session?.state !== "WAITING_FOR_APPROVAL") return phase.attempts;
  const first = phase.attempts - phase.automatic_attempts + 1;
  const prompt = snapshot.prompts.find(
    (one) => one.phase_id === phase.id && one.attempt >= first && one.dedup_key === session.last_prompt_hash,
  );
  return prompt?.attempt ?? phase.attempts;
}

function commandStep(snapshot: Snapshot, phase: PhaseRow, at: OfPhase): Step {
  const command = snapshot.commands.find((one) => one.phase_id === phase.id && one.attempt === phase.attempts);
  return command?.ended_at ? { ...at, kind: "settle_command" } : { ...at, kind: "run_command" };
}

function approvalStep(snapshot: Snapshot, phase: PhaseRow, at: OfPhase, now: number): Step {
  const asked = approvalsOf(snapshot, phase);
  const open = asked.find((one) => isOpen(one.state));
  if (open) {
    const until = open.timeout_at === null ? undefined : Date.parse(open.timeout_at);
    if (until === undefined || until > now) return wait("approval", until);
    return { run: at.run, lane: at.lane, kind: "time_out_approval", approval: open.id };
  }
  const isLeft = gatesOf(snapshot, phase).some((gate) => !asked.some((one) => one.gate_key === gate));
  // With none left, the last gate was passed, but the process died before the phase was completed.
  return isLeft ? { ...at, kind: "open_gate" } : { ...at, kind: "settle_phase" };
}

function failedStep(snapshot: Snapshot, phase: PhaseRow, at: OfPhase): Step {
  if (loopsBack(snapshot, phase)) return { ...at, kind: "loop_back", to: definitionOf(snapshot, phase).loop?.to ?? "" };
  const reason = phase.reason ?? "it failed";
  return { ...at, kind: "ask_recovery", code: reason, reason };
}

export function approvalsOf(snapshot: Snapshot, phase: PhaseRow): ApprovalRow[] {
  return snapshot.approvals.filter(
    (one) => one.phase_id === phase.id && one.kind === "gate" && one.payload.attempt === phase.attempts,
  );
}

/** Gates of the template, and those that this attempt caused. */
export function gatesOf(snapshot: Snapshot, phase: PhaseRow): string[] {
  const gates = effectiveGates(snapshot.template, definitionOf(snapshot, phase));
  return phase.kind === "verify" && isDisputed(snapshot) ? [...gates, "review_dispute"] : gates;
}

function loopsBack(snapshot: Snapshot, phase: PhaseRow): boolean {
  const { loop } = definitionOf(snapshot, phase);
  return loop !== undefined && phase.loops < loop.max && holds(snapshot, loop.while, phase);
}

function holds(snapshot: Snapshot, condition: Condition, phase: PhaseRow): boolean {
  switch (condition) {
    case "findings":
      return openFindings(snapshot).length > 0;
    case "blocking_findings":
      return reviewOutcome(openFindings(snapshot)).blocking.length > 0;
    case "failed":
      return phase.state === "failed";
  }
}

const isDisputed = (snapshot: Snapshot): boolean => reviewOutcome(openFindings(snapshot)).disputed.length > 0;

const openFindings = ({ findings }: Snapshot) =>
  findings.filter(isOpenFinding).map((one) => ({ ...one, verifierStatus: one.verifier_status }));

const wait = (reason: WaitReason, until?: number): Step => ({ kind: "wait", reason, until });
