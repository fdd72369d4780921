import { describe, expect, test } from "bun:test";
import { approvalId, runDetail, runEvent } from "../../../tests/run-fixture.ts";
import { applyEvent, currentDetail } from "./apply-event.ts";

const asked = runEvent(11, "approval.requested", {
  approval: approvalId,
  gate: "plan_approved",
  kind: "gate",
  phase: "plan",
  attempt: 1,
});

test("an event that the server's response already includes changes nothing", () => {
  const detail = runDetail();
  expect(applyEvent(detail, runEvent(10, "run.failed", { reason: "no" }))).toBe(detail);
});

test("a gate that opens is on the page with its phase, and the run needs approval", () => {
  const detail = applyEvent(runDetail(), asked);
  expect(detail.state).toBe("awaiting_approval");
  expect(detail.pendingApprovals).toBe(1);
  expect(detail.phases[0]?.state).toBe("awaiting_approval");
  expect(detail.approvals).toMatchObject([
    // The epoch must match the server's next response: a different one would be a different question.
    { id: approvalId, gate: "plan_approved", phase: "plan", state: "pending", epoch: 1, runTitle: "Greet in German" },
  ]);
});

test("a decision has its actor and comment", () => {
  const detail = currentDetail(runDetail(), [
    asked,
    runEvent(12, "approval.resolved", { approval: approvalId, verdict: "request_changes", comment: "Tests first" }),
  ]);
  expect(detail.pendingApprovals).toBe(0);
  expect(detail.approvals[0]).toMatchObject({
    state: "changes_requested",
    decision: { verdict: "request_changes", comment: "Tests first", actor: { kind: "human", via: "web" } },
  });
});

test("a gate that is opened again after a pause stays one gate", () => {
  const again = { approval: approvalId, gate: "plan_approved", kind: "gate", phase: "plan", epoch: 2 };
  const detail = currentDetail(runDetail(), [asked, runEvent(12, "approval.requested", again)]);
  expect(detail.approvals).toHaveLength(1);
  expect(detail.approvals[0]).toMatchObject({ epoch: 2, state: "pending" });
});

test("a second attempt restarts the phase and keeps its first start time", () => {
  const detail = currentDetail(runDetail(), [
    runEvent(11, "phase.failed", { phase: "plan", attempt: 1, reason: "invalid" }),
    runEvent(12, "phase.started", { phase: "plan", attempt: 2, runState: "planning" }),
  ]);
  expect(detail.phases[0]).toMatchObject({
    state: "running",
    attempts: 2,
    reason: null,
    endedAt: null,
    startedAt: "2026-01-01T10:00:00.000Z",
  });
  expect(detail.phase).toEqual({ key: "plan", title: "PLAN", seq: 1, of: 2, attempt: 2 });
});

describe("pausing", () => {
  test("a resumed run continues in its phase", () => {
    const paused = applyEvent(runDetail(), runEvent(11, "run.paused", { cause: "manual:1" }));
    expect(paused).toMatchObject({ state: "paused", pauseCause: "manual:1" });
    expect(applyEvent(paused, runEvent(12, "run.resumed", { cause: "manual:1" }))).toMatchObject({
      state: "planning",
      pauseCause: null,
    });
  });

  test("a run that was paused at a gate waits there again", () => {
    const detail = currentDetail(runDetail(), [
      asked,
      runEvent(12, "run.paused", { cause: "manual:1" }),
      runEvent(13, "run.resumed", { cause: "manual:1" }),
    ]);
    expect(detail.state).toBe("awaiting_approval");
  });
});

test("each way to end has its reason", () => {
  expect(applyEvent(runDetail(), runEvent(11, "run.completed"))).toMatchObject({ state: "completed" });
  expect(applyEvent(runDetail(), runEvent(11, "run.failed", { reason: "rejected" }))).toMatchObject({
    state: "failed",
    failureReason: "rejected",
    endedAt: "2026-01-01T10:05:00.000Z",
  });
  expect(applyEvent(runDetail(), runEvent(11, "run.aborted", { reason: "by hand" }))).toMatchObject({
    state: "aborted",
  });
});

test("unknown payloads and event types of a newer server are ignored", () => {
  const odd = [
    runEvent(11, "phase.started", { phase: 7, attempt: "x" }),
    runEvent(12, "approval.resolved", { approval: null, verdict: "perhaps" }),
    runEvent(13, "something.new", { any: { thing: true } }),
  ];
  expect(currentDetail(runDetail(), odd)).toEqual({
    ...runDetail(),
    eventSeq: 13,
    updatedAt: "2026-01-01T10:05:00.000Z",
  });
});
