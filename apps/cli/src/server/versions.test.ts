import { expect, test } from "bun:test";
import { decideEncounter } from "./versions.ts";

test("a newer client restarts an idle server; an older client or a busy server gives a warning; nothing is downgraded", () => {
  expect(decideEncounter("1.2.0", "1.2.0", [])).toBe("use");
  expect(decideEncounter("1.2.1", "1.2.0", [])).toBe("restart");
  expect(decideEncounter("1.2.1", "1.2.0", ["1 run"])).toBe("warn busy server");
  expect(decideEncounter("1.2.0", "1.10.0", [])).toBe("warn older client");
  expect(decideEncounter("1.2.0-beta.11", "1.2.0-beta.2", [])).toBe("restart");
});
