import { expect, test } from "bun:test";
import { uuidv5 } from "@devflow/core/ids";
import { answerId, readGate, verdictRecord } from "./gate-verdict.ts";

const gate = {
  ...{ run_id: "019a1b2c-0000-7000-8000-000000000001", request_id: "019a1b2c-0000-7000-8000-000000000002" },
  ...{ epoch: 3, diff_hash: "abc", state: "pending" as const },
};

test("a verdict carries what was shown, and sorts by time", () => {
  const early = verdictRecord(gate, { action: "approve", comment: " " }, 1_000);
  const late = verdictRecord(gate, { action: "reject", comment: "no" }, 2_000);
  expect(early.id < late.id).toBe(true);
  expect(early.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const { state: _state, ...shown } = gate;
  expect(early.payload).toEqual({ ...shown, action: "approve" });
  expect(late.payload).toEqual({ ...shown, action: "reject", comment: "no" });
});

test("its answer is found under the id that the machine of the run gives it", async () => {
  const { id } = verdictRecord(gate, { action: "approve", comment: "" }, Date.now());
  expect(await answerId(id)).toBe(uuidv5(id, "answer"));
});

test("only a gate that waits can be decided", () => {
  expect(readGate({ kind: "approval_request", payload: gate })).toMatchObject({ epoch: 3 });
  expect(readGate({ kind: "approval_request", payload: { ...gate, state: "decided" } })).toBeUndefined();
  expect(readGate({ kind: "ship_log", payload: gate })).toBeUndefined();
});
