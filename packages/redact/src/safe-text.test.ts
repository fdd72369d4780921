import { describe, expect, test } from "bun:test";
import { DevflowError } from "@devflow/core/errors";
import fc from "fast-check";
import { safeJson, safeText } from "./index.ts";

describe("safeText", () => {
  test("ordinary text, emoji and other scripts stay as they are", () => {
    for (const text of ["", "plain", "naïve ☕ 漢字", "😀 \u{1F468}‍\u{1F469}", "a\tb\r\nc\u0001\u007f"]) {
      expect(safeText(text)).toEqual({ value: text, changed: false });
    }
  });

  test("U+0000 and lone surrogates become U+FFFD, one by one", () => {
    expect(safeText("a\0b\0")).toEqual({ value: "a\uFFFDb\uFFFD", changed: true });
    expect(safeText("\uD800x\uDFFF")).toEqual({ value: "\uFFFDx\uFFFD", changed: true });
    expect(safeText("\uDE00\uD83D")).toEqual({ value: "\uFFFD\uFFFD", changed: true });
  });

  test("the result always has a UTF-8 form and no U+0000", () => {
    const anyUnits = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));
    fc.assert(
      fc.property(anyUnits, (text) => {
        const { value, changed } = safeText(text);
        expect(value.length).toBe(text.length);
        expect(Buffer.from(value, "utf8").toString("utf8")).toBe(value);
        expect(value.includes("\0")).toBe(false);
        expect(changed).toBe(value !== text);
      }),
    );
  });
});

describe("safeJson", () => {
  test("a safe value is returned itself, not copied", () => {
    const value = { a: [1, { b: "text" }], c: null, d: true };
    const safe = safeJson(value);
    expect(safe.changed).toBe(false);
    expect(safe.value).toBe(value);
  });

  test("texts are fixed at every depth and the input is unchanged", () => {
    const untouched = { deep: ["ok"] };
    const value = { list: ["a\0", { name: "\uD800" }], untouched };
    const safe = safeJson(value);
    expect(safe).toEqual({
      value: { list: ["a\uFFFD", { name: "\uFFFD" }], untouched: { deep: ["ok"] } },
      changed: true,
    });
    expect(safe.value.untouched).toBe(untouched);
    expect(value.list[0]).toBe("a\0");
  });

  test("member names are fixed, and two names that become equal are both kept", () => {
    const safe = safeJson({ "k\0": 1, "k\uD800": 2, "k\uFFFD": 3 });
    expect(Object.values(safe.value).sort()).toEqual([1, 2, 3]);
    expect(safe.value["k\uFFFD"]).toBe(3);
    expect(safe.changed).toBe(true);
  });

  test("thousands of names that become equal are all kept, in reasonable time", () => {
    const surrogates = Array.from({ length: 2048 }, (_, index) => String.fromCharCode(0xd800 + index));
    const names = surrogates.slice(0, 20).flatMap((a) => surrogates.slice(0, 1000).map((b) => `${a} ${b}`));
    const safe = safeJson(Object.fromEntries(names.map((name) => [name, 1])));
    expect(Object.keys(safe.value).length).toBe(20_000);
  });

  test("a member called __proto__ stays a member and changes no prototype", () => {
    const safe = safeJson(JSON.parse('{"__proto__": {"admin": true}, "text": "\\u0000"}'));
    expect(Object.getPrototypeOf(safe.value)).toBe(Object.prototype);
    expect(Object.keys(safe.value)).toEqual(["__proto__", "text"]);
    expect((safe.value as { admin?: boolean }).admin).toBeUndefined();
  });

  test("the output of JSON.stringify is what is checked", () => {
    const at = new Date(0);
    const odd = { toJSON: () => ({ text: "\0" }) };
    expect(safeJson({ at }).changed).toBe(false);
    expect(JSON.stringify(safeJson({ at, odd }).value)).toBe(
      '{"at":"1970-01-01T00:00:00.000Z","odd":{"text":"\uFFFD"}}',
    );
  });

  test("a cycle is refused, the same object twice is not", () => {
    const ring: Record<string, unknown> = {};
    ring.self = [ring];
    expect(() => safeJson(ring)).toThrow(DevflowError);
    expect(() => safeJson(ring)).toThrow("contains itself");
    const twice = { text: "\0" };
    expect(safeJson([twice, twice]).value).toEqual([{ text: "\uFFFD" }, { text: "\uFFFD" }]);
  });

  test("nesting beyond the limit is an error, not a stack overflow", () => {
    let nested: unknown = "x";
    for (let depth = 0; depth < 100_000; depth++) nested = [nested];
    expect(() => safeJson(nested)).toThrow("nested deeper than 256 levels");
    let shallow: unknown = "\0";
    for (let depth = 0; depth < 256; depth++) shallow = [shallow];
    expect(safeJson(shallow).changed).toBe(true);
  });

  test("the result for any JSON can be stored and is read back equal", () => {
    const units = fc.array(fc.constantFrom("a", "\0", "\uD800", "\uDC00", "é")).map((parts) => parts.join(""));
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        units,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        tie("list"),
        tie("object"),
      ),
      list: fc.array(tie("value"), { maxLength: 4 }),
      object: fc.dictionary(units, tie("value"), { maxKeys: 4 }),
    })).value;
    fc.assert(
      fc.property(json, (value) => {
        const written = JSON.stringify(safeJson(value).value);
        expect(written).not.toMatch(/\\u0000|\\ud[89a-f]/i);
        expect(safeJson(JSON.parse(written)).changed).toBe(false);
      }),
    );
  });
});
