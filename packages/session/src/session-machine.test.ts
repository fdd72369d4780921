import { expect, test } from "bun:test";
import { isTerminalSession, sessionStates } from "@devflow/core/enums";
import { nextSessionState, sessionTriggers } from "./session-machine.ts";

test("every session that has not ended can be disposed of", () => {
  for (const state of sessionStates.filter((one) => !isTerminalSession(one)))
    expect(nextSessionState(state, "disposed")).toBe("DISPOSED");
});

test("an ended session changes no more, except for one that a person has started again", () => {
  const after = sessionTriggers.map((trigger) => nextSessionState("DISPOSED", trigger));
  expect(after.filter(Boolean)).toEqual([]);
  const failed = sessionTriggers.filter((trigger) => nextSessionState("FAILED_NEEDS_HUMAN", trigger));
  expect(failed).toEqual(["restarted"]);
});

test("every failure leads to a recovery or to a person", () => {
  for (const state of ["ARTIFACT_TIMEOUT", "HUNG", "CRASHED"] as const) {
    expect(nextSessionState(state, "resuming")).toBe("RESUMING");
  }
  expect(nextSessionState("RESUMING", "rebootstrapped")).toBe("REBOOTSTRAPPED");
});
