import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJson, readIfThere } from "./read-if-there.ts";

const folder = mkdtempSync(join(tmpdir(), "devflow-read-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a file that is not there is nothing; one that cannot be read is an error", async () => {
  writeFileSync(join(folder, "a"), "text");
  expect(await readIfThere(join(folder, "a"))).toBe("text");
  expect(await readIfThere(join(folder, "b"))).toBeUndefined();
  await expect(readIfThere(folder)).rejects.toThrow("EISDIR");
});

test("what is not JSON is nothing", () => {
  expect([parseJson('{"a":1}'), parseJson("null"), parseJson("{"), parseJson("")]).toEqual([
    { a: 1 },
    null,
    undefined,
    undefined,
  ]);
});
