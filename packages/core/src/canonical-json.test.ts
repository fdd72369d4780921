import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalize } from "./canonical-json.ts";
import { hash } from "./hash.ts";

describe("RFC 8785", () => {
  // Appendix B: the double's bits, and its text.
  test.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ])("the number with bits %s is written %s", (bits, written) => {
    expect(canonicalize(Buffer.from(bits, "hex").readDoubleBE())).toBe(written);
  });

  test.each(["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])(
    "the bits %s are not a JSON number",
    (bits) => {
      expect(() => canonicalize(Buffer.from(bits, "hex").readDoubleBE())).toThrow("not a JSON number");
    },
  );

  test("section 3.2.2: literals, numbers and escapes", () => {
    const input = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalize(JSON.parse(input))).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test("section 3.2.3: members are sorted by UTF-16 code units", () => {
    const input = String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`;
    const written = canonicalize(JSON.parse(input));
    expect(Object.values(JSON.parse(written.replace('"1":', '"_1":')))).toEqual([
      "Carriage Return",
      "One",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh",
    ]);
  });

  test("the order is independent of language, and accents are not normalized", () => {
    const french = { sin: 4, pêche: 3, peach: 1, péché: 2 };
    expect(canonicalize(french)).toBe('{"peach":1,"péché":2,"pêche":3,"sin":4}');
    expect(canonicalize({ "Unnormalized Unicode": "A\u030a" })).toBe('{"Unnormalized Unicode":"A\u030a"}');
  });

  test("nested objects and arrays: members sorted at every level, items left in their order", () => {
    const value = {
      "1": { f: { f: "hi", F: 5 }, "\n": 56 },
      "10": {},
      "": "empty",
      a: {},
      "111": [{ e: "yes", E: "no" }],
      A: {},
    };
    expect(canonicalize(value)).toBe(
      String.raw`{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}`,
    );
    expect(canonicalize([56, { d: true, "10": null, "1": [] }])).toBe('[56,{"1":[],"10":null,"d":true}]');
  });

  test("control characters have the short escape where there is one, lower-case hex otherwise", () => {
    expect(canonicalize("\b\t\n\f\r\u0000\u001f\u007f\u2028")).toBe('"\\b\\t\\n\\f\\r\\u0000\\u001f\u007f\u2028"');
  });
});

describe("what JSON leaves undefined", () => {
  test("members that are undefined are dropped, -0 is 0", () => {
    expect(canonicalize({ a: undefined, b: -0, c: [-0] })).toBe('{"b":0,"c":[0]}');
    expect(hash({ a: 1, b: undefined })).toBe(hash({ a: 1 }));
  });

  const ring: Record<string, unknown> = {};
  ring.a = { ring };
  test.each([
    ["undefined", undefined, "$"],
    ["NaN", { a: [1, Number.NaN] }, "$.a[1]"],
    ["an infinity", { a: -Infinity }, "$.a"],
    ["a bigint", [1n], "$[0]"],
    ["a function", { f: () => 1 }, "$.f"],
    ["a symbol", [Symbol("s")], "$[0]"],
    ["undefined in an array", [1, undefined], "$[1]"],
    // biome-ignore lint/suspicious/noSparseArray: the test needs a hole
    ["a hole in an array", [1, , 3], "$[1]"],
    ["a Date", { at: new Date(0) }, "$.at"],
    ["a Map", new Map(), "$"],
    ["a boxed string", Object("text"), "$"],
    ["a lone surrogate", { a: "\uD800" }, "$.a"],
    ["a lone surrogate in a name", { b: { "\uDC00": 1 } }, "$.b"],
    ["a cycle", ring, "$.a.ring"],
  ])("%s is refused with the path to it", (_name, value, path) => {
    expect(() => canonicalize(value)).toThrow(`no canonical JSON for ${path}:`);
  });

  test("one object in two places is not a cycle", () => {
    const shared = { x: 1 };
    expect(canonicalize([shared, { shared }])).toBe('[{"x":1},{"shared":{"x":1}}]');
  });

  test("__proto__ and constructor are members like any other", () => {
    expect(canonicalize(JSON.parse('{"constructor":1,"__proto__":{"b":1,"a":2}}'))).toBe(
      '{"__proto__":{"a":2,"b":1},"constructor":1}',
    );
    expect(canonicalize(Object.assign(Object.create(null), { b: 1, a: 2 }))).toBe('{"a":2,"b":1}');
  });
});

describe("any value", () => {
  const json = fc.jsonValue({ noUnicodeString: false } as never);

  test("reading the canonical form and writing it again gives the same bytes", () => {
    fc.assert(
      fc.property(json, (value) => {
        const written = canonicalize(value);
        expect(canonicalize(JSON.parse(written))).toBe(written);
        expect(JSON.stringify(JSON.parse(written))).toBe(JSON.stringify(JSON.parse(canonicalize(JSON.parse(written)))));
      }),
    );
  });

  test("member order does not matter", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(fc.string(), fc.integer()), { selector: ([name]) => name }), (members) => {
        expect(hash(Object.fromEntries(members))).toBe(hash(Object.fromEntries(members.toReversed())));
      }),
    );
  });

  test("the hash of a known value is the SHA-256 of its canonical form", () => {
    expect(hash({ b: [], a: "é" })).toBe(new Bun.CryptoHasher("sha256").update('{"a":"é","b":[]}').digest("hex"));
  });
});
