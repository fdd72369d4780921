import { describe, expect, test } from "bun:test";
import { isTerminalRun, phaseKinds, runStates, terminalRunStates } from "@devflow/core/enums";
import { activeRunStates, nextRunState, runStateFor, runTriggers } from "./run-machine.ts";

/** All legal transitions of a run. Every other pair must change nothing. */
const table: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  created: { bindings_locked: "bound", bindings_failed: "failed", failed: "failed", aborted: "aborted" },
  bound: {
    planning_phase_started: "planning",
    work_phase_started: "executing",
    paused: "paused",
    recovery_gate_opened: "paused",
    all_phases_done: "completed",
    failed: "failed",
    aborted: "aborted",
  },
  planning: {
    planning_phase_started: "planning",
    work_phase_started: "executing",
    gate_opened: "awaiting_approval",
    paused: "paused",
    recovery_gate_opened: "paused",
    all_phases_done: "completed",
    failed: "failed",
    aborted: "aborted",
  },
  executing: {
    planning_phase_started: "planning",
    work_phase_started: "executing",
    gate_opened: "awaiting_approval",
    paused: "paused",
    recovery_gate_opened: "paused",
    all_phases_done: "completed",
    failed: "failed",
    aborted: "aborted",
  },
  awaiting_approval: {
    gate_opened: "awaiting_approval",
    gate_passed_to_planning: "planning",
    gate_passed_to_work: "executing",
    changes_requested_in_planning: "planning",
    changes_requested_in_work: "executing",
    rejected: "failed",
    approval_timed_out: "paused",
    recovery_gate_opened: "paused",
    paused: "paused",
    all_phases_done: "completed",
    failed: "failed",
    aborted: "aborted",
  },
  paused: {
    rejected: "failed",
    resumed_to_bound: "bound",
    resumed_to_planning: "planning",
    resumed_to_executing: "executing",
    resumed_to_awaiting_approval: "awaiting_approval",
    failed: "failed",
    aborted: "aborted",
  },
  completed: {},
  failed: {},
  aborted: {},
};

describe.each([...runStates])("%s", (state) => {
  test.each([...runTriggers])("%s", (trigger) => {
    expect(nextRunState(state, trigger)).toBe(table[state]?.[trigger] as never);
  });
});

test("nothing leaves a run that has ended, and every other state can end by failure and by abort", () => {
  for (const state of runStates) {
    const ways = runTriggers.filter((trigger) => nextRunState(state, trigger));
    if (isTerminalRun(state)) expect(ways).toEqual([]);
    else expect([nextRunState(state, "failed"), nextRunState(state, "aborted")]).toEqual(["failed", "aborted"]);
  }
  expect([...activeRunStates, ...terminalRunStates]).toEqual([...runStates]);
});

test("every state can be reached", () => {
  const reached = new Set<string>(["created"]);
  for (let round = 0; round < runStates.length; round++) {
    for (const state of runStates.filter((one) => reached.has(one))) {
      for (const trigger of runTriggers) reached.add(nextRunState(state, trigger) ?? state);
    }
  }
  expect([...reached].sort()).toEqual([...runStates].sort());
});

test("the state of a run follows from the kind of its phase", () => {
  expect(phaseKinds.filter((kind) => runStateFor(kind) === "planning")).toEqual(["planning"]);
});
