import { expect, test } from "bun:test";
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { type FileMark, readNewLines } from "./read-new-lines.ts";

const path = join(temporaryFolder("lines"), "session.jsonl");
/** Everything that is there, in parts of ten bytes. */
async function readAll(mark?: FileMark, maxBytes = 10): Promise<{ texts: string[]; mark: FileMark | undefined }> {
  const texts: string[] = [];
  for (let now = mark; ; ) {
    const found = await readNewLines(path, now, { maxBytes });
    texts.push(found.text);
    now = found.mark;
    if (!found.more) return { texts, mark: now };
  }
}

test("each line once, however the file grows, and a half line later", async () => {
  writeFileSync(path, "one\ntwo\nthree\nfo");
  const first = await readAll();
  expect(first.texts.join("")).toBe("one\ntwo\nthree\n");
  appendFileSync(path, "ur\nfive\n");
  const second = await readAll(first.mark);
  expect(second.texts.join("")).toBe("four\nfive\n");
  expect((await readAll(second.mark)).texts).toEqual([""]);
});

test("a line that is larger than a part is passed over, and what follows it is read", async () => {
  writeFileSync(path, `one\n${"x".repeat(3_000_000)}\ntwo\n`);
  expect((await readAll()).texts.join("")).toBe("one\ntwo\n");
  writeFileSync(path, "x".repeat(50));
  expect((await readAll()).mark).toMatchObject({ bytes: 0 });
});

test("bytes that are no text do not move the mark", async () => {
  writeFileSync(path, Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from("two\n")]));
  const { mark } = await readAll(undefined, 1000);
  expect(mark?.bytes).toBe(7);
});

test("a file that was replaced or cut is read from its beginning, and the session is remembered until then", async () => {
  writeFileSync(path, "one\ntwo\n");
  const { mark } = await readAll(undefined, 1000);
  const known = { ...mark, session: "s" } as FileMark;
  appendFileSync(path, "three\n");
  expect((await readNewLines(path, known)).mark.session).toBe("s");
  writeFileSync(path, "new\n");
  expect(await readNewLines(path, known)).toMatchObject({ text: "new\n", offset: 0, mark: { bytes: 4 } });
  rmSync(path);
  await expect(readNewLines(path, known)).rejects.toMatchObject({ code: "ENOENT" });
});
