import { describe, expect, test } from "bun:test";
import { appendFileSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { readHookEvent } from "./hook-event.ts";
import { hookSettings } from "./hook-settings.ts";
import { editsOfTool, realPath } from "./log-edit.ts";
import { patchedFiles } from "./patched-files.ts";
import { forgetOldNotes, note, readNotes } from "./session-notes.ts";

describe("a patch of Codex", () => {
  const patch = [
    "*** Begin Patch",
    "*** Add File: src/new.ts",
    "+one",
    "+two",
    "*** Update File: src/old.ts",
    "@@ function a",
    " before",
    "-gone",
    "+came",
    "+too",
    " after",
    "+later",
    "*** Delete File: src/dead.ts",
    "*** Update File: src/from.ts",
    "*** Move to: src/to.ts",
    "@@",
    "+moved",
    "*** End Patch",
  ].join("\n");

  test("names its files, what was added to each, and those that are gone", () => {
    expect(patchedFiles(patch)).toEqual([
      { path: "src/new.ts", isGone: false },
      { path: "src/old.ts", isGone: false, part: "came\ntoo" },
      { path: "src/dead.ts", isGone: true },
      { path: "src/from.ts", isGone: true },
      { path: "src/to.ts", isGone: false, part: "moved" },
    ]);
    expect(patchedFiles("no patch")).toEqual([]);
  });

  test("gives the lines of the edit", () => {
    const folder = temporaryFolder("ws");
    writeFileSync(join(folder, "a.ts"), "x\ncame\ntoo\ny\n");
    const tool = {
      ...{ name: "apply_patch", call: "c", response: "" },
      input: { command: "*** Begin Patch\n*** Update File: a.ts\n@@\n+came\n+too\n*** End Patch" },
    };
    expect(editsOfTool(tool, folder)).toEqual([
      { path: join(folder, "a.ts"), lines: [[2, 3]], via: "edit", isGone: false },
    ]);
  });
});

test("an edit is found under the real name of its folder, also when it is gone", () => {
  const folder = temporaryFolder("real");
  const link = join(temporaryFolder("links"), "link");
  symlinkSync(folder, link);
  expect(realPath(join(link, "a.ts"))).toBe(join(folder, "a.ts"));
  expect(realPath(join(link, "not/there/a.ts"))).toBe(join(folder, "not/there/a.ts"));
});

test("an event needs a session and an absolute folder, and nothing else", () => {
  expect(readHookEvent("claude", "stop", '{"session_id":"s","cwd":"/x","other":[1]}')).toEqual({
    ...{ host: "claude", moment: "stop", session: "s", cwd: "/x" },
  });
  for (const text of ["", "7", '"x"', "{}", '{"session_id":"","cwd":"/x"}', '{"session_id":"s","cwd":"./x"}']) {
    expect([text, readHookEvent("claude", "stop", text)]).toEqual([text, undefined]);
  }
});

test("settings of a repository: what is wrong is told and turns nothing off", () => {
  const of = (hooks: unknown) => {
    const { does, ignores, faults } = hookSettings({ hooks });
    return [does("edits"), does("digest"), ignores("gen/a/b.ts"), faults];
  };
  expect(of(undefined)).toEqual([true, true, false, []]);
  expect(of(true)).toEqual([true, true, false, []]);
  expect(of(false)).toEqual([false, false, true, []]);
  expect(of({ off: ["digest"], ignore: ["gen/**"] })).toEqual([true, false, true, []]);
  expect(of("no")).toEqual([true, true, false, ["hooks: expected true, false or an object with off, ignore and wip"]]);
  expect(of({ off: ["edit"], ignor: [] })).toEqual([
    ...[true, true, false],
    [
      "hooks.ignor: there is no such setting",
      "hooks.off: there is no edit; there are digest, intents, decisions, edits, reads, precheck, handoffs",
    ],
  ]);
  expect(hookSettings(null).does("edits")).toBe(true);
});

describe("notes of a session", () => {
  const agent = "0191b2c3-0000-7000-8000-000000000001";

  test("are one value, newest last, and a line that was cut is left out", () => {
    const home = temporaryFolder("home");
    note(home, agent, { is: "prompt", text: "first" });
    note(home, agent, { is: "edit", file: "a", hash: "1" });
    note(home, agent, { is: "edit", file: "b", hash: "2" });
    note(home, agent, { is: "edit", file: "a" });
    note(home, agent, { is: "read", file: "r", hash: "3" });
    note(home, agent, { is: "prompt", text: "second" });
    note(home, agent, { is: "sent", what: "handoff", count: 2 });
    appendFileSync(join(home, "hooks/sessions", `${agent}.jsonl`), '{"is":"edit","fi');
    const { edited, hashes, reads, firstPrompt, prompt, edits, handedOff } = readNotes(home, agent);
    expect({ edited, hashes: [...hashes], reads: [...reads], firstPrompt, prompt, edits, handedOff }).toEqual({
      ...{ edited: ["a", "b"], hashes: [["b", "2"]], reads: [["r", "3"]] },
      ...{ firstPrompt: "first", prompt: "second", edits: 3, handedOff: 2 },
    });
    expect(readNotes(home, "another").edited).toEqual([]);
  });

  test("of long ago are forgotten", () => {
    const home = temporaryFolder("home");
    note(home, agent, { is: "prompt", text: "old" });
    note(home, "0191b2c3-0000-7000-8000-000000000002", { is: "prompt", text: "new" });
    utimesSync(join(home, "hooks/sessions", `${agent}.jsonl`), 1, 1);
    forgetOldNotes(home, Date.now());
    expect(readdirSync(join(home, "hooks/sessions"))).toEqual(["0191b2c3-0000-7000-8000-000000000002.jsonl"]);
    forgetOldNotes(temporaryFolder("none"), Date.now());
  });
});
