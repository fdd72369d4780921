import { expect, test } from "bun:test";
import { pathsIn } from "./files-in-question.ts";

test("what looks like a path is found in prose and in JSON, each once, and nothing outside the repository", () => {
  const text =
    'Fix src/till.ts, then `README.md` and {"file":"apps/cli/src/main.ts","line":3}. See ../secret.txt, e.g. src/till.ts.';
  expect(pathsIn(text)).toEqual(["src/till.ts", "README.md", "apps/cli/src/main.ts", "e.g"]);
  expect(pathsIn("nothing here")).toEqual([]);
  expect(pathsIn(`${"a/".repeat(200)}b.ts`)).toEqual([]);
});
