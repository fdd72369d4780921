/** Large suites are read by a fast parser, with the same result as by the library; and how a suite is told from cases. */
import { expect, test } from "bun:test";
import { parse } from "yaml";
import { isPromptfooConfig } from "./promptfoo-config.ts";
import { quickYaml } from "./quick-yaml.ts";

/** Long enough, without a colon. */
const padding = `\n# ${"-".repeat(40_000)}\n`;
const native = (text: string): unknown => Bun.YAML.parse(text);

const scalars = [
  ...[
    "a",
    "1",
    "-1.5e-3",
    "+1",
    ".5",
    "0x1F",
    "0o17",
    "017",
    "1_000",
    ".inf",
    ".nan",
    "~x",
    "true",
    "True",
    "yes",
    "off",
  ],
  ...[
    "2020-01-01",
    "2020-01-01T00:00:00Z",
    "12:30:45",
    "http://x.y/z?a=b#c",
    "a#b",
    "a #b",
    "it's",
    "'it''s'",
    "/re/i",
  ],
  ...['"a\\nb"', '"\\x41\\u00e9"', "'a\\nb'", '"Q: why? A: {{ x }}"', "'{{name}}'", "[a, b]", "{a: 1, b: [c, {d: e}]}"],
  ...[
    '{"a":1}',
    "[]",
    "{}",
    "''",
    "|-\n    x: 1\n    y",
    ">-\n    a\n    b\n\n    c",
    "|+\n    x\n\n",
    "a\n    b",
    '"a\n    b"',
  ],
  ...["9007199254740993", "-0", "0.0", "1e400", "é😀", "a\\b", "=", "^Hello", "(?i)x", "a,b", "- x", "null"],
];

test.each(scalars)("%j: the value is the library's, or the library is asked", (scalar) => {
  for (const shape of [`k: ${scalar}\n`, `k:\n  - x: ${scalar}\n    y: 1\n`, `- ${scalar}\n`]) {
    const text = shape + padding;
    const quick = quickYaml(text, native);
    if (quick !== undefined) expect(quick).toEqual(parse(text, { merge: true }));
  }
});

test("an ordinary suite is read quickly", () => {
  const tests = Array.from(
    { length: 500 },
    (_, n) =>
      `  - description: 'test ${n}'\n    vars: { name: "person: ${n}", url: http://a.b/${n} }\n    assert: [{ type: contains, value: x }]`,
  );
  const text = [
    "# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json",
    "description: many",
    "tests:",
    ...tests,
  ];
  const quick = quickYaml(text.join("\n"), native);
  expect(quick).toEqual(parse(text.join("\n")));
  expect(quick).toBeDefined();
});

test.each([
  ["a key that is given twice", "a: 1\na: 2\n"],
  ["one that is given twice deep inside", "a:\n  - b: { c: 1, d: 2, c: 3 }\n"],
  ["one that is given twice, and one without a value", "a: {b, c: 1, c: 2}\n"],
  ["anchors", "a: &x [1]\nb: *x\n"],
  ["merges", "a: &x { b: 1 }\nc: { <<: *x }\n"],
  ["tags", "a: !!str 1\n"],
  ["several documents", "a: 1\n---\nb: 2\n"],
  ["keys that are lists or maps", "[a, b]: 1\n"],
  ["keys that are maps", "{ a }: 1\n"],
  ["explicit keys", "? a\n: 1\n"],
  ["templates without quotes", "a: {{ b }}\n"],
  ["escaped colons", 'a: "b\\x3a"\n'],
  ["comments with a colon", "a: 1 # note: this\n"],
  ["faults", "a: [1\n"],
  ["nesting without end", "[".repeat(100_000)],
])("%s are left to the library", (_, text) => {
  expect(quickYaml(text + padding, native)).toBeUndefined();
});

test.each([
  [true, "prompts: [a]\nproviders: [echo]\n"],
  [true, "# a comment\n\n'providers': [echo]\ntests:\n- vars: {}\n"],
  [true, "---\ntargets: [x]\nscenarios: []\n"],
  [true, '{"prompts": ["a"]}'],
  [true, "{ prompts: [a], providers: [echo] }\n"],
  [false, "suite: x\nprompts: [a]\nproviders: [echo]\ncases: []\n"],
  [false, "- name: a\n  prompts: [b]\n"],
  [false, "description: |\n  prompts: [a]\n"],
  [false, "providers: [echo]\n"],
  [false, "prompts: [a]\n---\nname: b\n"],
  [false, "[prompts, providers]"],
  [false, ""],
])("is a promptfoo suite: %p, %j", async (expected, text) => {
  expect(await isPromptfooConfig(text)).toBe(expected);
});
