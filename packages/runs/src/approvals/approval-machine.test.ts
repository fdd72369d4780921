import { describe, expect, test } from "bun:test";
import { approvalStates, verdicts } from "@devflow/core/enums";
import { approvalTriggers, nextApprovalState, stateOfVerdict } from "./approval-machine.ts";

/** All legal transitions of an approval. Every other pair must change nothing. */
const table: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pending: {
    approve: "approved",
    reject: "rejected",
    request_changes: "changes_requested",
    abort: "aborted",
    time_out: "paused",
    work_changed: "pending",
  },
  paused: { abort: "aborted", unpause: "pending" },
  approved: {},
  rejected: {},
  changes_requested: {},
  aborted: {},
};

describe.each([...approvalStates])("%s", (state) => {
  test.each([...approvalTriggers])("%s", (trigger) => {
    expect(nextApprovalState(state, trigger)).toBe(table[state]?.[trigger] as never);
  });
});

test("each verdict has its state, and a timeout never decides", () => {
  expect(verdicts.map(stateOfVerdict)).toEqual(["approved", "rejected", "changes_requested", "aborted"]);
  expect(nextApprovalState("pending", "time_out")).toBe("paused");
});
