import { expect, test } from "bun:test";
import type { RunDetail } from "@devflow/protocol";
import { laneLines } from "./lane-lines.ts";

type Task = RunDetail["tasks"][number];
const lane: NonNullable<Task["lane"]> = {
  ...{ runId: "01a1f081-57b0-76a1-9a71-3e36006cae06", state: "executing", queued: false, branch: "devflow/a" },
  ...{ worktree: "/a", host: "one", machine: "one", phase: "implement", questions: 0 },
};
const task = (changes: Partial<typeof lane>): Task => ({
  ...{ id: "a", title: "Greet", state: "working", dependsOn: [], writeSet: [], tests: [], reason: null },
  ...{ tries: 1, order: null, mergeCommit: null, collisions: [], lane: { ...lane, ...changes } },
});
const stateOf = (changes: Partial<typeof lane>) => laneLines({ tasks: [task(changes)], host: "one" })[1];

test("a lane that is paused is not shown as if it worked; one that asks is paused too, and asks", () => {
  expect(stateOf({})).toContain(" implement ");
  expect(stateOf({ state: "paused" })).toContain(" paused ");
  expect(stateOf({ state: "paused", questions: 1 })).toContain(" asks ");
});
