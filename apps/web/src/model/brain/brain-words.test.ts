import { expect, test } from "bun:test";
import { agentName, decisionName, heatOf } from "./brain-words.ts";

test("a decision without a number is named by the end of its id", () => {
  expect(decisionName({ number: 12, id: "x" })).toBe("#12");
  expect(decisionName({ number: null, id: "019a1b2c-0000-7000-8000-0000deadbeef" })).toBe("deadbeef");
});

test("a file in which two agents meet is hotter than one that a single agent edits as often", () => {
  const most = 20;
  expect(heatOf({ edits: 10, agents: 2 }, most)).toBeGreaterThan(heatOf({ edits: 10, agents: 1 }, most));
  expect(heatOf({ edits: 0, agents: 0 }, 0)).toBe(0);
});

test("an agent is named by its host, and by a name of its own if it has one", () => {
  expect(agentName({ host: "claude", handle: "Ada", user_name: "Ada" })).toBe("claude");
  expect(agentName({ host: "claude", handle: null, user_name: "Ada" })).toBe("claude");
  expect(agentName({ host: "run", handle: "coder", user_name: "Ada" })).toBe("run (coder)");
});
