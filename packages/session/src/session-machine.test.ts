import { describe, expect, test } from "bun:test";
import { isTerminalSession, sessionStates } from "@devflow/core/enums";
import { nextSessionState, sessionTriggers } from "./session-machine.ts";

/** All legal transitions of a session. Every other pair must change nothing. */
const table: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  BOOTSTRAPPING: { ready: "READY", died: "CRASHED", exhausted: "FAILED_NEEDS_HUMAN", disposed: "DISPOSED" },
  READY: { prompted: "BUSY", died: "CRASHED", exhausted: "FAILED_NEEDS_HUMAN", disposed: "DISPOSED" },
  BUSY: {
    prompted: "BUSY",
    restored: "BUSY",
    idle: "READY",
    permission_requested: "WAITING_FOR_APPROVAL",
    artifact_timed_out: "ARTIFACT_TIMEOUT",
    went_silent: "HUNG",
    died: "CRASHED",
    exhausted: "FAILED_NEEDS_HUMAN",
    disposed: "DISPOSED",
  },
  WAITING_FOR_APPROVAL: {
    prompted: "BUSY",
    idle: "READY",
    permission_answered: "BUSY",
    artifact_timed_out: "ARTIFACT_TIMEOUT",
    died: "CRASHED",
    exhausted: "FAILED_NEEDS_HUMAN",
    disposed: "DISPOSED",
  },
  ARTIFACT_TIMEOUT: { died: "CRASHED", resuming: "RESUMING", exhausted: "FAILED_NEEDS_HUMAN", disposed: "DISPOSED" },
  HUNG: { died: "CRASHED", resuming: "RESUMING", exhausted: "FAILED_NEEDS_HUMAN", disposed: "DISPOSED" },
  CRASHED: { resuming: "RESUMING", exhausted: "FAILED_NEEDS_HUMAN", disposed: "DISPOSED" },
  RESUMING: {
    ready: "READY",
    died: "CRASHED",
    rebootstrapped: "REBOOTSTRAPPED",
    exhausted: "FAILED_NEEDS_HUMAN",
    disposed: "DISPOSED",
  },
  REBOOTSTRAPPED: { ready: "READY", died: "CRASHED", exhausted: "FAILED_NEEDS_HUMAN", disposed: "DISPOSED" },
  FAILED_NEEDS_HUMAN: { restarted: "BOOTSTRAPPING", disposed: "DISPOSED" },
  DISPOSED: {},
};

describe.each([...sessionStates])("%s", (state) => {
  test.each([...sessionTriggers])("%s", (trigger) => {
    expect(nextSessionState(state, trigger)).toBe(table[state]?.[trigger] as never);
  });
});

test("every session that has not ended can be given up and can be disposed of", () => {
  for (const state of sessionStates.filter((one) => !isTerminalSession(one))) {
    expect([nextSessionState(state, "exhausted"), nextSessionState(state, "disposed")]).toEqual([
      "FAILED_NEEDS_HUMAN",
      "DISPOSED",
    ]);
  }
});

test("every failure leads to a recovery or to a person", () => {
  for (const state of ["ARTIFACT_TIMEOUT", "HUNG", "CRASHED"] as const) {
    expect(nextSessionState(state, "resuming")).toBe("RESUMING");
  }
  expect(nextSessionState("RESUMING", "rebootstrapped")).toBe("REBOOTSTRAPPED");
});
