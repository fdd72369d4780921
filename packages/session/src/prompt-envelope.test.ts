import { describe, expect, test } from "bun:test";
import { isLong, makeEnvelope, maxInlineBytes, renderEnvelope } from "./prompt-envelope.ts";

const subject = {
  runId: "r",
  roleId: "coder",
  phaseKey: "implement",
  expectedArtifact: "/a/change.json",
  expectedSchema: "dev/change-report@1",
  instructions: "Do it.",
  attempt: 1,
};

describe("an envelope", () => {
  test("is the same for the same question, and different for the next attempt", () => {
    expect(makeEnvelope(subject)).toEqual(makeEnvelope({ ...subject }));
    expect(makeEnvelope({ ...subject, attempt: 2 }).uuid).not.toBe(makeEnvelope(subject).uuid);
  });

  test("is between its markers, with its key", () => {
    const envelope = makeEnvelope(subject);
    const lines = renderEnvelope(envelope).split("\n");
    expect([lines[0], lines.at(-1)]).toEqual([
      `DEVFLOW_PROMPT_BEGIN ${envelope.uuid}`,
      `DEVFLOW_PROMPT_END ${envelope.uuid}`,
    ]);
    expect(lines).toContain(`Dedup-Key: ${envelope.dedupKey}`);
    expect(lines).toContain("Do it.");
  });

  test("points to a file when the instructions are long, counted in bytes", () => {
    expect([isLong("é".repeat(maxInlineBytes / 2)), isLong("é".repeat(maxInlineBytes / 2 + 1))]).toEqual([false, true]);
    const text = renderEnvelope(makeEnvelope(subject), "/a/instructions.md");
    expect(text).toContain("/a/instructions.md");
    expect(text).not.toContain("Do it.");
  });
});
