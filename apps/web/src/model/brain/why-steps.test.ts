import { expect, test } from "bun:test";
import { whyCommand, whySteps } from "./why-steps.ts";

const none = { edits: [], intents: [], runs: [], decisions: [], findings: [], evals: [], ships: [] };

test("a run comes with its gates, and each step with how it is known", () => {
  const run = {
    ...{ id: "r", title: "Fix the till", state: "completed", at: "2026-11-16T08:00:00Z", how: "the edit names it" },
    gates: [{ gate: "plan_approved", state: "approved", at: "2026-11-16T07:00:00Z", comment: "Go on", by: "Grace" }],
  };
  const steps = whySteps({ ...none, runs: [run] });
  expect(steps.map(({ kind, text, quote, how }) => ({ kind, text, quote, how }))).toEqual([
    { kind: "Run", text: "Fix the till (completed)", quote: undefined, how: "the edit names it" },
    { kind: "Gate", text: "plan_approved: approved by Grace", quote: "Go on", how: "of the run" },
  ]);
});

test("the command is safe in a shell, whatever the file is called", () => {
  expect(whyCommand("src/till.ts", 2)).toBe("devflow brain why src/till.ts:2");
  expect(whyCommand("a $(rm -rf ~)'.ts", undefined)).toBe("devflow brain why 'a $(rm -rf ~)'\\''.ts'");
});
