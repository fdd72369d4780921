import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DevflowError } from "@devflow/core/errors";
import { temporaryFolder } from "@devflow/testkit";
import { loadSuite, selectCases } from "./index.ts";
import { parseCaseFile } from "./parse-cases.ts";

const parse = (text: string | Uint8Array, root = "/nowhere") =>
  parseCaseFile(typeof text === "string" ? new TextEncoder().encode(text) : text, "s.yaml", { root });
const told = (text: string) => parse(text).faults.map(({ line, path, problem }) => `${line} ${path}: ${problem}`);
const minimal = "name: a\nexpectations:\n  - type: worthy\n";

test("a case keeps everything that is not metadata as its input", () => {
  const { cases, faults } = parse(`
name: admin_search
description: asks a question
category: tool_usage
tags: [admin, regression]
user_message: "What about housing?"
user_state:
  overrides: { city: Oakland }
expectations:
  - type: tool_called
    tool: search
    input_contains: { query: housing }
  - subject_not_empty
`);
  expect(faults).toEqual([]);
  expect(cases[0]).toMatchObject({
    name: "admin_search",
    category: "tool_usage",
    tags: ["admin", "regression"],
    scope: "standard",
    input: { user_message: "What about housing?", user_state: { overrides: { city: "Oakland" } } },
    expectations: [{ type: "tool_called" }, { type: "subject_not_empty" }],
    line: 2,
  });
});

test("several documents, lists and suites in one file", () => {
  const { cases, suites, faults } = parse(`suite: news
tags: [nightly]
severity_order: [S1, [S2, bad], S3]
---
${minimal}---
- { name: b, text: x, expectations: [worthy] }
- { name: c, tier: full, expectations: [{ type: has_severity, severity: bad }] }
---
category: posts
cases:
  - { name: d, tags: [smoke], expectations: [worthy] }
`);
  expect(faults).toEqual([]);
  expect(suites).toEqual(["news"]);
  expect(cases.map(({ name, tags, scope, category }) => ({ name, tags, scope, category }))).toEqual([
    { name: "a", tags: ["nightly"], scope: "standard", category: undefined },
    { name: "b", tags: ["nightly"], scope: "standard", category: undefined },
    { name: "c", tags: ["nightly"], scope: "full", category: undefined },
    { name: "d", tags: ["smoke"], scope: "quick", category: "posts" },
  ]);
});

test("every error is reported with its line and path", () => {
  expect(
    told(`name: a
tags: x
comparison:
  type: ab_test
  tolerence: 0.1
expectations:
  - type: body_word_count
    min_words: 300
    max_words: 80
  - type: body_contains
    patterns: []
  - type: body_containz
  - type: has_title
    minimum: 3
  - type: body_excludes
    patterns:
      - fine
      - "/(?=x)/"
  - type: word_bound
  - type: has_severity
    severity: purple
  - patterns: [x]
`),
  ).toEqual([
    "2 tags: Invalid input: expected array, received string",
    '5 comparison.tolerence: unknown key "tolerence"',
    "8 expectations[0].min_words: min_words 300 is more than max_words 80",
    "11 expectations[1].patterns: give at least one pattern",
    '12 expectations[2].type: unknown expectation "body_containz"; did you mean body_contains?',
    '14 expectations[3].minimum: unknown key "minimum"',
    "18 expectations[4].patterns[1]: /(?=x)/ uses look-around: (?= (?! (?<= and (?<! are not supported, because they do not run in linear time",
    "19 expectations[5]: word_bound: give max_words, or give the case a chunk_size",
    expect.stringContaining('20 expectations[6]: has_severity: "purple" is not a known severity'),
    "22 expectations[7]: expected an expectation with a type",
  ]);
});

test("a case that could not fail is refused", () => {
  expect(told("name: a\ntext: x\n")).toEqual(["1 : the case has no expectations, so it could not fail"]);
  expect(told("name: a\nexpectations: []\n")).toEqual([
    "2 expectations: expected a list with at least one expectation",
  ]);
});

test("a key that looks like misspelled metadata gives a warning", () => {
  expect(parse(`${minimal}tag: [x]\n`).warnings).toEqual(['s.yaml:4 "tag" is treated as input; did you mean tags?']);
  expect(parse(`${minimal}prompt: hi\n`).warnings).toEqual([]);
});

test("hostile YAML is refused with a reason, quickly and without filling the memory", () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghi"
    .split("")
    .map((key, index) => `${key}: &${key} [${Array(9).fill(`*${"abcdefgh"[index]}`).join(",")}]`)
    .join("\n")}\nname: *i\n`;
  expect(told(bomb)[0]).toContain("Excessive alias count");
  expect(told("name: a\nname: b\nexpectations: [worthy]\n")).toEqual(['2 name: duplicate key "name"']);
  expect(told(`name: ${"[".repeat(100_000)}`)[0]).toContain("is nested deeper");
  expect(told("- ".repeat(50_000))[0]).toContain("is nested deeper");
  expect(told("name: [a\n")[0]).toStartWith("2 ");
  expect(parse(new Uint8Array([0x6e, 0xff, 0xfe])).faults[0]?.problem).toBe("is not UTF-8");
  expect(parse(new Uint8Array(5 * 1024 * 1024)).faults[0]?.problem).toContain("larger than");
  const many = Array.from({ length: 30_000 }, (_, index) => `k${index}: 1`).join("\n");
  expect(parse(`${minimal}${many}\n`).cases[0]?.name).toBe("a");
  expect(told(`${minimal}x: .nan\n`)[0]).toContain("is not valid JSON");
  expect(parse(`\uFEFF${minimal.replaceAll("\n", "\r\n")}`).cases[0]?.name).toBe("a");
  expect(parse(`${minimal}__proto__: { polluted: true }\n`).faults).toEqual([]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
}, 30_000);

test("the hashes of expectations and input change with their content, not with the order of keys", () => {
  const one = parse("name: a\nx: 1\ny: 2\nexpectations: [{ type: has_title, min_words: 1 }]\n").cases[0];
  const same = parse("y: 2\nexpectations: [{ min_words: 1, type: has_title }]\nx: 1\nname: b\n").cases[0];
  const other = parse("name: a\nx: 1\ny: 2\nexpectations: [{ type: has_title, min_words: 2 }]\n").cases[0];
  expect(same?.inputSha).toBe(one?.inputSha as string);
  expect(same?.expectationsSha).toBe(one?.expectationsSha as string);
  expect(other?.inputSha).toBe(one?.inputSha as string);
  expect(other?.expectationsSha).not.toBe(one?.expectationsSha as string);
});

test("A/B tests and tier chains are read, and a chain that reads a file no step writes is refused", () => {
  const { cases, faults } = parse(`${minimal}comparison:
  type: ab_test
  control: { env: { DISABLE_FEATURE: 1 } }
  flaky_criteria: { tone: 0.1 }
tier_chain:
  - { tier: quick, model: sonnet-4-6, output_file: quick.json }
  - { tier: full, input_from: quick.json }
`);
  expect(faults).toEqual([]);
  expect(cases[0]?.comparison).toEqual({
    type: "ab_test",
    control: { env: { DISABLE_FEATURE: "1" } },
    treatment: { env: {} },
    tolerance: 0.05,
    flaky_criteria: { tone: 0.1 },
  });
  expect(cases[0]?.tierChain).toHaveLength(2);
  expect(told(`${minimal}tier_chain: [{ tier: full, input_from: x.json }]\n`)[0]).toContain("no earlier step");
  expect(told(`${minimal}tier_chain: [{ tier: full, output_file: ../x.json }]\n`)[0]).toContain("must stay inside");
});

test("a suite is loaded from globs, folders and files, and the errors of all files are reported together", async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "evals/deep"), { recursive: true });
  writeFileSync(join(root, "prompt.txt"), "be brief");
  writeFileSync(join(root, "evals/one.yaml"), `${minimal}prompt_source_files: [prompt.txt]\n`);
  writeFileSync(join(root, "evals/deep/two.yml"), "name: b\nexpectations: [worthy]\n");
  writeFileSync(join(root, "evals/judge-profiles.yaml"), "profiles: {}\n");
  const suite = await loadSuite({ patterns: ["evals/**/*.y*ml"], root });
  expect(suite.cases.map(({ name, file }) => `${file} ${name}`)).toEqual(["evals/deep/two.yml b", "evals/one.yaml a"]);
  expect(suite.cases[1]?.promptSourceFiles).toEqual([join(root, "prompt.txt")]);
  expect((await loadSuite({ patterns: ["evals"], root })).cases).toHaveLength(2);
  expect((await loadSuite({ patterns: ["evals/one.yaml"], root })).name).toBe("one");

  writeFileSync(
    join(root, "evals/bad.yaml"),
    "name: x\nprompt_source_files: [gone.txt]\nexpectations: [worthy, nope]\n",
  );
  writeFileSync(join(root, "evals/twice.yaml"), minimal);
  const error = (await loadSuite({ patterns: ["evals"], root }).catch((thrown) => thrown)) as DevflowError;
  expect(error.code).toBe("input_invalid");
  expect(error.message).toContain("evals/bad.yaml:2 prompt_source_files: gone.txt was not found");
  expect(error.message).toContain('evals/bad.yaml:3 expectations[1].type: unknown expectation "nope"');
  expect(error.message).toContain(
    'evals/twice.yaml:1 name: "a" with the same input is already defined at evals/one.yaml:1',
  );
  await expect(loadSuite({ patterns: ["nothing/*.yaml"], root })).rejects.toThrow("was not found");
});

test("tiers and tags select cases, and selecting none is an error", () => {
  const { cases } = parse(`- { name: q, tier: quick, expectations: [worthy] }
- { name: s, tags: [slow], expectations: [worthy] }
- { name: f, tier: full, tags: [slow], expectations: [worthy] }
`);
  const names = (selection: Parameters<typeof selectCases>[1]) => selectCases(cases, selection).map(({ name }) => name);
  expect(names({ tier: "quick" })).toEqual(["q"]);
  expect(names({ tier: "standard" })).toEqual(["q", "s"]);
  expect(names({ tier: "full" })).toEqual(["q", "s", "f"]);
  expect(names({ tier: "full", tags: ["slow"] })).toEqual(["s", "f"]);
  expect(names({ tier: "full", withoutTags: ["slow"] })).toEqual(["q"]);
  expect(() => names({ tier: "quick", tags: ["slow"] })).toThrow("None of 3 cases matches tier quick, tag slow");
});

test("prompts and providers are read with their defaults, every error with its line, and only one file may give them", async () => {
  const plan = `suite: s
prompts:
  - "Answer: {{q}}"
  - { name: long, file: long.txt, output: json }
providers:
  - anthropic:claude-haiku-4-5
  - { id: "exec:node app.js", timeout_seconds: 5 }
`;
  const { plans, faults } = parse(plan);
  expect(faults).toEqual([]);
  expect(plans).toMatchObject([
    {
      prompts: [
        { text: "Answer: {{q}}", output: "text" },
        { name: "long", file: "long.txt", output: "json" },
      ],
      providers: [{ id: "anthropic:claude-haiku-4-5", max_tokens: 4096 }, { timeout_seconds: 5 }],
      file: "s.yaml",
      line: 2,
    },
  ]);
  expect(
    told(`suite: s
prompts:
  - { text: a, file: b }
  - { messages: [{ role: user, content: a }], system: b }
providers:
  - { id: "openai:gpt-5.4", key_env: sk-123, max_tokens: 0 }
  - { id: "agent:" }
`),
  ).toMatchInlineSnapshot(`
    [
      "3 prompts[0]: give text, file or messages, and only one of them",
      "4 prompts[1].system: put the system prompt into the messages",
      "6 providers[0].key_env: is not a valid variable name",
      "6 providers[0].max_tokens: Too small: expected number to be >=1",
      "7 providers[1].id: agent: needs claude, codex or the name of a backend, not """,
    ]
  `);
  const root = temporaryFolder();
  for (const name of ["a.yaml", "b.yaml"]) {
    writeFileSync(join(root, name), `${plan}cases: [{ name: ${name}, q: x, expectations: [worthy] }]\n`);
  }
  expect(loadSuite({ patterns: ["*.yaml"], root })).rejects.toThrow(
    "b.yaml:2 prompts: prompts and providers are already given in a.yaml:2",
  );
});
