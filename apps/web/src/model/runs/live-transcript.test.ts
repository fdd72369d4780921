import { afterEach, expect, test } from "bun:test";
import { until } from "../../../tests/misbehaving-server.ts";
import { startLiveTranscript } from "./live-transcript.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** A store of chunks that pages like the server, and can fail on request. */
function follow(count: number) {
  const chunks = Array.from({ length: count }, (_, index) => ({ seq: (index + 1) * 7, content: `${index}\n`, at: "" }));
  const asked: string[] = [];
  let faults = 0;
  const transcript = async (_: string, { from, limit, last }: { from: number; limit: number; last?: boolean }) => {
    asked.push(last ? "end" : String(from));
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (faults > 0) {
      faults -= 1;
      throw new Error("gone");
    }
    const rest = chunks.filter((chunk) => chunk.seq > from);
    const page = last ? rest.slice(-limit) : rest.slice(0, limit);
    return { chunks: page, next: !last && rest.length > limit ? page.at(-1)!.seq : null };
  };
  const live = startLiveTranscript({ api: { runs: { transcript } }, sessionId: "s" });
  cleanups.push(live.stop);
  return {
    live,
    asked,
    chunks,
    fail: (times: number) => {
      faults = times;
    },
    text: () =>
      live
        .snapshot()
        .blocks.map((block) => block.text)
        .join(""),
    whole: () => chunks.map((chunk) => chunk.content).join(""),
  };
}

test("the end is shown first, then everything before it", async () => {
  const { live, asked, text, whole } = follow(2_500);
  await until("the end", () => live.snapshot().isRead);
  expect(text()).toStartWith("1500\n");
  expect(live.snapshot().isReadingOlder).toBe(true);
  await until("the rest", () => !live.snapshot().isReadingOlder);
  expect(text()).toBe(whole());
  expect(asked).toEqual(["end", "0", "7000"]);
});

test("new output is read from the end, once however often it is announced, and nothing is lost", async () => {
  const { live, asked, chunks, text, whole } = follow(3);
  await until("read", () => live.snapshot().isRead);
  for (let index = 0; index < 50; index += 1) {
    chunks.push({ seq: 1_000 + index, content: `more ${index}\n`, at: "" });
    live.grew();
  }
  await until("all of it", () => text() === whole());
  expect(asked.length).toBeLessThan(6);
});

test("an error is reported, the text stays, and the next try continues from there", async () => {
  const { live, chunks, fail, text, whole } = follow(3);
  await until("read", () => live.snapshot().isRead);
  fail(1);
  chunks.push({ seq: 1_000, content: "more\n", at: "" });
  live.grew();
  await until("the fault", () => live.snapshot().fault !== undefined);
  expect(text()).toBe("0\n1\n2\n");
  live.grew();
  await until("all of it", () => text() === whole());
  expect(live.snapshot().fault).toBeUndefined();
});
