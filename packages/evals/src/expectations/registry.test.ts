import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { examplesOf } from "../../testing/expectation-examples.ts";
import type { CheckedCase } from "./output-reader.ts";
import { checkExpectation, expectationTypes, parseExpectation } from "./registry.ts";

const caseOf = (input: Record<string, unknown> = {}, severityOrder?: CheckedCase["severityOrder"]): CheckedCase => ({
  name: "an example",
  input,
  severityOrder,
});

test("there are 78 types with distinct names", () => {
  expect(expectationTypes.length).toBe(78);
  expect(new Set(expectationTypes.map(({ type }) => type)).size).toBe(78);
});

for (const { type, judged } of expectationTypes) {
  const { examples, refuses } = examplesOf(type);
  describe(type, () => {
    examples.forEach((example, index) => {
      test(`example ${index + 1}: ${example.is}${example.says ? `, "${example.says}"` : ""}`, () => {
        const expectation = { type, ...example.given };
        expect(parseExpectation(expectation)?.success).toBe(true);
        const given = caseOf(example.input, example.severityOrder);
        const outcome = checkExpectation(expectation, example.output, given, example.judgement);
        expect(`${outcome.status}: ${outcome.message}`).toStartWith(`${example.is}: `);
        if (example.says) expect(`${outcome.message} ${outcome.place ?? ""}`).toContain(example.says);
        if (outcome.status === "fail") expect(outcome.place).toBeString();
        expect(outcome.expected).not.toBeUndefined();
        expect(outcome.actual).not.toBeUndefined();
        expect(outcome.message).not.toBe("");
      });
    });
    refuses.forEach(({ given, refused }) => {
      test(`refused at load: ${JSON.stringify(given)}`, () => {
        const parsed = parseExpectation({ type, ...given });
        expect(parsed?.success).toBe(false);
        expect(parsed?.error ? z.prettifyError(parsed.error) : "").toContain(refused);
      });
    });
    test("has examples that pass and fail, and documents what it reads", () => {
      const kinds = new Set(examples.map(({ is }) => is));
      expect(kinds.has("pass") && kinds.has("fail")).toBe(true);
      if (judged) expect(kinds.has("error")).toBe(true);
    });
    test("a missing output fails, and never passes", () => {
      const first = examples.find(({ is }) => is === "pass");
      for (const output of [null, undefined, 7, [], true]) {
        const outcome = checkExpectation({ type, ...first?.given }, output, caseOf(first?.input), first?.judgement);
        expect(outcome.status).toBe("fail");
      }
    });
  });
}

test("an output without fields fails every type but field_missing and quality_check, which asks its judge", () => {
  const passing = expectationTypes.filter(({ type }) => {
    const first = examplesOf(type).examples.find(({ is }) => is === "pass");
    return checkExpectation({ type, ...first?.given }, {}, caseOf(first?.input), first?.judgement).status !== "fail";
  });
  expect(passing.map(({ type }) => type)).toEqual(["field_missing", "quality_check"]);
});

test("an unknown type is an error that suggests the nearest name", () => {
  expect(checkExpectation({ type: "body_contain" }, "x", caseOf())).toMatchObject({
    status: "error",
    message: 'unknown expectation "body_contain"; did you mean body_contains?',
  });
});

test("an unknown key is refused", () => {
  for (const { type } of expectationTypes) {
    expect(parseExpectation({ type, ...examplesOf(type).examples[0]?.given, surprise: 1 })?.success).toBe(false);
  }
});
