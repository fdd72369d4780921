import { expect, test } from "bun:test";
import { uuidv7 } from "@devflow/core/ids";
import { transcriptRecords } from "./transcript-records.ts";

const team = uuidv7();
const read = (lines: readonly unknown[], offset = 0) =>
  transcriptRecords(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""), {
    ...{ team, sessionId: "file", offset },
  });

test("a session of Codex: what people and the agent said, and the tools by name", () => {
  const found = read([
    { type: "session_meta", payload: { id: "codex-1" } },
    {
      type: "response_item",
      timestamp: "2026-11-16T08:00:00Z",
      payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Fix it" }] },
    },
    {
      type: "response_item",
      timestamp: "2026-11-16T08:00:01Z",
      payload: { type: "function_call", name: "shell", arguments: "{}" },
    },
    { type: "response_item", payload: { type: "function_call_output", output: "secret file" } },
    {
      type: "response_item",
      timestamp: "2026-11-16T08:00:02Z",
      payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: "Fixed" }] },
    },
    { type: "event_msg", payload: { type: "token_count" } },
    "not json",
  ]);
  expect(found).toMatchObject({ messages: 3, skipped: 1, redacted: 0 });
  expect(found.drafts.map(({ payload }) => payload)).toEqual([
    {
      session_id: "codex-1",
      turns: 1,
      tools: { shell: 1 },
      started_at: "2026-11-16T08:00:00.000Z",
      ended_at: "2026-11-16T08:00:02.000Z",
      messages: [
        { role: "user", text: "Fix it", tools: [], at: "2026-11-16T08:00:00.000Z" },
        { role: "assistant", text: "", tools: ["shell"], at: "2026-11-16T08:00:01.000Z" },
        { role: "assistant", text: "Fixed", tools: [], at: "2026-11-16T08:00:02.000Z" },
      ],
    },
  ]);
});

test("Claude Code's history of prompts, several sessions in one file", () => {
  const found = read([
    { display: "first", timestamp: 1_763_280_000_000, sessionId: "a" },
    { display: "second", timestamp: 1_763_280_001_000, sessionId: "b" },
    { display: "third", timestamp: 1_763_280_002_000, sessionId: "a" },
  ]);
  expect(
    found.drafts.map(({ payload }) => [
      (payload as { session_id: string }).session_id,
      (payload as { turns: number }).turns,
    ]),
  ).toEqual([
    ["a", 2],
    ["b", 1],
  ]);
});

test("a long session is several records, with the same ids each time it is read from the same place", () => {
  const lines = Array.from({ length: 30 }, (_, n) => ({ display: `${n} ${"x".repeat(40_000)}`, sessionId: "a" }));
  const ids = read(lines).drafts.map(({ id }) => id);
  expect(ids.length).toBe(3);
  expect(read(lines).drafts.map(({ id }) => id)).toEqual(ids);
  expect(read(lines, 100).drafts.some(({ id }) => ids.includes(id))).toBe(false);
});

test("the session that a file named at its beginning holds for its later parts", () => {
  const first = read([{ type: "session_meta", payload: { id: "codex-1" } }]);
  expect([first.session, first.drafts]).toEqual(["codex-1", []]);
});
