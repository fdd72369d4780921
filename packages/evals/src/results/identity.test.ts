import { expect, test } from "bun:test";
import { autoLabel, suiteOfPath } from "./identity.ts";

test.each([
  [{ label: undefined, branch: "dev/fix-terseness", tier: "standard" }, "dev_fix-terseness"],
  [{ label: undefined, branch: "dev/fix-terseness", tier: "fast" }, "dev_fix-terseness_fast"],
  [{ label: "nightly", branch: "main", tier: "full" }, "nightly_full"],
  [{ label: "", branch: null, tier: "standard" }, "unlabelled"],
  [{ label: undefined, branch: "../../etc/passwd", tier: "standard" }, "etc_passwd"],
] as const)("%j is labelled %s", (facts, label) => {
  expect(autoLabel(facts)).toBe(label);
});

test("the suite is taken from the file's name unless the name is generic", () => {
  expect(suiteOfPath("/x/billing.eval.json")).toBe("billing");
  expect(suiteOfPath("/x/results.json")).toBe("default");
  expect(suiteOfPath("eval-results.jsonl")).toBe("default");
  expect(suiteOfPath(null)).toBe("default");
});
