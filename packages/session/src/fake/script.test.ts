import { expect, test } from "bun:test";
import { parseFakeScript } from "./script.ts";
import { stepFor } from "./steps.ts";

const asked = { phaseKey: "plan", roleId: "architect", attempt: 1, instructions: "Plan it.\nScenario: slow\n" };
const scenario = (script: unknown, attempt = 1, roleId = "architect") =>
  stepFor(parseFakeScript(script), { ...asked, attempt, roleId }).scenario;

test("the role's entry takes precedence over the phase's, that over the instructions; the default is ok", () => {
  expect(scenario({ plan: "crash", "plan/architect": "invalid" })).toBe("invalid");
  expect(scenario({ plan: "crash", "plan/architect": "invalid" }, 1, "coder")).toBe("crash");
  expect(scenario({})).toBe("slow");
  expect(stepFor({}, { ...asked, instructions: "Plan it." }).scenario).toBe("ok");
});

test("a list has one entry per attempt, and its last one stays", () => {
  const script = { plan: ["invalid", { delayMs: 7 }] };
  expect([1, 2, 3].map((attempt) => scenario(script, attempt))).toEqual(["invalid", "ok", "ok"]);
});

test("an unknown scenario is refused when the script is parsed", () => {
  expect(() => parseFakeScript({ plan: "explode" })).toThrow();
  expect(() => parseFakeScript({ plan: [] })).toThrow();
});
