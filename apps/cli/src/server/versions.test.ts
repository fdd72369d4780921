import { expect, test } from "bun:test";
import { compareVersions, decideEncounter } from "./versions.ts";

test("a newer client restarts an idle server; an older one, or a busy server, gets a warning; nobody downgrades", () => {
  expect(decideEncounter("1.2.0", "1.2.0", [])).toBe("use");
  expect(decideEncounter("1.2.1", "1.2.0", [])).toBe("restart");
  expect(decideEncounter("1.2.1", "1.2.0", ["1 run"])).toBe("warn busy server");
  expect(decideEncounter("1.2.0", "1.10.0", [])).toBe("warn older client");
});

test("versions compare by number, a pre-release before its release", () => {
  expect(compareVersions("1.10.0", "1.9.9")).toBe(1);
  expect(compareVersions("2.0.0-beta.1", "2.0.0")).toBe(-1);
  expect(compareVersions("2.39", "2.39.0")).toBe(0);
});
