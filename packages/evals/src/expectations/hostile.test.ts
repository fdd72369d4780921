import { expect, test } from "bun:test";
import fc from "fast-check";
import { examplesOf } from "../../testing/expectation-examples.ts";
import { outcomeStatuses } from "./outcome.ts";
import { compilePattern, PatternFault } from "./pattern.ts";
import { checkExpectation, expectationTypes } from "./registry.ts";

/** Every member that some type reads, so that random outputs get past the first check. */
const keys = [
  ...["body", "response", "structured_content", "text", "title", "tldr", "subject", "reasoning", "tool_calls", "score"],
  ...["items", "commentary", "commentaries", "questions", "channel", "worthy", "pass", "comment_type", "memories"],
  ...[
    "clusters",
    "groups",
    "stories",
    "chunks",
    "tweets",
    "thread",
    "selected_images",
    "images",
    "content",
    "concepts",
  ],
  ...["sections", "outline", "source_audit", "extracted_fields", "read_time", "content_type", "bias_score", "subtitle"],
];
const inner = [
  "name",
  "input",
  "members",
  "severity",
  "id",
  "theme",
  "score",
  "evidence",
  "articles",
  "text",
  "sources",
];
const leaf = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    "?",
    "## TL;DR",
    "https://a.example/x)",
    "Best,",
    "red",
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -0,
  ),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined),
);
const item = fc.oneof(leaf, fc.dictionary(fc.constantFrom(...inner), fc.oneof(leaf, fc.array(leaf, { maxLength: 4 }))));
const value = fc.oneof(leaf, fc.array(item, { maxLength: 5 }), fc.dictionary(fc.constantFrom(...inner, ...keys), item));
const output = fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 12 }));

test("no type throws for any output, and every outcome is complete", () => {
  const everyType = expectationTypes.flatMap(({ type }) =>
    examplesOf(type).examples.map((example) => ({ type, example })),
  );
  fc.assert(
    fc.property(output, fc.constantFrom(...everyType), (given, { type, example }) => {
      const outcome = checkExpectation({ type, ...example.given }, given, { name: "x", input: example.input ?? {} });
      expect(outcomeStatuses).toContain(outcome.status);
      expect(outcome.message).toBeString();
      expect(outcome.message).not.toContain("the check broke");
      expect(Object.hasOwn(outcome, "expected") && Object.hasOwn(outcome, "actual")).toBe(true);
    }),
    { numRuns: 4_000, seed: 7 },
  );
}, 60_000);

/** Shapes that make careless patterns take quadratic time or worse. */
const hostileTexts: readonly [string, string][] = [
  ["one letter", "a".repeat(1_000_000)],
  ["spaces", " ".repeat(1_000_000)],
  ["openings", "![](<h1><a [".repeat(80_000)],
  ["addresses", "https://a.example/x) ".repeat(45_000)],
  ["one long address", `https://a.example/${")".repeat(500_000)}${".".repeat(500_000)}`],
  ["headers", "# #  #   # \n".repeat(80_000)],
  ["one header", `#${" ".repeat(1_000_000)}x`],
  ["fences", "```\n~~~\n".repeat(120_000)],
  ["questions", "? ".repeat(500_000)],
  ["emoji", "👩‍👩‍👧‍👦".repeat(40_000)],
  ["Chinese", "今天天气很好。".repeat(140_000)],
  ["entities", "&amp".repeat(250_000)],
  ["closing marks", `${'"'.repeat(500_000)}${"*".repeat(500_000)}x`],
  ["player", `https://youtu.be/${">".repeat(900_000)} x`],
];

const secondsPerCheck = 10;

for (const [name, text] of hostileTexts) {
  test(`a megabyte of ${name} is checked in bounded time by every type`, () => {
    const slow: string[] = [];
    for (const { type } of expectationTypes) {
      const { given, input } = examplesOf(type).examples[0] ?? { given: {} };
      const everywhere = Object.fromEntries(keys.map((key) => [key, text]));
      const lists = Object.fromEntries(
        ["chunks", "tweets", "questions", "concepts", "images"].map((key) => [key, [text]]),
      );
      const began = performance.now();
      checkExpectation(
        { type, ...given },
        { ...everywhere, ...lists },
        { name: "x", input: { ...input, text, sources: [] } },
      );
      if (performance.now() - began > secondsPerCheck * 1_000) slow.push(type);
    }
    expect(slow).toEqual([]);
  }, 120_000);
}

test("hostile patterns finish in linear time, or hit the limit, which is an error and not a pass", () => {
  const text = `${"a".repeat(1_000_000)} ${"ab@c.".repeat(10_000)}`;
  const patterns = [
    "/(a+)+$/",
    "/(a|aa)*#/",
    "/(.*)(.*)(.*)(.*)(.*)#/",
    "/(?:a?){50}a{50}#/",
    "/[ab].{200}[cd].{200}[#!]/",
  ];
  for (const pattern of patterns) {
    expect(
      checkExpectation({ type: "body_excludes", patterns: [pattern] }, { body: text }, { name: "x", input: {} }).status,
    ).toBe("pass");
  }
  const costly = { type: "body_excludes", patterns: ["/(?:[ab].{0,80}){12}[QR]/"] };
  expect(checkExpectation(costly, { body: text }, { name: "x", input: {} })).toMatchObject({
    status: "error",
    message: expect.stringContaining("time limit"),
  });
}, 60_000);

test("invalid patterns are rejected when they are read", () => {
  for (const pattern of ["/(/", "/a/g", "/(?<=a)b/", "/\\1/", "/(((a{100}){100}){100})/", "x".repeat(20_000)]) {
    expect(() => compilePattern(pattern)).toThrow(PatternFault);
  }
  expect(compilePattern("/usr/lib").find("in /usr/lib")).toBe(3);
  expect(compilePattern({ text: "/usr/" }).find("in /usr/")).toBe(3);
});

test("long chunks that nearly repeat the source are compared in linear time", () => {
  const source = `${"a".repeat(400_000)}b`;
  const lossless = { type: "lossless", overlap: true };
  const given = { name: "x", input: { text: source } };
  expect(checkExpectation(lossless, { chunks: ["a".repeat(300_000), `${"a".repeat(300_000)}c`] }, given).status).toBe(
    "fail",
  );
  expect(checkExpectation(lossless, { chunks: ["a".repeat(300_000), `${"a".repeat(200_000)}b`] }, given).status).toBe(
    "pass",
  );
});
