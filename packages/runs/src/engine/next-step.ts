/**
 * What comes next in a run. Pure: a snapshot goes in, one step comes out; the engine performs it, commits, and asks
 * again. A crash between two steps costs nothing, because the next snapshot leads to the same step.
 *
 * - `nextStep(snapshot)` the step.
 */
import { isTerminalRun, isTerminalSession } from "@devflow/core/enums";
import { reviewOutcome } from "@devflow/harness";
import { type Condition, effectiveGates, instancesIn, type TemplatePhase } from "../templates/index.ts";
import { type ApprovalRow, type CommandRow, isOpen, type PhaseRow } from "./rows.ts";
import type { Snapshot } from "./snapshot.ts";

export type Step =
  | { readonly kind: "lock_bindings" }
  | { readonly kind: "start_phase"; readonly phase: PhaseRow }
  | { readonly kind: "skip_phase"; readonly phase: PhaseRow; readonly reason: string }
  | { readonly kind: "start_session"; readonly phase: PhaseRow; readonly instance: string }
  | { readonly kind: "send_prompt"; readonly phase: PhaseRow; readonly instance: string }
  | { readonly kind: "expect_artifacts"; readonly phase: PhaseRow; readonly instances: readonly string[] }
  | { readonly kind: "await_artifacts"; readonly phase: PhaseRow; readonly instances: readonly string[] }
  | { readonly kind: "validate_artifacts"; readonly phase: PhaseRow; readonly instances: readonly string[] }
  | { readonly kind: "settle_phase"; readonly phase: PhaseRow }
  | { readonly kind: "run_command"; readonly phase: PhaseRow; readonly command: CommandRow | undefined }
  | { readonly kind: "settle_command"; readonly phase: PhaseRow; readonly command: CommandRow }
  | { readonly kind: "open_gate"; readonly phase: PhaseRow; readonly gate: string }
  | { readonly kind: "loop_back"; readonly phase: PhaseRow; readonly to: string }
  | { readonly kind: "ask_recovery"; readonly phase: PhaseRow; readonly code: string; readonly reason: string }
  | { readonly kind: "complete_run" }
  | { readonly kind: "close_run" }
  | {
      readonly kind: "wait";
      readonly reason: "slot" | "approval" | "pause" | "end";
      readonly until: number | undefined;
    };

export function nextStep(snapshot: Snapshot): Step {
  const { run } = snapshot;
  if (isTerminalRun(run.state)) {
    const isClosed = run.final_report_path !== null && snapshot.sessions.every((one) => isTerminalSession(one.state));
    return isClosed ? wait("end") : { kind: "close_run" };
  }
  if (run.state === "created") return run.queued ? wait("slot") : { kind: "lock_bindings" };
  if (run.state === "paused") return wait("pause");
  const phase = currentPhase(snapshot);
  if (!phase) return { kind: "complete_run" };
  switch (phase.state) {
    case "pending":
      return beginPhase(snapshot, phase);
    case "running":
      return phase.kind === "command" ? commandStep(snapshot, phase) : attemptStep(snapshot, phase);
    case "awaiting_artifact":
      return { kind: "await_artifacts", phase, instances: openInstances(snapshot, phase) };
    case "validating": {
      const open = openInstances(snapshot, phase);
      return open.length > 0 ? { kind: "validate_artifacts", phase, instances: open } : { kind: "settle_phase", phase };
    }
    case "awaiting_approval":
      return approvalStep(snapshot, phase);
    case "failed":
      return failedStep(snapshot, phase);
    case "completed":
    case "skipped":
      return { kind: "loop_back", phase, to: definitionOf(snapshot, phase).loop?.to ?? phase.phase_key };
  }
}

/** The phase the run stands at: the first that is not done, or a done one whose loop leads back. */
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

function beginPhase(snapshot: Snapshot, phase: PhaseRow): Step {
  const { when, loop } = definitionOf(snapshot, phase);
  if (when && !holds(snapshot, when, phase))
    return { kind: "skip_phase", phase, reason: `no ${when.replaceAll("_", " ")}` };
  if (when && loop && when === loop.while && phase.loops >= loop.max) {
    const reason = `after ${loop.max} rounds of fixing there are still ${when.replaceAll("_", " ")}`;
    return { kind: "ask_recovery", phase, code: "review_dispute_unresolved", reason };
  }
  return { kind: "start_phase", phase };
}

/** An attempt with agents: sessions, then prompts, one after the other; then the files are waited for. */
function attemptStep(snapshot: Snapshot, phase: PhaseRow): Step {
  const instances = openInstances(snapshot, phase);
  // A phase without agents (a report) has nothing to wait for.
  if (instances.length === 0) return { kind: "settle_phase", phase };
  for (const instance of instances) {
    const session = snapshot.sessions.find((one) => one.role_id === instance && one.lane_id === "main");
    if (!session || session.state === "CREATED" || isTerminalSession(session.state))
      return { kind: "start_session", phase, instance };
    if (!isPrompted(snapshot, phase, instance)) return { kind: "send_prompt", phase, instance };
  }
  return { kind: "expect_artifacts", phase, instances };
}

/** Instances of the phase that still owe a valid artifact in this series of automatic attempts. */
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
 * The attempt whose question the instance has before it. When one reviewer died, another who is still at work on the
 * same question is not asked again: two questions at once would leave open which of them the file answers.
 */
export function askedIn(snapshot: Snapshot, phase: PhaseRow, instance: string): number {
  const session = snapshot.sessions.find((one) => one.role_id === instance && one.lane_id === "main");
  if (session?.state !== "BUSY") return phase.attempts;
  const first = phase.attempts - phase.automatic_attempts + 1;
  const prompt = snapshot.prompts.find(
    (one) => one.phase_id === phase.id && one.attempt >= first && one.dedup_key === session.last_prompt_hash,
  );
  return prompt?.attempt ?? phase.attempts;
}

function commandStep(snapshot: Snapshot, phase: PhaseRow): Step {
  const command = snapshot.commands.find((one) => one.phase_id === phase.id && one.attempt === phase.attempts);
  return command?.ended_at ? { kind: "settle_command", phase, command } : { kind: "run_command", phase, command };
}

function approvalStep(snapshot: Snapshot, phase: PhaseRow): Step {
  const asked = approvalsOf(snapshot, phase);
  const open = asked.find((one) => isOpen(one.state));
  if (open) return wait("approval", open.timeout_at === null ? undefined : Date.parse(open.timeout_at));
  const next = gatesOf(snapshot, phase).find((gate) => !asked.some((one) => one.gate_key === gate));
  // The last gate was passed, but the process died before the phase was completed.
  return next ? { kind: "open_gate", phase, gate: next } : { kind: "settle_phase", phase };
}

function failedStep(snapshot: Snapshot, phase: PhaseRow): Step {
  if (loopsBack(snapshot, phase)) return { kind: "loop_back", phase, to: definitionOf(snapshot, phase).loop?.to ?? "" };
  const reason = phase.reason ?? "it failed";
  return { kind: "ask_recovery", phase, code: reason, reason };
}

export function approvalsOf(snapshot: Snapshot, phase: PhaseRow): ApprovalRow[] {
  return snapshot.approvals.filter(
    (one) => one.phase_id === phase.id && one.kind === "gate" && one.payload.attempt === phase.attempts,
  );
}

/** Gates of the template, and those that this attempt brought upon itself. */
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
  findings.filter((one) => !one.resolved).map((one) => ({ ...one, verifierStatus: one.verifier_status }));

const wait = (reason: "slot" | "approval" | "pause" | "end", until?: number): Step => ({ kind: "wait", reason, until });
