import { expect, test } from "bun:test";
import { type PastEvent, reachedPhases, stateBefore } from "./state-before.ts";

const keys = ["plan", "implement", "test", "review", "verify", "fix"];

/** Events in order, a second apart. */
function log(...events: readonly (readonly [string, Record<string, unknown>])[]): PastEvent[] {
  return events.map(([type, payload], index) => ({
    seq: index + 1,
    type,
    payload,
    at: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
  }));
}
const phase = (type: "started" | "completed" | "failed" | "skipped", key: string, attempt = 1) =>
  [`phase.${type}`, { phase: key, attempt }] as const;
const file = (key: string, attempt: number, hash: string) =>
  ["artifact.validated", { phase: key, role: "r", attempt, path: `/o/${key}.json`, hash, schema: "s" }] as const;
const commit = (key: string, name: string) => ["commit.created", { phase: key, attempt: 1, commit: name }] as const;

const looped = log(
  ["run.created", {}],
  phase("started", "plan"),
  file("plan", 1, "p1"),
  file("plan", 2, "p2"),
  phase("completed", "plan", 2),
  phase("started", "implement"),
  file("implement", 1, "i1"),
  commit("implement", "c1"),
  phase("completed", "implement"),
  phase("started", "test"),
  phase("failed", "test"),
  phase("started", "implement", 2),
  commit("implement", "c2"),
  phase("completed", "implement", 2),
  phase("started", "test", 2),
  phase("completed", "test", 2),
  phase("started", "review"),
);

test("before the first phase there is nothing", () => {
  expect(stateBefore(looped, keys, "plan")).toEqual({
    at: "2026-01-01T00:00:01.000Z",
    commit: undefined,
    phases: [],
    artifacts: [],
    findings: { last: null, verdicts: new Map(), waived: new Set() },
  });
});

test("a phase that was repeated counts from its first start, and the others up to then", () => {
  const state = stateBefore(looped, keys, "test");
  expect(state?.commit).toBe("c1");
  expect(state?.phases.map(({ key, state: is, attempts }) => [key, is, attempts])).toEqual([
    ["plan", "completed", 2],
    ["implement", "completed", 1],
  ]);
});

test("only the last valid file of a phase is taken", () => {
  const files = stateBefore(looped, keys, "implement")?.artifacts;
  expect(files?.map(({ phase: key, hash }) => [key, hash])).toEqual([["plan", "p2"]]);
});

test("after a loop the state is that of the last round", () => {
  const state = stateBefore(looped, keys, "review");
  expect([state?.commit, state?.phases.map((one) => one.attempts)]).toEqual(["c2", [2, 2, 2]]);
});

test("a phase that the run did not come to cannot be a beginning", () => {
  expect(stateBefore(looped, keys, "verify")).toBeUndefined();
  expect(stateBefore(looped, keys, "nothing")).toBeUndefined();
  expect(reachedPhases(looped, keys)).toEqual(["plan", "implement", "test", "review"]);
});

test("phases that were skipped because the run ended were not reached", () => {
  const aborted = log(
    phase("started", "plan"),
    phase("failed", "plan"),
    phase("skipped", "implement", 0),
    phase("skipped", "test", 0),
  );
  expect(reachedPhases(aborted, keys)).toEqual(["plan"]);
});

test("findings are as the last review and the verifier left them", () => {
  const batch = (reviewer: string, attempt: number, findings: string[]) =>
    ["review.batch_recorded", { phase: "review", reviewer, attempt, findings }] as const;
  const verdict = (finding: string, status: string) =>
    ["finding.verifier_resolved", { finding, status, reason: null }] as const;
  const events = log(
    ...keys.slice(0, 3).flatMap((key) => [phase("started", key), phase("completed", key)]),
    phase("started", "review"),
    batch("a", 1, ["one"]),
    verdict("id-1", "confirmed"),
    batch("a", 2, ["two"]),
    batch("b", 2, ["two", "three"]),
    phase("completed", "review", 2),
    phase("started", "verify"),
    verdict("id-2", "rejected"),
    ["finding.waived", { finding: "id-3", reason: "known" }],
    phase("completed", "verify"),
    phase("started", "fix"),
    verdict("id-3", "confirmed"),
  );
  const findings = stateBefore(events, keys, "fix")?.findings;
  expect([...(findings?.last?.keys ?? [])]).toEqual(["two", "three"]);
  expect([...(findings?.verdicts ?? [])]).toEqual([["id-2", { status: "rejected", reason: null }]]);
  expect([...(findings?.waived ?? [])]).toEqual(["id-3"]);
});

test("a fork of a fork begins with what the first one brought along", () => {
  const carried = {
    from: "origin",
    at: "implement",
    commit: "c0",
    phases: [{ key: "plan", state: "completed", attempts: 2, reason: null, startedAt: null, endedAt: "then" }],
    artifacts: [{ phase: "plan", role: "r", attempt: 2, path: "/f/plan.json", hash: "p2" }],
  };
  const events = log(["run.created", {}], ["run.forked", carried], phase("started", "implement"));
  const state = stateBefore(events, keys, "implement");
  expect(state).toMatchObject({ commit: "c0", phases: carried.phases, artifacts: carried.artifacts });
  // The event in the log of an origin has no state.
  expect(
    stateBefore(log(["run.forked", { fork: "f", at: "plan" }], phase("started", "plan")), keys, "plan")?.commit,
  ).toBe(undefined);
});
