import { describe, expect, test } from "bun:test";
import { cleanText, cleanValue } from "./clean-text.ts";

describe("text of a page", () => {
  test.each([
    ["plain text with ümlauts, tabs\tand lines\n", "plain text with ümlauts, tabs\tand lines\n"],
    ["a\u001b[31mred\u001b[0m", "ared"],
    ["a\u001b]0;title\u0007b", "ab"],
    ["a\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "alink"],
    ["a\u009b31mb", "ab"],
    ["nul\u0000bell\u0007back\u0008", "nulbellback"],
    ["zero\u200bwidth\u200d\ufeff\u2060\u00ad", "zerowidth"],
    ["\u202eevil\u202c \u2066x\u2069", "evil x"],
    ["tag\u{e0041}\u{e0042}\u{e01ef}", "tag"],
    ["lone\ud800surrogate", "lone\ufffdsurrogate"],
    ["one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"],
    ["日本語 العربية 🙂", "日本語 العربية 🙂"],
  ])("%j becomes %j", (given, clean) => expect(cleanText(given)).toBe(clean));

  test("values are cleaned through and through, names included", () => {
    expect(cleanValue({ "a\u200b": ["b\u0007", { c: "d\u202e", n: 1, x: null }] })).toEqual({
      a: ["b", { c: "d", n: 1, x: null }],
    });
  });
});
