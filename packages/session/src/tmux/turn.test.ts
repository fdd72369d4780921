import { describe, expect, test } from "bun:test";
import { claudeRecordReader } from "./claude-record.ts";
import { codexRecordReader } from "./codex-record.ts";
import type { RecordReader } from "./record-event.ts";
import { createTurn } from "./turn.ts";

function follow(read: RecordReader) {
  const told: unknown[] = [];
  const turn = createTurn({
    usage: (used) => told.push(used),
    ended: (end) => told.push(end),
    lines: (lines) => told.push(...lines),
  });
  const add = (record: object) => {
    for (const event of read(JSON.stringify(record))) turn.apply(event);
  };
  return { turn, told, add };
}

const ours = "DEVFLOW_PROMPT_BEGIN 1\nDo it.";

describe("Claude Code's record", () => {
  const user = (content: unknown) => ({ type: "user", isSidechain: false, message: { role: "user", content } });
  const usage = { input_tokens: 10, cache_creation_input_tokens: 2, cache_read_input_tokens: 3, output_tokens: 5 };
  const says = (id: string, text: string) => ({
    type: "assistant",
    message: { id, model: "opus", content: [{ type: "text", text }], usage },
  });
  const ends = { type: "system", subtype: "turn_duration" };

  test("a turn of ours ends with its usage, each answer counted once", () => {
    const { turn, told, add } = follow(claudeRecordReader());
    for (const record of [user(ours), says("1", "First."), says("1", "Same answer."), says("2", "Done.")]) add(record);
    expect([turn.isRunning, turn.isOurs]).toEqual([true, true]);
    add(ends);
    expect(told).toEqual([
      "First.",
      "Same answer.",
      "Done.",
      { model: "opus", inputTokens: 20, outputTokens: 10, cacheReadTokens: 6, cacheWriteTokens: 4 },
      { outcome: "done", reason: undefined, isOurs: true },
    ]);
    expect([turn.isRunning, turn.isOurs]).toEqual([false, false]);
  });

  test("a turn that a person began is not ours", () => {
    const { told, add } = follow(claudeRecordReader());
    for (const record of [user("by hand"), ends]) add(record);
    expect(told).toEqual([{ outcome: "done", reason: undefined, isOurs: false }]);
  });

  test("an interrupted turn, and one that failed on the model", () => {
    const { told, add } = follow(claudeRecordReader());
    add(user(ours));
    add(user([{ type: "text", text: "[Request interrupted by user for tool use]" }]));
    add(ends);
    add(user(ours));
    const failed = { model: "<synthetic>", content: [{ type: "text", text: "API Error: 529" }], usage: {} };
    add({ type: "assistant", isApiErrorMessage: true, message: failed });
    add(ends);
    expect(told).toEqual([
      { outcome: "interrupted", reason: undefined, isOurs: true },
      "API Error: 529",
      { outcome: "failed", reason: "API Error: 529", isOurs: true },
    ]);
  });

  test("the turn goes on while a message that was typed in it is not taken up", () => {
    const { turn, told, add } = follow(claudeRecordReader());
    add(user(ours));
    turn.queue("Keep the name.");
    add(ends);
    expect([told, turn.isRunning]).toEqual([[], true]);
    add({ type: "attachment", attachment: { type: "queued_command", prompt: "Keep the\nname." } });
    add(ends);
    expect(told).toEqual([{ outcome: "done", reason: undefined, isOurs: true }]);
  });

  test("half a line and recorded requests are passed over", () => {
    const read = claudeRecordReader();
    expect([read('{"type":"us'), read('{"type":"api-request","params":{}}')]).toEqual([[], []]);
  });
});

describe("Codex's record", () => {
  const event = (payload: object) => ({ type: "event_msg", payload });
  const item = (payload: object) => ({ type: "response_item", payload });

  test("a turn with its mode, its lines and its usage", () => {
    const { turn, told, add } = follow(codexRecordReader());
    add(event({ type: "task_started" }));
    add({
      type: "turn_context",
      payload: { model: "gpt", approval_policy: "on-request", sandbox_policy: { type: "workspace-write" } },
    });
    add(item({ type: "message", role: "user", content: [{ type: "input_text", text: ours }] }));
    add(item({ type: "function_call", name: "exec_command", arguments: '{"cmd":"ls"}' }));
    add(item({ type: "function_call_output", output: "a\nb\n" }));
    add({
      type: "token_usage_record",
      payload: { usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 5 } },
    });
    expect(turn.mode).toBe("on-request workspace-write");
    add(event({ type: "task_complete", last_agent_message: "Done." }));
    expect(told).toEqual([
      "● exec_command ls",
      "  a",
      "  b",
      { model: "gpt", inputTokens: 6, outputTokens: 5, cacheReadTokens: 4, cacheWriteTokens: 0 },
      { outcome: "done", reason: undefined, isOurs: true },
    ]);
  });

  test("a turn that failed tells why, though no hook does", () => {
    const { told, add } = follow(codexRecordReader());
    add(event({ type: "task_started" }));
    add(event({ type: "task_complete", error: { message: "unexpected status 529" } }));
    expect(told).toEqual([{ outcome: "failed", reason: "unexpected status 529", isOurs: false }]);
  });
});
