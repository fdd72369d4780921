/** JSON Schema 2020-12, keyword by keyword. The official suite is run by scripts/json-schema-suite.ts. */
import { describe, expect, test } from "bun:test";
import { runSchemaTests, type SchemaTestGroup } from "../testing/suite.ts";

type Case = readonly [keyword: string, schema: SchemaTestGroup["schema"], valid: unknown[], invalid: unknown[]];

function judged([description, schema, valid, invalid]: Case, documents = {}): string[] {
  const tests = [
    ...valid.map((data) => ({ description: JSON.stringify(data), data, valid: true })),
    ...invalid.map((data) => ({ description: JSON.stringify(data), data, valid: false })),
  ];
  const { right, wrong } = runSchemaTests([{ description, schema, tests }], documents);
  expect(right + wrong.length).toBe(tests.length);
  return wrong;
}

// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
const then = (schema: object): object => Object.fromEntries([["then", schema]]);

const cases: readonly Case[] = [
  ["true and false", { properties: { yes: true, no: false } }, [{ yes: 1 }, {}], [{ no: 1 }]],
  ["type", { type: ["integer", "null"] }, [1, 1.0, -0, null], [1.5, "1", true, [], {}]],
  ["const", { const: { a: [1, null] } }, [{ a: [1, null] }], [{ a: [1] }, { a: [1, 0] }, null]],
  ["enum with equal values in another order", { enum: [{ a: 1, b: 2 }, 0] }, [{ b: 2, a: 1 }, 0], [false, { a: 1 }]],
  ["limits of numbers", { minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, "x"], [0.9, 3]],
  ["multipleOf", { multipleOf: 0.01 }, [0, 1.01, 4.35], [0.005]],
  ["a multiple beyond the largest number", { multipleOf: 0.5 }, [1e308], []],
  ["length in characters, not in units", { minLength: 2, maxLength: 2 }, ["💩💩", "ab"], ["💩", "abc"]],
  ["pattern, anywhere in the text, by Unicode", { pattern: "\\p{L}\\d" }, ["é1", "..a2.."], ["1", "a"]],
  ["number of entries", { minItems: 1, maxItems: 2 }, [[1], [1, 2], {}], [[], [1, 2, 3]]],
  [
    "uniqueItems",
    { uniqueItems: true },
    [[1, true, "1", [1], { a: 1 }]],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [1, 1.0],
    ],
  ],
  [
    "prefixItems and items",
    { prefixItems: [{ type: "string" }], items: { type: "number" } },
    [["a", 1], []],
    [[1], ["a", "b"]],
  ],
  ["contains", { contains: { minimum: 5 }, minContains: 2, maxContains: 3 }, [[5, 6, 1]], [[5], [5, 6, 7, 8]]],
  ["minContains 0 is always met", { contains: { type: "string" }, minContains: 0 }, [[], [1]], []],
  [
    "required and dependentRequired",
    { required: ["a"], dependentRequired: { a: ["b"] } },
    [{ a: 1, b: 1 }],
    [{}, { a: 1 }],
  ],
  [
    "names of built-in members",
    { required: ["toString"], properties: { constructor: { type: "number" } } },
    [{ toString: 1 }],
    [{}],
  ],
  [
    "patternProperties and additionalProperties",
    {
      properties: { a: true },
      patternProperties: { "^x-": { type: "number" } },
      additionalProperties: { type: "null" },
    },
    [{ a: "?", "x-1": 1, b: null }],
    [{ "x-1": "?" }, { b: 1 }],
  ],
  ["propertyNames", { propertyNames: { maxLength: 1 } }, [{ a: 1 }], [{ ab: 1 }]],
  [
    "allOf, anyOf, oneOf, not",
    { allOf: [{ minimum: 1 }], anyOf: [{ maximum: 5 }, { const: 9 }], not: { const: 3 } },
    [1, 9],
    [0, 3, 6],
  ],
  ["oneOf means exactly one", { oneOf: [{ minimum: 1 }, { maximum: 3 }] }, [0, 4], [2]],
  [
    "if, then, else",
    { if: { type: "string" }, ...then({ minLength: 2 }), else: { type: "number" } },
    ["ab", 1],
    ["a", true],
  ],
  ["dependentSchemas", { dependentSchemas: { a: { maxProperties: 1 } } }, [{ a: 1 }, { b: 1, c: 1 }], [{ a: 1, b: 1 }]],
  ["format is an annotation", { format: "email" }, ["no address"], []],
  ["content is an annotation", { contentMediaType: "application/json" }, ["{"], []],
  ["$ref beside other keywords", { $ref: "#/$defs/n", maximum: 3, $defs: { n: { type: "number" } } }, [3], ["x", 4]],
  ["$ref to an anchor", { $ref: "#n", $defs: { n: { $anchor: "n", type: "number" } } }, [3], ["x"]],
  ["$ref with escapes", { $ref: "#/$defs/a~1b%25", $defs: { "a/b%": { type: "null" } } }, [null], [1]],
  [
    "$ref to a part with its own $id",
    { $id: "https://x.invalid/root", $ref: "part", $defs: { p: { $id: "part", type: "null" } } },
    [null],
    [1],
  ],
  [
    "an $id inside an enum is a value",
    { enum: [{ $id: "https://x.invalid/value" }], $defs: {} },
    [{ $id: "https://x.invalid/value" }],
    [1],
  ],
  [
    "recursion",
    { properties: { child: { $ref: "#" }, n: { type: "number" } } },
    [{ child: { child: { n: 1 } } }],
    [{ child: { child: { n: "1" } } }],
  ],
  [
    "$dynamicRef takes the outermost anchor of its name",
    {
      $id: "https://x.invalid/strings",
      $ref: "list",
      $defs: {
        entry: { $dynamicAnchor: "entry", type: "string" },
        list: { $id: "list", items: { $dynamicRef: "#entry" }, $defs: { entry: { $dynamicAnchor: "entry" } } },
      },
    },
    [["a"]],
    [[1]],
  ],
  [
    "$dynamicRef to a plain anchor is a $ref",
    { items: { $dynamicRef: "#n" }, $defs: { n: { $anchor: "n", type: "number" } } },
    [[1]],
    [["a"]],
  ],
  [
    "unevaluatedProperties sees through allOf, $ref and if",
    {
      allOf: [{ $ref: "#/$defs/a" }],
      if: { properties: { b: { const: 1 } }, required: ["b"] },
      ...then({ properties: { c: true } }),
      unevaluatedProperties: false,
      $defs: { a: { properties: { a: true } } },
    },
    [{ a: 1 }, { a: 1, b: 1, c: 1 }],
    [{ a: 1, c: 1 }, { d: 1 }],
  ],
  [
    "unevaluatedProperties ignores a branch that failed",
    { anyOf: [{ properties: { a: { const: 1 } }, required: ["a"] }, true], unevaluatedProperties: false },
    [{ a: 1 }],
    [{ a: 2 }],
  ],
  [
    "unevaluatedItems counts what contains matched",
    { contains: { type: "string" }, unevaluatedItems: { type: "number" } },
    [["a", 1]],
    [["a", null], [1]],
  ],
  [
    "unevaluatedItems after prefixItems in allOf",
    { allOf: [{ prefixItems: [true] }], unevaluatedItems: false },
    [[1]],
    [[1, 2]],
  ],
  ["unknown keywords are ignored", { nonsense: { type: "string" }, $comment: "x" }, [1], []],
];

test.each(cases)("%s", (keyword, schema, valid, invalid) => {
  expect(judged([keyword, schema, valid, invalid])).toEqual([]);
});

describe("other documents", () => {
  test("are found by their address and by their $id, and are never fetched", () => {
    const documents = { "devflow:a/b@1": { $id: "https://x.invalid/ab", $defs: { n: { type: "number" } } } };
    for (const address of ["devflow:a/b@1", "https://x.invalid/ab"])
      expect(judged(["", { $ref: `${address}#/$defs/n` }, [1], ["a"]], documents)).toEqual([]);
    expect(judged(["", { $ref: "https://x.invalid/other" }, [1], []], documents)).toEqual([
      ": 1: expected true, got the reference https://x.invalid/other leads nowhere, is-json the reference https://x.invalid/other leads nowhere; nothing is fetched, so it has to be in this file or in another schema",
    ]);
  });

  test("a meta-schema without the validation vocabulary turns assertions off, applicators stay", () => {
    const vocab = (name: string) => `https://json-schema.org/draft/2020-12/vocab/${name}`;
    const documents = {
      "https://x.invalid/meta": { $vocabulary: { [vocab("core")]: true, [vocab("applicator")]: true } },
    };
    const schema = { $schema: "https://x.invalid/meta", properties: { n: { minimum: 5 }, never: false } };
    expect(judged(["", schema, [{ n: 1 }], [{ never: 1 }]], documents)).toEqual([]);
  });
});
