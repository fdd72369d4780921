import { describe, expect, test } from "bun:test";
import { plainLine, plainText, plainValue, shortLine } from "./plain-text.ts";

describe("untrusted text", () => {
  test.each([
    ["plain text with ümlauts, tabs\tand lines\n", "plain text with ümlauts, tabs\tand lines\n"],
    ["a\u001b[31mred\u001b[0m", "ared"],
    ["a\u001b[2J\u001b[1;1Hb", "ab"],
    ["a\u001b]0;title\u0007b", "ab"],
    ["a\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "alink"],
    ["a\u001bPq#0\u001b\\b", "ab"],
    ["a\u001bcb\u001b(B", "ab"],
    ["a\u009b31mb", "ab"],
    ["nul\u0000bell\u0007back\u0008", "nulbellback"],
    ["zero\u200bwidth\u200d\ufeff\u2060\u00ad", "zerowidth"],
    ["\u202eevil\u202c \u2066x\u2069", "[U+202E]evil[U+202C] [U+2066]x[U+2069]"],
    ["tag\u{e0041}\u{e0042}\u{e01ef}", "tag"],
    ["lone\ud800surrogate", "lone\ufffdsurrogate"],
    ["one\r\ntwo\rthree\u2028four\vfive\fsix", "one\ntwo\nthree\nfour\nfive\nsix"],
    ["日本語 العربية 🙂", "日本語 العربية 🙂"],
  ])("%j becomes %j", (given, plain) => expect(plainText(given)).toBe(plain));

  test("values are cleaned at every level, including names", () => {
    expect(plainValue({ "a\u200b": ["b\u0007", { c: "d\u202e", n: 1, x: null }] })).toEqual({
      a: ["b", { c: "d[U+202E]", n: 1, x: null }],
    });
  });
});

describe("one line of untrusted text", () => {
  test("has no line breaks, no double spaces and none at its ends", () => {
    expect(plainLine(" a\r\n\tb \u001b[1m c\u2028")).toBe("a b c");
  });

  test("is cut at the character limit, and never within a character", () => {
    expect([shortLine("abcdef", 6), shortLine("abcdef", 4)]).toEqual(["abcdef", "abc…"]);
    expect([shortLine("🙂🙂🙂", 3), shortLine("🙂🙂🙂🙂", 3)]).toEqual(["🙂🙂🙂", "🙂🙂…"]);
  });

  test("of a huge text is its beginning", () => {
    expect(shortLine("\u001b[31mx".repeat(2_000_000), 10)).toBe(`${"x".repeat(9)}…`);
  });
});
