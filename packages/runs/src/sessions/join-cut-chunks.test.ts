import { expect, test } from "bun:test";
import { systemClock } from "@devflow/core/clock";
import type { TranscriptChunk } from "@devflow/session";
import { joinCutChunks } from "./join-cut-chunks.ts";

const key = `ghp_${"aB3dE5gH7jK9".repeat(3)}`;
const chunk = (seq: number, content: string): TranscriptChunk => ({ seq, content, capturedAt: new Date(0) });
const impatient = { ...systemClock, sleep: async () => {} };

async function joined(contents: readonly string[]): Promise<[seq: number, content: string][]> {
  const source = async function* () {
    for (const [index, content] of contents.entries()) yield chunk(index + 1, content);
  };
  const result = await Array.fromAsync(joinCutChunks(source(), systemClock));
  return result.map(({ seq, content }) => [seq, content]);
}

test("a key that is cut by the border of two chunks is in one piece, under the offset of the last", async () => {
  expect(await joined(["hello\n", `key ${key.slice(0, 15)}`, `${key.slice(15)} end\n`])).toEqual([
    [1, "hello\n"],
    [3, `key ${key} end\n`],
  ]);
});

test("what is held when the transcript ends is passed on", async () => {
  expect(await joined(["PASSWORD=", "correct"])).toEqual([[2, "PASSWORD=correct"]]);
});

test("when nothing follows, the beginning of a line is passed on after a moment", async () => {
  const source = async function* () {
    yield chunk(1, "working");
    await Bun.sleep(20);
    yield chunk(2, " on it\n");
  };
  const result = await Array.fromAsync(joinCutChunks(source(), impatient));
  expect(result.map((one) => one.content)).toEqual(["working", " on it\n"]);
});

test("a failure of the capture reaches the reader", async () => {
  const source = async function* () {
    yield chunk(1, "work");
    throw new Error("gone");
  };
  await expect(Array.fromAsync(joinCutChunks(source(), systemClock))).rejects.toThrow("gone");
});

test("a reader that stops early does not wait for a silent agent", async () => {
  const source = async function* () {
    yield chunk(1, "hello");
    await new Promise(() => {});
  };
  for await (const one of joinCutChunks(source(), impatient)) {
    expect(one.content).toBe("hello");
    break;
  }
});
