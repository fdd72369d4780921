/**
 * Outputs and assertions whose verdicts are compared with promptfoo's own. Every type is tried with and without `not-`, on outputs
 * that pass, that fail and that cannot be checked.
 *
 * - `assertionVectors(folder)` the list; `folder` holds the scripted judge.
 */
import { join } from "node:path";

export interface AssertionVector {
  readonly assertion: Readonly<Record<string, unknown>> & { readonly type: string };
  readonly output: unknown;
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly prompt?: string;
  readonly response?: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly provider?: Readonly<Record<string, unknown>>;
  readonly latencyMs?: number;
  readonly trace?: Readonly<Record<string, unknown>>;
}

type Given = Omit<AssertionVector, "assertion" | "output">;

export function assertionVectors(folder: string): AssertionVector[] {
  const vectors: AssertionVector[] = [];
  const add = (
    type: string,
    assertion: Readonly<Record<string, unknown>>,
    outputs: readonly unknown[],
    given: Given = {},
  ) => {
    for (const output of outputs) {
      for (const name of [type, `not-${type}`])
        vectors.push({ ...given, assertion: { ...assertion, type: name }, output });
    }
  };
  const judge = (answers: readonly unknown[], more: object = {}) => ({
    provider: { id: `file://${join(folder, "judge.mjs")}`, config: { answers, ...more } },
  });

  const texts = ["Hello World", "hello world, again", "", "Goodbye", "42 is it", { a: "Hello" }];
  add("contains", { value: "Hello" }, texts);
  add("contains", { value: 42 }, texts);
  add("contains", { value: "{{word}}" }, ["one two", "three"], { vars: { word: "two" } });
  add("contains", { value: "" }, ["x"]);
  add("contains", {}, ["x"]);
  add("icontains", { value: "WORLD" }, texts);
  for (const value of [
    ["Hello", "again"],
    "Hello, again",
    '"Hello, W", again',
    '"it ""is""", x',
    "Hello,, again ,",
    '"open',
    '"a" b',
  ]) {
    for (const type of ["contains-any", "contains-all", "icontains-any", "icontains-all"]) {
      add(type, { value }, ["Hello World", "hello again, Hello", 'it "is" x', "none"]);
    }
  }
  add("contains-any", { value: [1, "two"] }, ["1", "two", "three"]);
  add("equals", { value: "Hello World" }, texts);
  add("equals", { value: { a: [1, { b: null }] } }, [
    '{"a":[1,{"b":null}]}',
    '{"a":[1]}',
    "no",
    { a: [1, { b: null }] },
  ]);
  add("equals", { value: 42 }, ["42", "43", 42]);
  add("starts-with", { value: "Hello" }, texts);
  add("starts-with", {}, ["x"]);
  for (const value of ["^Hello", "w.rld", "\\d+", "(a|b)+$", "[", "^(a+)+$", "(?<=o )W", "\\bis\\b", "é", "\\s{2}"])
    add("regex", { value }, [...texts, "aab", "é"]);
  add("levenshtein", { value: "Hello World" }, [...texts, "Hallo World", "a much longer text than the other"]);
  add("levenshtein", { value: "Hello World", threshold: 1 }, ["Hallo World", "Hallo Wurld"]);
  for (const value of [2, "2", { min: 2 }, { max: 1 }, { min: 1, max: 3 }, { min: 3, max: 1 }, {}, "many", 0])
    add("word-count", { value }, ["Hello World", "one", "", "a b c d"]);

  const reference = "The cat sat on the mat.";
  const candidates = [
    reference,
    "the cat sat on the mat",
    "A cat was sitting on a mat",
    "dogs run",
    "",
    "The the the the the the",
  ];
  for (const type of ["bleu", "gleu", "rouge-n"]) {
    add(type, { value: reference }, candidates);
    add(type, { value: reference, threshold: 0.2 }, candidates);
  }
  for (const type of ["bleu", "gleu"]) add(type, { value: [reference, "A cat was sitting there"] }, candidates);
  add("bleu", { value: 3 }, ["x"]);
  add("rouge-n", { value: 'He said "don\'t" (cannot) -- at 3.5, ok?' }, [
    "He said don't, cannot at 3.5 ok",
    'He said "don\'t" (cannot) -- at 3.5, ok?',
  ]);

  const json = [
    '{"name":"Ada","age":36}',
    '{"name":7}',
    "[1,2]",
    "not json",
    "",
    'Sure: {"name":"Ada","age":36} done',
    '```json\n{"name": "Ada", // c\n \'age\': 3}\n```',
    { name: "Ada", age: 1 },
    "null",
    "3",
  ];
  for (const type of ["is-json", "contains-json"]) {
    add(type, {}, json);
    add(
      type,
      {
        value: {
          type: "object",
          required: ["name", "age"],
          properties: { name: { type: "string" }, age: { type: "integer" } },
        },
      },
      json,
    );
    add(type, { value: "type: object\nrequired: [name]\nproperties: { name: { type: string } }" }, json);
    add(type, { value: { type: "array", items: { type: "number" }, minItems: 2 } }, json);
    add(type, { value: { type: "object", properties: { name: { type: "string", format: "email" } } } }, [
      '{"name":"a@b.org"}',
      '{"name":"no"}',
    ]);
    add(
      type,
      {
        value: {
          type: "object",
          properties: { at: { type: "string", format: "date-time" }, id: { type: "string", format: "uuid" } },
        },
      },
      [
        '{"at":"2026-01-01T00:00:00Z"}',
        '{"at":"2026-13-01T00:00:00Z"}',
        '{"id":"123e4567-e89b-12d3-a456-426614174000"}',
        '{"id":"x"}',
      ],
    );
    add(
      type,
      {
        value: {
          $ref: "#/definitions/a",
          definitions: { a: { type: "object", additionalProperties: false, properties: { x: { enum: [1, 2] } } } },
        },
      },
      ['{"x":1}', '{"x":3}', '{"y":1}'],
    );
    add(
      type,
      {
        value: {
          oneOf: [
            { type: "object", required: ["a"] },
            { type: "object", required: ["b"] },
          ],
        },
      },
      ['{"a":1}', '{"a":1,"b":1}', "{}"],
    );
  }

  const xml = [
    "<a><b>1</b></a>",
    "<a><b></a>",
    "text <a><b>1</b></a> text",
    "<a/>",
    "",
    "<a x='1'>&amp;</a>",
    "<a>&nope;</a>",
    "<a>1</a><b>2</b>",
    '<?xml version="1.0"?><r><x/></r>',
    "<!DOCTYPE r><r/>",
    "<!DOCTYPE r [<!ENTITY e 'x'>]><r>&e;</r>",
    "a < b and c > d",
    "<r><i>1</i><i>2</i></r>",
    "<analysis>ok<br></analysis>",
  ];
  for (const type of ["is-xml", "contains-xml"]) {
    add(type, {}, xml);
    for (const value of ["a.b", ["a"], { requiredElements: ["a.b", "a"] }, "r.x", "r.i.1", "missing"])
      add(type, { value }, xml);
    add(type, { value: { wrong: 1 } }, ["<a/>"]);
  }
  const html = [
    "<p>Hello</p>",
    "<div><span>a</span></div>",
    "plain text",
    "text <b>bold</b> text",
    "",
    "<!DOCTYPE html><html><head><title>x</title></head><body>text</body></html>",
    "<body>text</body>",
    "<p>one</p> tail",
    "<p>a<div>b</div>c",
    "<unknown>x</unknown>",
    "<my-tag>x</my-tag>",
    "<?xml version='1.0'?><p/>",
    "&lt;p&gt; &amp;",
    "<ul><li>1<li>2</ul>",
    "<table><tr><td>1</td></tr></table>",
    "<table>oops<tr><td>1</td></tr></table>",
    "<br>",
    "<!-- c -->",
    "a < b",
    "<h1>T</h1>\n<p>b</p>",
    "<script>var a = 1 < 2;</script>",
  ];
  for (const type of ["is-html", "contains-html"]) add(type, {}, html);

  add("cost", { threshold: 0.01 }, ["x"], { response: { cost: 0.005 } });
  add("cost", { threshold: 0.01 }, ["x"], { response: { cost: 0.02 } });
  add("cost", { threshold: 0.01 }, ["x"]);
  add("cost", {}, ["x"], { response: { cost: 1 } });
  add("latency", { threshold: 100 }, ["x"], { latencyMs: 50 });
  add("latency", { threshold: 100 }, ["x"], { latencyMs: 500 });
  add("latency", { threshold: 100 }, ["x"]);
  for (const threshold of [undefined, 1.5, 3]) {
    const own = threshold === undefined ? {} : { threshold };
    add("perplexity", own, ["x"], { response: { logProbs: [-0.5, -0.7, -0.1] } });
    add("perplexity-score", threshold === undefined ? {} : { threshold: threshold / 5 }, ["x"], {
      response: { logProbs: [-0.5, -0.7, -0.1] },
    });
  }
  add("perplexity", {}, ["x"]);
  add("finish-reason", { value: "stop" }, ["x"], { response: { finishReason: "STOP" } });
  add("finish-reason", { value: "stop" }, ["x"], { response: { finishReason: "length" } });
  add("finish-reason", { value: "stop" }, ["x"]);
  add("guardrails", {}, ["x"], { response: { guardrails: { flagged: true } } });
  add("guardrails", {}, ["x"], { response: { guardrails: { flagged: false } } });
  add("guardrails", {}, ["x"]);
  add("is-refusal", {}, [
    "I'm sorry, I can't help with that.",
    "I’m unable to assist",
    "Sure, here it is",
    "",
    "As an AI, I think",
    "That is not appropriate",
    "We can't comply.",
    "I suggest",
    "I cannot recommend it",
    "I can't suggest it",
    "I don't create things",
    "I do not change",
    { a: 1 },
    "It would be illegal",
    "I want to be direct with you: no",
  ]);

  const calls = [
    [{ function: { name: "search" } }, { function: { name: "read" } }],
    { tool_calls: [{ function: { name: "search", arguments: "{}" } }] },
    [{ type: "tool_use", name: "search" }],
    { functionCall: { name: "read" } },
    { toolCall: { functionCalls: [{ name: "read" }] } },
    '[{"name":"search"}]',
    'I will call\n{"type":"function_call","name":"search"}\nnow',
    "none",
    { type: "function_call", name: "x" },
  ];
  for (const value of ["search, read", ["search"], [], "read"]) add("tool-call-f1", { value }, calls);
  add("tool-call-f1", { value: "search,read", threshold: 0.6 }, calls);
  const skills = {
    response: {
      metadata: { skillCalls: [{ name: "review" }, { name: "deploy-web" }, { name: "bad", is_error: true }] },
    },
  };
  for (const value of [
    "review",
    ["review", "bad"],
    ["review", "deploy-web"],
    { pattern: "deploy-*" },
    { name: "review", min: 2 },
    { name: "review", max: 0 },
    { name: "x", max: 2 },
    {},
    3,
  ])
    add("skill-used", { value }, ["x"], skills);
  const functions = [
    { name: "add", parameters: { type: "object", required: ["a"], properties: { a: { type: "number" } } } },
  ];
  const provider = { tools: functions.map((one) => ({ type: "function", function: one })), functions };
  add(
    "is-valid-openai-tools-call",
    {},
    [
      [{ function: { name: "add", arguments: '{"a":1}' } }],
      { tool_calls: [{ function: { name: "add", arguments: '{"a":"x"}' } }] },
      [{ function: { name: "sub", arguments: "{}" } }],
      "text",
      [],
      "MCP Tool Result (x): y",
      "MCP Tool Error (x): y",
    ],
    { provider },
  );

  const spans = [
    { spanId: "1", name: "agent", startTime: 0, endTime: 900 },
    {
      spanId: "2",
      name: "tool.search",
      startTime: 10,
      endTime: 60,
      attributes: { "tool.name": "search", "tool.arguments": '{"q":"cats","limit":5}' },
    },
    { spanId: "3", name: "llm.call", startTime: 70, endTime: 470, attributes: { "http.status_code": 500 } },
    {
      spanId: "4",
      name: "tool.read",
      startTime: 480,
      endTime: 500,
      attributes: { "tool.name": "read_file", "tool.arguments": '{"path":"/a"}' },
      statusCode: 2,
    },
    { spanId: "5", name: "exec ls -la", startTime: 510, endTime: 520, attributes: { command: "ls -la" } },
    { spanId: "6", name: "reasoning", startTime: 530, endTime: 540 },
  ];
  const traced = { trace: { spans } };
  for (const value of [
    { pattern: "tool.*", min: 2 },
    { pattern: "tool.*", max: 1 },
    { pattern: "LLM.?all", min: 1, max: 1 },
    { min: 1 },
  ])
    add("trace-span-count", { value }, ["x"], traced);
  for (const value of [
    { max: 500 },
    { pattern: "tool.*", max: 50 },
    { max: 400, percentile: 50 },
    { max: 10, percentile: 90 },
    { pattern: "none", max: 1 },
    {},
  ])
    add("trace-span-duration", { value }, ["x"], traced);
  for (const value of [
    0,
    2,
    { max_count: 1 },
    { max_percentage: 40 },
    { max_percentage: 10 },
    { pattern: "tool.*", max_count: 1 },
  ])
    add("trace-error-spans", { value }, ["x"], traced);
  for (const value of [
    "search",
    ["search", "read_*"],
    ["search", "write"],
    { name: "search", min: 2 },
    { pattern: "*", max: 2 },
    {},
  ])
    add("trajectory:tool-used", { value }, ["x"], traced);
  for (const value of [
    ["search", "read_file"],
    ["read_file", "search"],
    { mode: "exact", steps: ["search", "read_file"] },
    { mode: "exact", steps: ["search"] },
    [],
  ])
    add("trajectory:tool-sequence", { value }, ["x"], traced);
  for (const value of [
    { min: 6 },
    { max: 5 },
    { type: "tool", min: 2, max: 2 },
    { type: "command", pattern: "ls*", min: 1 },
    { type: ["reasoning", "span"], min: 3 },
    {},
  ])
    add("trajectory:step-count", { value }, ["x"], traced);
  for (const value of [
    { name: "search", args: { q: "cats" } },
    { name: "search", args: { q: "cats" }, mode: "exact" },
    { name: "search", args: { q: "cats" }, mode: "exact", defaults: { limit: 5 } },
    { name: "search", args: { q: "dogs" } },
    { name: "search", args: { q: "cats" }, mode: "exact", ignore: "lim*" },
    { name: "search" },
    { args: {} },
  ])
    add("trajectory:tool-args-match", { value }, ["x"], traced);
  add("trajectory:tool-used", { value: "x" }, ["x"]);
  add(
    "trajectory:goal-success",
    { value: "find cats", ...judge(['{"pass":true,"score":0.9,"reason":"r"}']) },
    ["x"],
    traced,
  );
  add("trajectory:goal-success", { value: { goal: "find cats" }, ...judge(["nonsense"]) }, ["x"], traced);

  for (const value of [
    "output.length > 3",
    "output.length",
    "const n = output.length; n > 3",
    "let s = 'a;b'; s.length === 3",
    "return output === 'x'\n  || output.length > 100",
    "({ pass: true, score: 0.5, reason: 'r' })",
    "'text'",
    "throw new Error('x')",
    "(",
    "context.vars.k === 'v'",
    "0",
    "-1",
    "output.length / 10",
    "JSON.parse(output).a === 1",
    "context.config?.min",
    "({ pass: true })",
  ]) {
    add("javascript", { value }, ["Hello", "x", '{"a":1}'], { vars: { k: "v" } });
    add("javascript", { value, threshold: 0.3 }, ["Hello"], { vars: { k: "v" } });
  }
  for (const value of [
    "len(output) > 3",
    "len(output) / 10",
    "{'pass': True, 'score': 0.5, 'reason': 'r'}",
    "{'pass_': True, 'score': 0.2, 'reason': 'r'}",
    "'true'",
    "'nope'",
    "1/0",
    "context['vars']['k'] == 'v'",
    "if len(output) > 3:\n  return 0.9\nreturn False",
    "None",
  ]) {
    add("python", { value, threshold: 0.3 }, ["Hello"], { vars: { k: "v" } });
    add("python", { value }, ["Hello"], { vars: { k: "v" } });
  }

  const grades = [
    '{"pass":true,"score":0.8,"reason":"r"}',
    '{"pass":false,"score":0.3,"reason":"r"}',
    'Well: {"reason":"r","score":0.6}',
    '{"pass":"yes"}',
    '{"pass":true,"score":"0.4"}',
    "no json here",
    '{"pass": true, "score": 0.9',
    { error: "down" },
  ];
  for (const answer of grades) {
    add("llm-rubric", { value: "is polite", ...judge([answer]) }, ["Hello"]);
    add("llm-rubric", { value: "is polite", threshold: 0.7, ...judge([answer]) }, ["Hello"]);
    add(
      "llm-rubric",
      { value: "is polite", rubricPrompt: '[{"role":"user","content":"{{output}} {{rubric}}"}]', ...judge([answer]) },
      ['say "hi"'],
    );
  }
  for (const answer of [
    '{"category":"A","reason":"r"}',
    '{"category":"d"}',
    "(B) because",
    "(D) because",
    "none",
    '{"category":"X"}',
    { error: "down" },
  ]) {
    add("factuality", { value: "Paris", ...judge([answer]) }, ["It is Paris"]);
    add("model-graded-factuality", { value: "Paris", ...judge([answer]) }, ["It is Paris"], {
      options: { factuality: { subset: 0.5, disagree: 0.2 } },
    });
  }
  for (const answer of ["It does.\nY", "It does not.\nN", "Y \n", "maybe", { error: "down" }])
    add("model-graded-closedqa", { value: "is short", ...judge([answer]) }, ["Hello"]);
  const steps = '{"steps":["read","think"]}';
  for (const answers of [
    [steps, '{"score":8,"reason":"r"}'],
    [steps, '{"score":"5","reason":"r"}'],
    [steps, '{"score":12,"reason":"r"}'],
    ["none", '{"score":8,"reason":"r"}'],
    [steps, '{"score":8}'],
    [{ error: "down" }],
  ]) {
    add("g-eval", { value: "coherent", ...judge(answers) }, ["Hello"]);
    add("g-eval", { value: ["coherent", "brief"], threshold: 0.5, ...judge(answers) }, ["Hello"]);
  }
  add("g-eval", { value: [], ...judge([steps]) }, ["Hello"]);
  for (const answer of ['{"verdict":"yes"}', '{"verdict":"no","reason":"off topic"}', '{"verdict":"maybe"}', "none"]) {
    add("conversation-relevance", judge([answer]), ["Hello"]);
    add("conversation-relevance", { threshold: 0.6, config: { windowSize: 2 }, ...judge([answer]) }, ["Hello"], {
      vars: {
        _conversation: [
          { input: "a", output: "b" },
          { input: "c", output: "d" },
        ],
      },
    });
  }
  const context = "Paris is the capital of France. It lies on the Seine. It is large.";
  for (const answer of ["1. Paris. [Attributed]\n2. Berlin. [Not Attributed]", "all [attributed]", "none"])
    add("context-recall", { value: "Paris is the capital.", ...judge([answer]) }, ["x"], { vars: { context } });
  for (const answer of [
    "Paris is the capital of France.",
    "Insufficient Information",
    "Paris is the capital of France. It lies on the Seine.",
    "Something else entirely.",
  ]) {
    add("context-relevance", judge([answer]), ["x"], { vars: { query: "capital?", context } });
    add("context-relevance", judge([answer]), ["x"], { vars: { query: "capital?", context: context.split(". ") } });
  }
  add("context-relevance", judge(["x"]), ["x"], { vars: { context } });
  for (const answers of [
    ["one\ntwo", "Final verdict for each statement in order: Yes. No."],
    ["one\ntwo", "verdict: yes verdict: no"],
    ["one\ntwo", "hm"],
    ["one\ntwo\nthree", "Final verdict for each statement in order: Yes. Yes."],
  ]) {
    add("context-faithfulness", judge(answers), ["Paris"], { vars: { query: "q", context } });
  }
  const embedded = {
    provider: {
      embedding: judge(["What is it?", "Who is it?", "Where is it?"]).provider,
      text: judge(["What is it?", "Who is it?", "Where is it?"]).provider,
    },
  };
  for (const threshold of [0.5, 0.97, 0.999]) {
    for (const type of ["similar", "similar:cosine", "similar:dot", "similar:euclidean"]) {
      add(type, { value: "Hello world", threshold, ...embedded }, ["Hello world", "Hello there", "zzz"]);
      add(type, { value: ["Hello world", "zzz zzz"], threshold, ...embedded }, ["Hello world", "Hello there", "zzz"]);
    }
    add("answer-relevance", { threshold, ...embedded }, ["It is a cat"], { vars: { query: "What is this?" } });
  }
  add("similar:euclidean", { value: "Hello", threshold: 4, ...embedded }, ["Hello", "Hello, my friend"]);
  const classes = { polite: 0.9, rude: 0.1 };
  for (const value of ["polite", "rude", "unknown", undefined]) {
    add("classifier", { ...(value === undefined ? {} : { value }), threshold: 0.5, ...judge([], { classes }) }, [
      "Hello",
    ]);
    add("classifier", { ...(value === undefined ? {} : { value }), ...judge([], { classes }) }, ["Hello"]);
  }
  add("classifier", { value: "polite", ...judge([], {}) }, ["Hello"]);
  const flags = [{ code: "hate", description: "hateful", confidence: 1 }];
  add("moderation", judge([], { flags }), ["Hello", ""]);
  add("moderation", { value: ["violence"], ...judge([], { flags }) }, ["Hello"]);
  add("moderation", judge([], {}), ["Hello"]);

  // Weights, transforms, and values that are not what a type needs.
  add("contains", { value: "nope", weight: 0 }, ["x"]);
  add("equals", { value: "HELLO", transform: "output.toUpperCase()" }, ["hello"]);
  add("contains", { value: "x", transform: "null" }, ["x"]);
  add("contains", { value: "x", transform: "nope(" }, ["x"]);
  return vectors;
}
