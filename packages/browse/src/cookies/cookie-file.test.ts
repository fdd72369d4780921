import { describe, expect, test } from "bun:test";
import { inspect } from "node:util";
import { parseCookieFile } from "./cookie-file.ts";
import { shellWords } from "./curl-command.ts";

const values = (text: string) =>
  parseCookieFile(text).map(({ domain, name, value, sameSite, expires }) => [
    domain,
    name,
    value.reveal(),
    sameSite,
    expires,
  ]);

describe("a JSON export", () => {
  test("from an extension: no_restriction is None, null and unspecified are undefined, hostOnly decides about the dot", () => {
    const file = [
      { domain: "a.test", name: "n", value: "1", hostOnly: false, sameSite: "no_restriction", expirationDate: 1.8e9 },
      { domain: "a.test", name: "u", value: "2", hostOnly: true, sameSite: "unspecified", session: true },
      { domain: ".a.test", name: "z", value: "3", sameSite: null },
      { domain: ".a.test", name: "l", value: "4", sameSite: "lax" },
    ];
    expect(values(JSON.stringify(file))).toEqual([
      [".a.test", "n", "1", "None", 1_800_000_000],
      ["a.test", "u", "2", undefined, undefined],
      [".a.test", "z", "3", undefined, undefined],
      [".a.test", "l", "4", "Lax", undefined],
    ]);
  });

  test("from Playwright: its storage state", () => {
    const state = {
      cookies: [
        {
          name: "s",
          value: "v",
          domain: "b.test",
          path: "/",
          expires: -1,
          httpOnly: true,
          secure: true,
          sameSite: "Strict",
        },
      ],
      origins: [],
    };
    expect(values(JSON.stringify(state))).toEqual([["b.test", "s", "v", "Strict", undefined]]);
  });

  test("that is invalid is refused without quoting it", () => {
    for (const text of ['[{"name": "sid", "value": "hunter2"', '{"value": "hunter2"}', "hunter2"]) {
      expect(() => parseCookieFile(text)).toThrow("No cookies can be read from the file");
      try {
        parseCookieFile(text);
      } catch (error) {
        expect(inspect(error)).not.toContain("hunter2");
      }
    }
  });
});

describe("a cURL command", () => {
  test("is read as Chromium and Firefox copy it", () => {
    const chromium = "curl 'https://app.test/x?y=1' \\\n  -H 'accept: */*' \\\n  -b 'sid=a=b; theme=dark'";
    const firefox = `curl 'https://app.test/' --compressed -H 'Cookie: sid=1' -H 'Accept: x'`;
    expect(values(chromium)).toEqual([
      ["app.test", "sid", "a=b", undefined, undefined],
      ["app.test", "theme", "dark", undefined, undefined],
    ]);
    expect(values(firefox)).toEqual([["app.test", "sid", "1", undefined, undefined]]);
  });
  test("is read with any kind of quotes", () => {
    expect(shellWords(`curl "a \\" b" $'it\\'s \\u0041' plain\\ word ''`)).toEqual([
      "curl",
      'a " b',
      "it's A",
      "plain word",
      "",
    ]);
  });
  test("without cookies is refused", () => {
    expect(() => parseCookieFile("curl 'https://app.test/'")).toThrow("The cURL command has no cookies.");
  });
});

test("a cookies.txt is read, including its HttpOnly lines", () => {
  const text = [
    "# Netscape HTTP Cookie File",
    ".c.test\tTRUE\t/\tTRUE\t1800000000\tsid\tone",
    "#HttpOnly_c.test\tFALSE\t/\tFALSE\t0\thid\ttwo",
  ].join("\n");
  expect(values(text)).toEqual([
    [".c.test", "sid", "one", undefined, 1_800_000_000],
    ["c.test", "hid", "two", undefined, undefined],
  ]);
  expect(parseCookieFile(text).map(({ httpOnly }) => httpOnly)).toEqual([false, true]);
});

test("a cookie never prints its value", () => {
  const [cookie] = parseCookieFile("curl 'https://app.test/' -b 'sid=hunter2'");
  expect(`${inspect(cookie)} ${JSON.stringify(cookie)} ${cookie?.value}`).not.toContain("hunter2");
});
