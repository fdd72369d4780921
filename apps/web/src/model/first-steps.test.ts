import { expect, test } from "bun:test";
import type { CommandSummary, ServerStatus } from "@devflow/protocol";
import { firstSteps } from "./first-steps.ts";

const team = { id: "01890000-0000-7000-8000-00000000000a", slug: "a", name: "Engines", role: "owner" as const };
const status = { user: { id: "u", name: "Ada" }, teams: [team] } as unknown as ServerStatus;
const commands = ["up", "doctor"].map(
  (name): CommandSummary => ({ name, summary: "", category: "Start", effect: "read", usage: "" }),
);
const states = (over: Partial<Parameters<typeof firstSteps>[0]>) =>
  Object.fromEntries(
    firstSteps({ status, repoCount: 0, memberCount: 1, changeCount: 0, commands, ...over }).map((step) => [
      step.id,
      step.state,
    ]),
  );

test("a step is done only when the data shows it", () => {
  expect(states({})).toEqual({
    server: "done",
    team: "done",
    repository: "open",
    record: "open",
    doctor: "any-time",
    backup: "any-time",
  });
  expect(states({ repoCount: 1 }).repository).toBe("done");
  expect(states({ changeCount: 1 }).record).toBe("done");
  expect(states({ status: { ...status, teams: [] } }).team).toBe("open");
});

test("only commands that this server has are shown", () => {
  const offered = firstSteps({ status, repoCount: 0, memberCount: 1, changeCount: 0, commands });
  expect(offered.find((step) => step.id === "doctor")?.command).toBe("devflow doctor");
  expect(offered.find((step) => step.id === "repository")?.command).toBe("devflow up -d --demo");
  expect(offered.find((step) => step.id === "backup")?.command).toBeUndefined();
});
