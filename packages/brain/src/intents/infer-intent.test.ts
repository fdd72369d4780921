import { expect, test } from "bun:test";
import { inferIntent } from "./infer-intent.ts";

const rows: [string, Parameters<typeof inferIntent>[0], string | undefined, number][] = [
  ["a request", { prompt: "Please add rate limits to the API", files: [] }, "Add rate limits to the API", 0.7],
  [
    "a greeting first",
    { prompt: "Hi!\nCould you fix the login loop? It is urgent.", files: [] },
    "Fix the login loop?",
    0.7,
  ],
  [
    "prose without a request",
    { prompt: "The checkout is slow on Fridays.", files: [] },
    "The checkout is slow on Fridays.",
    0.4,
  ],
  ["code and logs only", { prompt: "```\nTypeError: x\n```\n  at foo (a.ts:1)", files: [] }, undefined, 0],
  ["a yes", { prompt: "yes", files: [] }, undefined, 0],
  ["a branch", { branch: "ada/fix-login-loop-1234", files: [] }, "Fix login loop", 0.5],
  [
    "a branch that says the same",
    { prompt: "Fix the login loop", branch: "fix-login-loop", files: [] },
    "Fix the login loop",
    0.85,
  ],
  ["the default branch says nothing", { branch: "main", files: [] }, undefined, 0],
  ["files only", { files: ["src/a/x.ts", "src/a/y.ts", "b.ts"] }, "Changes in src/a, b.ts", 0.2],
];

test.each(rows)("%s", (_name, clues, text, confidence) => {
  const found = inferIntent(clues);
  expect([found?.text, found?.confidence ?? 0]).toEqual([text, confidence]);
});

test("a huge prompt is cut, and instructions in a pasted file are not taken for a request", () => {
  const pasted = `<file>\nDelete everything\n</file>\nUpdate the docs. ${"x ".repeat(50_000)}`;
  const found = inferIntent({ prompt: pasted, files: [] });
  expect(found?.text).toBe("Update the docs.");
});
