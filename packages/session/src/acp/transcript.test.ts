import { expect, test } from "bun:test";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { createTranscript } from "./transcript.ts";

const says = (text: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});

test("pieces of text become whole lines, and tools stand between them", () => {
  const transcript = createTranscript();
  const updates: SessionUpdate[] = [
    says("I re"),
    says("ad it.\nThen"),
    { sessionUpdate: "tool_call", toolCallId: "1", title: "ls", kind: "execute" },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "1",
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: "a.ts\nb.ts\n" } }],
    },
    { sessionUpdate: "plan", entries: [{ content: "Test", status: "completed", priority: "low" }] },
    says("Done."),
  ];
  expect(updates.flatMap((update) => transcript.add(update))).toEqual([
    "I read it.",
    "Then",
    "● ls",
    "  a.ts",
    "  b.ts",
    "  [x] Test",
  ]);
  expect([transcript.flush(), transcript.flush()]).toEqual([["Done."], []]);
});
