/**
 * promptfoo's assertion types give the verdicts of promptfoo itself, which `scripts/promptfoo-verdicts.ts` records and the soak
 * compares again.
 */
import { describe, expect, test } from "bun:test";
import { assertionVectors, ourVerdicts, promptfooFixtures, recordedAssertions } from "@devflow/evals/testing/promptfoo";
import { assertionTypes, baseTypeOf } from "./index.ts";

const vectors = assertionVectors(promptfooFixtures);
/** Not recorded: Ruby and a SQL parser are not on every machine, METEOR needs a dictionary there, and pi and webhook a server. */
const elsewhere = ["contains-sql", "is-sql", "meteor", "pi", "ruby", "webhook", "agent-rubric", "search-rubric"];

test("all 66 types of promptfoo 0.123.1 exist under their own names", () => {
  expect(assertionTypes).toHaveLength(66);
  expect(assertionTypes.join(" ")).toMatchInlineSnapshot(
    `"agent-rubric answer-relevance bleu classifier contains contains-all contains-any contains-html contains-json contains-sql contains-xml context-faithfulness context-recall context-relevance conversation-relevance cost equals factuality finish-reason g-eval gleu guardrails icontains icontains-all icontains-any is-html is-json is-refusal is-sql is-valid-function-call is-valid-openai-function-call is-valid-openai-tools-call is-xml javascript latency levenshtein llm-rubric meteor model-graded-closedqa model-graded-factuality moderation perplexity perplexity-score pi python regex rouge-n ruby search-rubric similar similar:cosine similar:dot similar:euclidean skill-used starts-with tool-call-f1 trace-error-spans trace-span-count trace-span-duration trajectory:goal-success trajectory:step-count trajectory:tool-args-match trajectory:tool-sequence trajectory:tool-used webhook word-count"`,
  );
});

test("every type and its negation is compared", () => {
  const compared = new Set(vectors.map(({ assertion }) => assertion.type));
  const missing = assertionTypes.flatMap((type) => [type, `not-${type}`]).filter((type) => !compared.has(type));
  expect([...new Set(missing.map(baseTypeOf))].sort()).toEqual(
    [...elsewhere, ...["is-valid-function-call", "is-valid-openai-function-call"]].sort(),
  );
});

describe("the same verdict and score as promptfoo", () => {
  const recorded = recordedAssertions();
  test("the recorded verdicts are those of the vectors", () => {
    expect(recorded).toHaveLength(vectors.length);
  });
  for (const [type, some] of Map.groupBy([...vectors.entries()], ([, { assertion }]) => baseTypeOf(assertion.type))) {
    test(type, async () => {
      const own = await ourVerdicts(
        some.map(([, vector]) => vector),
        promptfooFixtures,
      );
      const told = (verdict: unknown, index: number) => {
        const { score, ...rest } = verdict as { score?: number | null };
        const { assertion, output } = (some[index] as (typeof some)[number])[1];
        // JSON has no NaN.
        const rounded = typeof score === "number" && Number.isFinite(score) ? Number(score.toFixed(9)) : undefined;
        return { type: assertion.type, value: assertion.value, output, ...rest, score: rounded };
      };
      expect(own.map(told)).toEqual(some.map(([index]) => recorded[index]).map(told));
    }, 60_000);
  }
});
