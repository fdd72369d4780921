import { expect, test } from "bun:test";
import type { RunDetail } from "@devflow/protocol";
import { progressLines } from "./progress-view.ts";

const failed = {
  ...{ step: "start_session", code: "disk_full", reason: "The disk that holds /w is full.", hint: "Free some space." },
  ...{ failures: 3, at: "2026-01-01T10:00:00.000Z", nextTryAt: "2026-01-01T10:00:05.000Z" },
};

const run = {
  ...{ id: "01890000-0000-7000-8000-000000000001", title: "Greet", template: "t@1", state: "executing", queued: false },
  ...{ repository: "/home/ada/shop", baseBranch: "main", createdAt: "2026-01-01T10:00:00.000Z", startedAt: null },
  ...{
    endedAt: null,
    cost: { usd: null, inputTokens: 0, outputTokens: 0 },
    phases: [],
    approvals: [],
    permissions: [],
    tasks: [],
  },
  stepFailure: failed,
} as unknown as RunDetail;

test("a step that failed is shown with its reason, what helps, and the next try", () => {
  const lines = progressLines(run, { nowMs: Date.parse("2026-01-01T10:00:01.500Z"), columns: 100 });
  expect(lines.slice(3).join("\n")).toMatchInlineSnapshot(`
    "
    The run cannot advance: The disk that holds /w is full.
      Free some space.
      start session failed 3 times; next try in 4 s"
  `);
});

test("a try that is due is not counted below zero", () => {
  const lines = progressLines(run, { nowMs: Date.parse("2026-01-01T10:01:00.000Z"), columns: 100 });
  expect(lines.at(-1)).toBe("  start session failed 3 times; next try now");
});
