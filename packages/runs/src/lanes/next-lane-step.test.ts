/** What a parent and its lanes do next, row by row. */
import { describe, expect, test } from "bun:test";
import type { PhaseRow, TaskRow } from "../engine/rows.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { kinStep, laneStep } from "./next-lane-step.ts";
import { nextTaskState, taskTransitions, taskTriggers } from "./task-machine.ts";

const phase = { id: "p", phase_key: "lanes" } as PhaseRow;
const task = (id: string, state: TaskRow["state"], more: Partial<TaskRow> = {}): TaskRow => ({
  ...({ phase_id: "p", task_id: id, depends_on: [], merge_order: null, lane: null } as unknown as TaskRow),
  state,
  ...more,
});
const open = { closed: false } as TaskRow["lane"];
const closed = { closed: true } as TaskRow["lane"];

const parentWith = (tasks: TaskRow[], more: object = {}): Snapshot =>
  ({
    tasks,
    approvals: [],
    parent: null,
    run: { max_usd: null, max_tokens: null, budget_grants: 0 },
    spent: { usd: 0, tokens: 0 },
    template: { phases: [{ key: "lanes", lanes: { from: "x", template: "y@1", most: 2 } }] },
    ...more,
  }) as unknown as Snapshot;
const asking = (gate: string) => ({ approvals: [{ phase_id: "p", gate_key: gate, state: "pending" }] });

describe("the next step of a parent", () => {
  test.each<[string, TaskRow[], object, unknown]>([
    ["no tasks yet", [], {}, { kind: "plan_lanes" }],
    [
      "a lane that ended",
      [task("a", "working", { lane: closed }), task("b", "waiting")],
      {},
      { kind: "take_lane", task: "a" },
    ],
    ["a lane whose run is gone", [task("a", "working")], {}, { kind: "take_lane", task: "a" }],
    [
      "room for another",
      [task("a", "working", { lane: open }), task("b", "waiting")],
      {},
      { kind: "start_lane", task: "b" },
    ],
    [
      "no room",
      [task("a", "working", { lane: open }), task("b", "working", { lane: open }), task("c", "waiting")],
      {},
      { kind: "wait_for_lanes" },
    ],
    [
      "a dependency that is merged but not tested",
      [task("a", "merged"), task("b", "waiting", { depends_on: ["a"] })],
      {},
      { kind: "test_merge", task: "a" },
    ],
    [
      "a merge that is not applied",
      [task("a", "merging"), task("b", "finished")],
      {},
      { kind: "apply_merge", task: "a" },
    ],
    [
      "the lane that completed first",
      [task("a", "finished", { merge_order: 2 }), task("b", "finished", { merge_order: 1 })],
      {},
      { kind: "merge_lane", task: "b" },
    ],
    [
      "a failed one before merging others",
      [task("a", "failed"), task("b", "finished")],
      {},
      { kind: "ask_about_lane", task: "a" },
    ],
    ["all is done", [task("a", "done"), task("b", "dropped")], {}, { kind: "settle_lanes" }],
    [
      "before the tasks are approved",
      [task("a", "waiting")],
      asking("parallel_dag_approved"),
      { kind: "wait_for_person" },
    ],
    ["a question stops merging", [task("a", "finished")], asking("merge_conflict"), { kind: "wait_for_person" }],
    [
      "but no lane",
      [task("a", "finished"), task("b", "waiting")],
      asking("merge_conflict"),
      { kind: "start_lane", task: "b" },
    ],
    [
      "the pot is empty",
      [task("a", "waiting")],
      { run: { max_usd: 1, max_tokens: null, budget_grants: 0 }, spent: { usd: 1, tokens: 0 } },
      { kind: "over_budget" },
    ],
  ])("%s", (_name, tasks, more, expected) => {
    expect(laneStep(parentWith(tasks, more), phase)).toEqual(expected as ReturnType<typeof laneStep>);
  });
});

describe("what a lane does because of its parent", () => {
  const lane = (state: string, cause: string | null, parent: object, spent = 0): Snapshot =>
    ({
      run: { state, pause_cause: cause, max_usd: null, max_tokens: null, budget_grants: 0 },
      parent: {
        state: "executing",
        paused_seq: 7,
        paused_hard: false,
        max_usd: 1,
        max_tokens: null,
        budget_grants: 0,
        ...parent,
      },
      spent: { usd: spent, tokens: 0 },
    }) as unknown as Snapshot;

  test.each<[string, Snapshot, unknown]>([
    ["both work", lane("executing", null, {}), undefined],
    ["no parent", { ...lane("executing", null, {}), parent: null }, undefined],
    [
      "the parent pauses",
      lane("executing", null, { state: "paused" }),
      { kind: "pause_lane", cause: "parent:7", hard: false },
    ],
    [
      "and interrupts",
      lane("executing", null, { state: "paused", paused_hard: true }),
      { kind: "pause_lane", cause: "parent:7", hard: true },
    ],
    ["nothing to pause yet", lane("created", null, { state: "paused" }), undefined],
    ["both are paused", lane("paused", "parent:7", { state: "paused" }), undefined],
    ["the parent goes on", lane("paused", "parent:7", {}), { kind: "resume_lane", cause: "parent:7:over" }],
    ["a person paused the lane", lane("paused", "command:x", {}), undefined],
    ["the parent ended", lane("executing", null, { state: "failed" }), { kind: "abort_lane" }],
    ["also before it began", lane("created", null, { state: "aborted" }), { kind: "abort_lane" }],
    ["it ended first", lane("completed", null, { state: "aborted" }), undefined],
    ["the pot is overdrawn", lane("executing", null, {}, 1.2), { kind: "pause_lane", cause: "budget:0", hard: true }],
    [
      "and filled again",
      lane("paused", "budget:0", { budget_grants: 1 }, 1.2),
      { kind: "resume_lane", cause: "budget:0:over" },
    ],
  ])("%s", (_name, snapshot, expected) => {
    expect(kinStep(snapshot)).toEqual(expected as ReturnType<typeof kinStep>);
  });
});

test("only these transitions of a task are legal", () => {
  const legal = Object.entries(taskTransitions).flatMap(([state, row]) =>
    taskTriggers.flatMap((trigger) => (row[trigger] ? [`${state} ${trigger} ${row[trigger]}`] : [])),
  );
  expect(legal).toEqual([
    "waiting started working",
    "waiting dropped dropped",
    "working completed finished",
    "working lane_failed failed",
    "finished merge_made merging",
    "finished merged_by_hand merged",
    "finished nothing_changed done",
    "finished again waiting",
    "finished dropped dropped",
    "merging merge_applied merged",
    "merging merge_lost finished",
    "merged tests_passed done",
    "failed again waiting",
    "failed dropped dropped",
  ]);
  expect(nextTaskState("done", "again")).toBeUndefined();
});
