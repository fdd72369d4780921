import { describe, expect, test } from "bun:test";
import { phaseStates } from "@devflow/core/enums";
import { nextPhaseState, phaseTriggers } from "./phase-machine.ts";

/** All legal transitions of a phase. Every other pair must change nothing. */
const table: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pending: { start: "running", skip: "skipped", run_ended: "skipped" },
  running: {
    prompts_sent: "awaiting_artifact",
    command_succeeded: "completed",
    command_succeeded_gate_open: "awaiting_approval",
    again: "pending",
    exhausted: "failed",
    run_ended: "failed",
  },
  awaiting_artifact: {
    artifacts_appeared: "validating",
    artifact_timed_out: "running",
    exhausted: "failed",
    run_ended: "failed",
  },
  validating: {
    artifacts_valid: "completed",
    artifacts_valid_gate_open: "awaiting_approval",
    artifact_invalid: "running",
    exhausted: "failed",
    run_ended: "failed",
  },
  awaiting_approval: {
    again: "pending",
    approved: "completed",
    next_gate_opened: "awaiting_approval",
    rejected: "failed",
    changes_requested: "running",
    exhausted: "failed",
    run_ended: "failed",
  },
  completed: { again: "pending" },
  failed: { retry: "running", again: "pending" },
  skipped: { again: "pending" },
};

describe.each([...phaseStates])("%s", (state) => {
  test.each([...phaseTriggers])("%s", (trigger) => {
    expect(nextPhaseState(state, trigger)).toBe(table[state]?.[trigger] as never);
  });
});

test("when a run ends no phase is left running or waiting", () => {
  const left = phaseStates.map((state) => nextPhaseState(state, "run_ended") ?? state);
  expect([...new Set(left)].sort()).toEqual(["completed", "failed", "skipped"]);
});
