import { describe, expect, test } from "bun:test";
import { randomBytes, randomUUID } from "node:crypto";
import { judgeRefresh, newRefreshToken, readRefreshToken, type SignInRow } from "./refresh-token.ts";

const key = randomBytes(32);

test("a refresh token is read only by the server that issued it, and only unchanged", () => {
  const token = newRefreshToken(key, randomUUID());
  expect(readRefreshToken(key, token.text)).toEqual(token);
  expect(readRefreshToken(randomBytes(32), token.text)).toBeUndefined();
  const other = newRefreshToken(key, randomUUID());
  const [, nonce, signature] = token.text.split(".");
  const wrong = [
    `${other.text.split(".")[0]}.${nonce}.${signature}`,
    `${token.text}x`,
    token.text.slice(0, -1),
    token.text.replace("dfr_", "dft_"),
    "dfr_",
    "",
    `dfr_${randomUUID()}`,
    `dfr_${randomUUID()}..`,
  ];
  for (const text of wrong) expect({ text, read: readRefreshToken(key, text) }).toEqual({ text, read: undefined });
});

describe("using a refresh token", () => {
  const row: SignInRow = {
    kind: "terminal",
    currentHash: "current",
    previousHash: "previous",
    expiresAtMs: 1000,
    isRevoked: false,
  };
  const table: readonly (readonly [Partial<SignInRow>, hash: string, now: number, verdict: string])[] = [
    [{}, "current", 999, "rotate"],
    [{}, "previous", 999, "replace"],
    [{}, "older", 999, "reused"],
    [{ previousHash: null }, "older", 999, "reused"],
    [{}, "current", 1000, "ended"],
    [{}, "previous", 1000, "ended"],
    [{ isRevoked: true }, "current", 0, "ended"],
    [{ isRevoked: true }, "older", 0, "ended"],
    [{ kind: "web", previousHash: null }, "current", 999, "keep"],
    [{ kind: "web", previousHash: null }, "older", 999, "reused"],
  ];
  test.each(table)("with %j, %s at %d means %s", (change, hash, now, verdict) => {
    expect(judgeRefresh({ ...row, ...change }, hash, now)).toBe(verdict as never);
  });
});
