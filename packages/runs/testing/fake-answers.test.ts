/** The fake's default answers must be valid, or every demo would begin with a repair. */
import { expect, test } from "bun:test";
import { fakeAnswer, fakeFiles } from "@devflow/session/testing";
import { schemaIds, validateArtifact } from "../src/artifacts/index.ts";

const finding = { id: "01a1ded6-ff2b-71cf-b301-692872cc62a9", summary: "Wrong" };
const asked = { phaseKey: "p", roleId: "reviewer#0", attempt: 1, findings: [finding] };

test.each(schemaIds.filter((id) => !id.startsWith("common/final-report@")))(
  "%s gets a valid answer in every attempt",
  (id) => {
    for (const attempt of [1, 2])
      expect(validateArtifact(id, fakeAnswer({ ...asked, expectedSchema: id, attempt }))).toEqual({ ok: true });
  },
);

test("only work phases write files, and each attempt writes different ones", () => {
  expect(fakeFiles({ ...asked, expectedSchema: "dev/spec@1" })).toEqual({});
  const [first, second] = [1, 2].map((attempt) =>
    fakeFiles({ ...asked, expectedSchema: "dev/change-report@1", attempt }),
  );
  expect(Object.keys(first ?? {})).toEqual(["greetings.json"]);
  expect(first).not.toEqual(second as Record<string, string>);
});
