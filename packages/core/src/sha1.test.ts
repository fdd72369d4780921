import { expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { sha1 } from "./sha1.ts";

test("it is what node:crypto computes, at every length around a block and for a large input", () => {
  const lengths = [...Array.from({ length: 200 }, (_, length) => length), 4_096, 1_000_003];
  for (const length of lengths) {
    const bytes = randomBytes(length);
    const expected = createHash("sha1").update(bytes).digest("hex");
    expect([length, Buffer.from(sha1(bytes)).toString("hex")]).toEqual([length, expected]);
  }
});
